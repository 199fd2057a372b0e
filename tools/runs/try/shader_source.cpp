#include "tools/runs/try/shader_source.h"
#include "kernels/shader/variant.h"
#include "patterns/model/error.h"
#include <cstring>
#include <fmt/format.h>

namespace tilewise {

using namespace kernels;

namespace {

bool is_spirv(const std::string& bytes) {
    uint32_t magic = 0;
    if (bytes.size() < sizeof magic) return false;
    std::memcpy(&magic, bytes.data(), sizeof magic);
    return magic == spv::MagicNumber;
}

std::vector<uint32_t> words_in(const std::string& name, const std::string& bytes) {
    if (bytes.size() % sizeof(uint32_t) != 0)
        throw Error(
            fmt::format("{}: {} bytes of SPIR-V are not whole words: the file is truncated", name, bytes.size()));
    std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
}

}  // namespace

TriedShader read_shader(const std::string& name, const std::string& bytes, const std::string& entry,
                        const Defines& defines) {
    TriedShader shader = {name, ShaderLanguage::glsl, {}, {}, {}, {}, {}, {}};
    if (bytes.empty()) throw Error(fmt::format("{}: is empty", name));
    if (name.ends_with(".wgsl") || name.ends_with(".metal") || name.ends_with(".slang"))
        throw UsageError(fmt::format("{}: only GLSL, HLSL and SPIR-V are read: translate it to SPIR-V first", name));
    if (is_spirv(bytes)) {
        shader.language = ShaderLanguage::spirv;
        shader.spirv = words_in(name, bytes);
    } else if (name.ends_with(".spv")) {
        throw Error(fmt::format("{}: is not SPIR-V: it does not begin with its magic number", name));
    } else {
        shader.text = bytes;
        if (name.ends_with(".hlsl")) shader.language = ShaderLanguage::hlsl;
        const bool is_hlsl = shader.language == ShaderLanguage::hlsl;
        if (!is_hlsl && !entry.empty() && entry != "main")
            throw UsageError(fmt::format("{}: the entry point of GLSL is main", name));
        shader.spirv = compile_foreign(name, bytes, entry.empty() ? "main" : entry, defines);
    }
    const std::string invalid = why_invalid_confined(name, shader.spirv);
    if (!invalid.empty()) throw Error(fmt::format("{}: is not valid SPIR-V for Vulkan: {}", name, invalid));
    try {
        shader.code = parse_spirv(shader.spirv);
        shader.reflection = reflect(shader.code, shader.language == ShaderLanguage::spirv ? entry : "");
        shader.legality = legality_of(shader.code, shader.reflection);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()));
    }
    shader.hash = shader_hash(shader.spirv);
    return shader;
}

}  // namespace tilewise
