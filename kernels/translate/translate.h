// Translates compute shaders from GLSL to HLSL, WGSL, Metal's language and CUDA: the same statements, with the same
// names.
#pragma once
#include "patterns/snippet/snippet.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewise::kernels {

/// One dispatch.
struct ShaderPass {
    /// The text that it was compiled from; its comments are carried over.
    std::string glsl;
    /// Not optimized, with debug information.
    std::vector<uint32_t> spirv;
    /// The name of the dispatched function.
    std::string entry;
    /// Variables to rename: old and new name.
    std::vector<std::pair<std::string, std::string>> renamed = {};
    /// The format of the written image, Vulkan's name without VK_FORMAT_; empty if there is none.
    std::string format;
};

/// Returns one text with all passes, in which what they share occurs once. CUDA's code is in the namespace
/// `name_space`. The text has the comments of the GLSL, but none above it. Throws Error for what the language does not
/// have, naming it.
std::string translated(std::span<const ShaderPass> passes, Language language, const std::string& name_space);

}  // namespace tilewise::kernels
