#include "tools/bench/spirv_operations.h"
#include "patterns/model/error.h"
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <vector>

namespace tilewise {

namespace {

/// Opcodes of the SPIR-V specification, chapters 3.42.13 (arithmetic) to 3.42.15 (relational and logical).
const std::set<uint32_t> integer_operations = {
    126,                                // OpSNegate
    128, 130, 132, 134, 135, 137,       // OpIAdd OpISub OpIMul OpUDiv OpSDiv OpUMod
    138, 139,                           // OpSRem OpSMod
    169,                                // OpSelect
    170, 171, 172, 173, 174, 175,       // OpIEqual OpINotEqual OpUGreaterThan OpSGreaterThan ..
    176, 177, 178, 179,                 // OpULessThan ..
    194, 195, 196, 197, 198, 199, 200,  // shifts, or, xor, and, not
    201, 202, 203, 204, 205,            // bit fields, OpBitReverse, OpBitCount
    12,                                 // OpExtInst: min, max
};

struct TemporaryFolder {
    std::filesystem::path path;
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "tilewise-operations-XXXXXX").string();
        if (!mkdtemp(name.data())) throw Error(fmt::format("cannot make a folder {}", name));
        path = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

std::vector<uint32_t> compile(const std::string& shader) {
    const TemporaryFolder folder;
    const std::filesystem::path source = folder.path / "shader.comp", binary = folder.path / "shader.spv";
    std::ofstream(source) << shader;
    if (std::system(fmt::format("glslc -O -o '{}' '{}' >&2", binary.string(), source.string()).c_str()) != 0)
        throw Error("glslc is missing, or does not compile this; Debian has it in the package glslc");
    std::ifstream file(binary, std::ios::binary);
    std::vector<uint32_t> words(std::filesystem::file_size(binary) / sizeof(uint32_t));
    file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * sizeof(uint32_t)));
    return words;
}

constexpr const char* results = "layout(std430, binding = 0) writeonly buffer Results { uint results[4]; };\n";

/// results[i] = the vector's components
std::string store(unsigned components, const std::string& value) {
    if (components == 1) return fmt::format("    results[0] = {};\n", value);
    std::string text = fmt::format("    uvec{} result = {};\n", components, value);
    for (unsigned i = 0; i < components; i++) text += fmt::format("    results[{}] = result.{};\n", i, "xyzw"[i]);
    return text;
}

}  // namespace

unsigned spirv_operations(const std::string& shader) {
    const std::vector<uint32_t> words = compile(shader);
    constexpr size_t header = 5;
    unsigned count = 0;
    for (size_t at = header; at < words.size(); at += words[at] >> 16)
        count += integer_operations.contains(words[at] & 0xffff);
    return count;
}

std::string shader_around(const std::string& remap_code) {
    return fmt::format("#version 450\nlayout(local_size_x = 256) in;\n{}{}void main() {{\n{}}}\n", results, remap_code,
                       store(2, "tilewise_remap(gl_LocalInvocationIndex)"));
}

std::string shader_around(const SnippetRequest& request) {
    const bool by_layout = request.kind == SnippetKind::address || request.kind == SnippetKind::texel;
    const unsigned vector = by_layout                            ? snippet_dimensions(request.layout)
                            : request.kind == SnippetKind::remap ? request.remap.shape[axis_z] > 1 ? 3 : 2
                                                                 : 3;
    std::string arguments, call;
    switch (request.kind) {
        case SnippetKind::remap:
            call = "tilewise_remap(gl_LocalInvocationIndex)";
            break;
        case SnippetKind::group_order:
            arguments = "uvec3 groups; uint id;";
            call = "tilewise_group(id, groups)";
            break;
        case SnippetKind::address:
            arguments = fmt::format("uvec{0} texel; uvec{0} stride;", vector);
            call = "tilewise_address(texel, stride)";
            break;
        case SnippetKind::texel:
            arguments = fmt::format("uvec{0} stride; uint offset;", vector);
            call = "tilewise_texel(offset, stride)";
            break;
        case SnippetKind::convert:
        case SnippetKind::kernel:
            throw Error("a whole shader needs none around it");
    }
    const std::string push =
        arguments.empty() ? "" : fmt::format("layout(push_constant) uniform Push {{ {} }};\n", arguments);
    return fmt::format("#version 450\nlayout(local_size_x = 256) in;\n{}{}{}void main() {{\n{}}}\n", results, push,
                       emit_snippet(request), store(request.kind == SnippetKind::address ? 1 : vector, call));
}

// Both are from "A Tale Of Too Many Blurs", part 1 and its appendix A, which takes the second from AMD's "Optimizing
// for the Radeon RDNA architecture", p. 28. They are given in GLSL, operation by operation as published.
const char* const handwritten_morton = R"(
uint even_bits(uint v) {
    v &= 0x55555555u;
    v |= v >> 1;
    v &= 0x33333333u;
    v |= v >> 2;
    v &= 0x0000000fu;
    return v;
}
uvec2 tilewise_remap(uint index) { return uvec2(even_bits(index), even_bits(index >> 1)); }
)";
const char* const handwritten_rotated = R"(
uvec2 tilewise_remap(uint index) {
    uint x = (((index >> 2) & 0x0007u) & 0xfffeu) | (index & 0x0001u);
    uint y = ((index >> 1) & 0x0003u) | (((index >> 3) & 0x0007u) & 0xfffcu);
    return uvec2(x, y);
}
)";

}  // namespace tilewise
