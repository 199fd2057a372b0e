// Compute shaders in GLSL as texts in HLSL, WGSL, Metal's language and CUDA: the same statements, by the same names.
#pragma once
#include "patterns/snippet/snippet.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewise::kernels {

/// One dispatch.
struct ShaderPass {
    /// What it was compiled from; its comments are taken over.
    std::string glsl;
    /// Not optimized, with debug information.
    std::vector<uint32_t> spirv;
    /// The function that is dispatched is called so.
    std::string entry;
    /// Names of variables for others.
    std::vector<std::pair<std::string, std::string>> renamed = {};
    /// Of the image that is written, Vulkan's name without VK_FORMAT_; empty where there is none.
    std::string format;
};

/// One text of all passes: what they share stands in it once. `name_space`: CUDA's code stands in it. The text has
/// comments of the GLSL, and none above it. Throws Error for what the language does not have, naming it.
std::string translated(std::span<const ShaderPass> passes, Language language, const std::string& name_space);

}  // namespace tilewise::kernels
