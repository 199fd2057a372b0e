// Compiles a shader text with a set of definitions to SPIR-V.
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
    /// The name of a file in kernels/: "box_direct.comp".
    std::string_view name;
    std::string_view text;
};
std::span<const ShaderText> shader_texts();
/// Throws Error if there is no text of this name.
std::string_view shader_text(std::string_view name);

/// One way to compile one text. The shader stage follows from the name's ending: .comp, .vert or .frag.
struct Variant {
    /// The name of one of shader_texts().
    std::string source;
    /// Each is a #define NAME VALUE.
    std::vector<std::pair<std::string, std::string>> defines = {};
    /// The text for `#include "filter.glsl"`; `filter_name` appears in the compiler's messages.
    std::string filter_name = {}, filter_text = {};
    /// Optimize in the GLSL compiler, before the driver does. Unrolling large loops takes it seconds.
    bool optimize = true;
};

/// All texts that it is compiled from: its own, those that they include, and the filter.
std::vector<std::string_view> sources_of(const Variant& variant);
/// The version of the compiler, and the target for which all variants are compiled.
std::string_view compiler_version();

/// One text without includes, for people who do not have this program's texts. Several variants are the passes of one
/// source: where their definitions differ, those of pass N apply if PASS is defined as N, from 1 on. `instead` replaces
/// included texts, by name.
std::string whole_text(std::span<const Variant> passes, const std::map<std::string, std::string>& instead = {});

/// Whether the variant contains a user's filter.
bool is_foreign(const Variant& variant);

/// Throws Error with the compiler's first message, which names file and line.
std::vector<uint32_t> compile(const Variant& variant);
/// The same for a complete compute shader that this program wrote; `name` appears in the message. It is HLSL if the
/// name ends in .hlsl.
struct EmittedPass {
    std::string entry = "main";
    /// "PASS=1"; empty: none.
    std::string definition = {};
    bool optimize = true;
};
std::vector<uint32_t> compile_emitted(const std::string& name, const std::string& text, const EmittedPass& pass = {});

/// Compiles a foreign compute shader in a separate process (confined.h), without optimization so that names are kept.
/// It is GLSL, or HLSL if the name ends in .hlsl; it may include files in its own folder. HLSL registers get bindings
/// that are far apart by their kind. Throws Error with the compiler's first message, which names file and line.
std::vector<uint32_t> compile_foreign(const std::string& name, const std::string& text, const std::string& entry,
                                      const std::vector<std::pair<std::string, std::string>>& defines);

/// The text of a foreign shader with the files that it includes in place of the lines that include them. A file that is
/// missing, as in a branch that the preprocessor leaves out, keeps its line. Throws Error if it includes more than a
/// thousand files, or 64 MiB.
std::string with_includes(const std::string& name, const std::string& text);

/// Compiles a text from whole_text(), with PASS defined: all variables and names are kept, and lines of the text.
/// `filter_name` is set if the text contains a user's filter, and appears in the message.
std::vector<uint32_t> compile_for_translation(const std::string& text, size_t pass, const std::string& filter_name);

}  // namespace tilewise::kernels
