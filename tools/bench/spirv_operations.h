// How many integer operations a GLSL function has, as a compiler sees it.
#pragma once
#include "patterns/snippet/snippet.h"
#include <string>

namespace tilewise {

/// Counts integer arithmetic, logic, shifts, comparisons and selections in the SPIR-V that `glslc -O` makes from a
/// compute shader, with all functions inlined. Throws Error if glslc is missing or complains.
unsigned spirv_operations(const std::string& shader);

/// A compute shader that calls a GLSL snippet once, and does nothing else that counts.
std::string shader_around(const SnippetRequest& request);
std::string shader_around(const std::string& remap_code);  ///< for a function uvec2 tilewise_remap(uint)

/// Remaps written by hand, as published: Tilewise's own are measured against them.
extern const char* const handwritten_morton;   ///< 16x16, 256 invocations
extern const char* const handwritten_rotated;  ///< 8x8, 64 invocations

}  // namespace tilewise
