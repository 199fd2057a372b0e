// Reads a stranger's compute shader: its SPIR-V, its bindings, and which variants of it are legal.
#pragma once
#include "kernels/try/legality.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewise {

enum class ShaderLanguage { glsl, hlsl, spirv };

struct TriedShader {
    /// The name of the file, as given.
    std::string name;
    ShaderLanguage language = ShaderLanguage::glsl;
    /// Empty if the shader is SPIR-V.
    std::string text;
    std::vector<uint32_t> spirv;
    kernels::SpirvCode code;
    kernels::ShaderReflection reflection;
    kernels::Legality legality;
    /// The hash of the SPIR-V.
    std::string hash;
};

using Defines = std::vector<std::pair<std::string, std::string>>;

/// Reads a shader from the `bytes` of a file: SPIR-V if its first word says so, HLSL if the name ends in .hlsl, else
/// GLSL. `entry`: "" for the only entry point. The shader is compiled and validated in a separate process. Throws Error
/// that names the file.
TriedShader read_shader(const std::string& name, const std::string& bytes, const std::string& entry,
                        const Defines& defines);

}  // namespace tilewise
