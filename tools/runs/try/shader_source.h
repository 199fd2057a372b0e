// A stranger's compute shader, read: its SPIR-V, what it is bound to, and what variants of it are legal.
#pragma once
#include "kernels/try/legality.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewise {

enum class ShaderLanguage { glsl, hlsl, spirv };

struct TriedShader {
    /// The file, as it was named.
    std::string name;
    ShaderLanguage language = ShaderLanguage::glsl;
    /// Empty where it is SPIR-V.
    std::string text;
    std::vector<uint32_t> spirv;
    kernels::SpirvCode code;
    kernels::ShaderReflection reflection;
    kernels::Legality legality;
    /// Of the SPIR-V.
    std::string hash;
};

using Defines = std::vector<std::pair<std::string, std::string>>;

/// `bytes` of the file; SPIR-V by its first word, HLSL where the name ends in .hlsl. `entry`: "" for the only one.
/// Compiled and validated in a process of its own. Throws Error naming the file.
TriedShader read_shader(const std::string& name, const std::string& bytes, const std::string& entry,
                        const Defines& defines);

}  // namespace tilewise
