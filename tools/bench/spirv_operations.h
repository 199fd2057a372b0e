// How many integer operations a GLSL function comes to, as a compiler sees it.
#pragma once
#include "patterns/snippet/snippet.h"
#include <string>

namespace tilewise {

/// Integer arithmetic, logic, shifts, comparisons and selections in the SPIR-V that `glslc -O` makes of a compute
/// shader, all functions inlined. Throws Error where glslc is missing or complains.
unsigned spirv_operations(const std::string& shader);

/// A compute shader that calls a snippet of GLSL once, and does nothing else that counts.
std::string shader_around(const SnippetRequest& request);
std::string shader_around(const std::string& remap_code);  ///< of a function uvec2 tilewise_remap(uint)

/// By hand, as published: what our own have to measure up to.
extern const char* const handwritten_morton;   ///< 16x16, 256 invocations
extern const char* const handwritten_rotated;  ///< 8x8, 64 invocations

}  // namespace tilewise
