// A shader text and a set of definitions become SPIR-V.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewise::kernels {

struct ShaderText {
    /// It is a file in kernels/: "box_direct.comp".
    std::string_view name;
    std::string_view text;
};
std::span<const ShaderText> shader_texts();
/// Throws Error where there is none of this name.
std::string_view shader_text(std::string_view name);

/// One way to compile one text. Its stage follows from the name's ending: .comp, .vert or .frag.
struct Variant {
    /// It is one of shader_texts().
    std::string source;
    /// Each one is #define NAME VALUE.
    std::vector<std::pair<std::string, std::string>> defines = {};
    /// What `#include "filter.glsl"` means in it; `filter_name` stands in the compiler's messages.
    std::string filter_name = {}, filter_text = {};
    /// By the compiler of GLSL, before the driver does it. Large loops that it unrolls take it seconds.
    bool optimize = true;
};

/// All texts that it is compiled from: its own, those that they include, and the filter's.
std::vector<std::string_view> sources_of(const Variant& variant);
/// The version of the compiler, and the target that all variants are compiled for.
std::string_view compiler_version();

/// One text that includes no other, for people who do not have this program's. Several variants are the passes of one
/// source: where their definitions differ, those of pass N hold where PASS is defined as N, from 1 on. `instead`: by
/// name, what takes the place of an included text.
std::string whole_text(std::span<const Variant> passes, const std::map<std::string, std::string>& instead = {});

/// The filter in it is a stranger's.
bool is_foreign(const Variant& variant);

/// Throws Error with the compiler's first message, which names file and line.
std::vector<uint32_t> compile(const Variant& variant);
/// The same of a compute shader that this program wrote, whole; `name` stands in the message. HLSL where it ends in
/// .hlsl.
struct EmittedPass {
    std::string entry = "main";
    /// "PASS=1"; empty: none.
    std::string definition = {};
    bool optimize = true;
};
std::vector<uint32_t> compile_emitted(const std::string& name, const std::string& text, const EmittedPass& pass = {});

/// A stranger's compute shader, in a process of its own (confined.h): not optimized, so that names stay. GLSL, or HLSL
/// where the name ends in .hlsl; it includes files beside it. Registers of HLSL get bindings that are far apart by their
/// kind. Throws Error with the compiler's first message, which names file and line.
std::vector<uint32_t> compile_foreign(const std::string& name, const std::string& text, const std::string& entry,
                                      const std::vector<std::pair<std::string, std::string>>& defines);

/// A text as whole_text() gives it, with PASS defined: every variable and name is in it, and lines of the text.
/// `filter_name` where a stranger's filter is in it: that stands in the message.
std::vector<uint32_t> compile_for_translation(const std::string& text, size_t pass, const std::string& filter_name);

}  // namespace tilewise::kernels
