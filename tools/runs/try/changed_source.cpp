#include "tools/runs/try/changed_source.h"
#include "kernels/shader/variant.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace tilewise {

using namespace kernels;

namespace {

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Replaces every occurrence of the whole word.
std::string with_word_replaced(const std::string& text, const std::string& word, const std::string& by) {
    std::string made;
    size_t from = 0;
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
        const size_t end = at + word.size();
        if ((at > 0 && is_in_name(text[at - 1])) || (end < text.size() && is_in_name(text[end]))) continue;
        made.append(text, from, at - from).append(by);
        from = end;
    }
    return made.append(text, from);
}

/// The place behind the last line about versions or extensions, and behind the #endif of what contains it: such lines
/// must come first.
size_t place_of_head(const std::string& text) {
    size_t place = 0;
    int depth = 0;
    bool is_inside = false;  // an extension stands in a part that the preprocessor may leave out
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        std::string line = text.substr(at, end - at);
        std::erase_if(line, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
        if (line.starts_with("#if")) depth++;
        if (line.starts_with("#endif")) depth--;
        if (line.starts_with("#version") || line.starts_with("#extension")) is_inside = true;
        if (is_inside && depth == 0) {
            place = end;
            is_inside = false;
        }
        at = end;
    }
    return place;
}

/// The text with blanks in place of comments; lines and places stay.
std::string without_comments(std::string text) {
    for (size_t at = 0; at + 1 < text.size(); ++at) {
        const bool is_line = text.compare(at, 2, "//") == 0;
        if (!is_line && text.compare(at, 2, "/*") != 0) continue;
        const size_t found = is_line ? text.find('\n', at) : text.find("*/", at + 2);
        const size_t end = found == std::string::npos ? text.size() : found + (is_line ? 0 : 2);
        for (; at < end; ++at)
            if (text[at] != '\n') text[at] = ' ';
        --at;
    }
    return text;
}

size_t skip_space(const std::string& text, size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at;
}

/// The place of the parenthesis that closes the one at `open`.
size_t closing(const std::string& text, size_t open) {
    int depth = 0;
    for (size_t at = open; at < text.size(); ++at) {
        if (text[at] == '(') depth++;
        if (text[at] == ')' && --depth == 0) return at;
    }
    return std::string::npos;
}

/// Finds `layout(.. local_size ..) in;` wherever it is, and sets the size.
std::string with_local_size(const std::string& text, const std::array<uint32_t, 3>& size) {
    const std::string plain = without_comments(text);
    for (size_t at = 0; (at = plain.find("layout", at)) != std::string::npos; ++at) {
        const size_t open = skip_space(plain, at + 6);
        if (open >= plain.size() || plain[open] != '(') continue;
        const size_t close = closing(plain, open);
        if (close == std::string::npos) break;
        if (plain.substr(open, close - open).find("local_size") == std::string::npos) continue;
        const size_t in = skip_space(plain, close + 1), semicolon = skip_space(plain, in + 2);
        if (plain.compare(in, 2, "in") != 0 || semicolon >= plain.size() || plain[semicolon] != ';') continue;
        return text.substr(0, at) +
               fmt::format("layout(local_size_x = {}, local_size_y = {}, local_size_z = {}) in;", size[0], size[1],
                           size[2]) +
               text.substr(semicolon + 1);
    }
    throw Error("the text has no `layout(local_size_x = ..) in;` that could be changed");
}

std::string comment_of(const ShaderGrid& grid, const ShaderVariant& variant) {
    const auto groups = dispatched(grid, variant);
    std::string order = variant.order ? columns_text(*variant.order) : "as the device numbers them";
    return fmt::format("// workgroups {}, {}x{}x{} of them; invocations {}, in workgroups of {}x{}x{}\n",
                       group_order_text(variant.groups), groups[0], groups[1], groups[2], order, variant.local_size[0],
                       variant.local_size[1], variant.local_size[2]);
}

std::string changed_glsl(const TriedShader& shader, const ShaderGrid& grid, const ShaderVariant& variant) {
    std::string text = with_includes(shader.name, shader.text);
    for (const char* name : {"NumWorkGroups", "WorkGroupID", "LocalInvocationID", "GlobalInvocationID",
                             "LocalInvocationIndex", "WorkGroupSize"})
        text = with_word_replaced(text, std::string("gl_") + name, std::string("tilewise_") + name);
    if (variant.local_size != grid.local_size) text = with_local_size(text, variant.local_size);
    const size_t place = place_of_head(text);
    std::string made = text.substr(0, place);
    made += comment_of(grid, variant);
    made += fmt::format("const uvec3 tilewise_WorkGroupSize = uvec3({}, {}, {});\n", grid.local_size[0],
                        grid.local_size[1], grid.local_size[2]);
    made += variant_text(grid, variant, false).head;
    made += "#define main tilewise_main\n";
    made += text.substr(place);
    if (!made.ends_with('\n')) made += '\n';
    made +=
        "#undef main\n"
        "void main() {\n"
        "    if (tilewise_order(gl_NumWorkGroups, gl_WorkGroupID, gl_LocalInvocationID, gl_LocalInvocationIndex)) "
        "tilewise_main();\n}\n";
    return made;
}

struct Function {
    /// Where its name begins, and the text between the parentheses.
    size_t name = 0, first = 0, last = 0;
};

/// Finds `void NAME(..)` in a text without comments.
Function find_function(const std::string& text, const std::string& name) {
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at) {
        const size_t open = skip_space(text, at + name.size());
        if ((at > 0 && is_in_name(text[at - 1])) || open >= text.size() || text[open] != '(') continue;
        size_t before = at;
        while (before > 0 && std::isspace(static_cast<unsigned char>(text[before - 1])) != 0) --before;
        if (before < 4 || text.compare(before - 4, 4, "void") != 0) continue;
        const size_t close = text.find(')', open);
        if (close == std::string::npos) break;
        return {at, open + 1, close};
    }
    throw Error(fmt::format("the text has no `void {}(..)`", name));
}

/// The argument for a parameter such as `uint2 id : SV_DispatchThreadID`.
std::string argument_for(const std::string& parameter) {
    const size_t colon = parameter.find(':');
    if (colon == std::string::npos)
        throw Error(
            fmt::format("the entry point takes \"{}\", which is none of SV_DispatchThreadID, SV_GroupID, "
                        "SV_GroupThreadID and SV_GroupIndex: the change is written only as SPIR-V, with --spirv",
                        printable(parameter, 60)));
    std::string semantic = to_lower(parameter.substr(colon + 1));
    std::erase_if(semantic, [](char c) { return !is_in_name(c); });
    std::string type;
    for (size_t at = skip_space(parameter, 0); type.empty() || type == "in" || type == "const";) {
        size_t end = at;
        while (end < parameter.size() && is_in_name(parameter[end])) ++end;
        type = parameter.substr(at, end - at);
        if (type.empty()) break;
        at = skip_space(parameter, end);
    }
    const char* value = semantic == "sv_dispatchthreadid" ? "tilewise_GlobalInvocationID"
                        : semantic == "sv_groupid"        ? "tilewise_WorkGroupID"
                        : semantic == "sv_groupthreadid"  ? "tilewise_LocalInvocationID"
                        : semantic == "sv_groupindex"     ? "tilewise_LocalInvocationIndex"
                                                          : nullptr;
    if (value == nullptr) throw Error(fmt::format("the entry point takes {}", printable(semantic, 60)));
    const char last = type.empty() ? ' ' : type.back();
    const char* part = semantic == "sv_groupindex" || last == '3' ? "" : last == '2' ? ".xy" : ".x";
    return fmt::format("({}){}{}", type, value, part);
}

std::string changed_hlsl(const TriedShader& shader, const std::string& entry, const ShaderGrid& grid,
                         const ShaderVariant& variant) {
    std::string text = with_includes(shader.name, shader.text);
    const std::string plain = without_comments(text);
    const Function function = find_function(plain, entry);
    std::vector<std::string> arguments;
    const std::string parameters = plain.substr(function.first, function.last - function.first);
    if (skip_space(parameters, 0) < parameters.size())
        for (const std::string& parameter : split_fields(parameters)) arguments.push_back(argument_for(parameter));
    // From the end to the start, so that earlier places stay valid.
    text.replace(function.name, entry.size(), "tilewise_main");
    const size_t threads = to_lower(plain).rfind("[numthreads", function.name);
    const size_t bracket = threads == std::string::npos ? threads : plain.find(']', threads);
    if (bracket == std::string::npos) throw Error("the text has no `[numthreads(..)]` before its entry point");
    text.erase(threads, bracket + 1 - threads);
    const auto groups = dispatched(grid, variant);
    std::string made = comment_of(grid, variant);
    made += fmt::format(
        "// HLSL does not tell a shader how many workgroups there are: define this as what you dispatch.\n"
        "#ifndef TILEWISE_GROUPS\n#define TILEWISE_GROUPS uint3({}, {}, {})\n#endif\n",
        groups[0], groups[1], groups[2]);
    made += variant_text(grid, variant, true).head + text;
    if (!made.ends_with('\n')) made += '\n';
    made += fmt::format(
        "\n[numthreads({}, {}, {})]\n"
        "void {}(uint3 tilewise_group : SV_GroupID, uint3 tilewise_local : SV_GroupThreadID, uint tilewise_index : "
        "SV_GroupIndex) {{\n"
        "    if (tilewise_order(TILEWISE_GROUPS, tilewise_group, tilewise_local, tilewise_index)) "
        "tilewise_main({});\n}}\n",
        variant.local_size[0], variant.local_size[1], variant.local_size[2], entry, fmt::join(arguments, ", "));
    return made;
}

/// Throws Error unless the changed text does what the variant does: the compiler has the last word about branches,
/// macros, and values that are computed before main() is called.
void require_change(const TriedShader& changed, const ShaderVariant& variant) {
    const auto is_constant = [](const std::optional<uint32_t>& id) { return id.has_value(); };
    if (std::ranges::none_of(changed.reflection.local_size_constants, is_constant) &&
        changed.reflection.local_size != variant.local_size)
        throw Error("the size of workgroups is declared in another place than the one that was changed");
    if (changed.language != ShaderLanguage::glsl) return;
    std::map<uint32_t, std::string> names;
    std::set<uint32_t> own, device;  // variables: the changed text's, the device's
    uint32_t in = 0;
    for (const CodeInstruction& each : changed.code.instructions) {
        size_t length = 0;
        if (each.op == spv::Op::OpName)
            names[each.operands[0]] = string_at(std::span(each.operands).subspan(1), length);
        if (each.op == spv::Op::OpVariable && names[each.result].starts_with("tilewise_")) own.insert(each.result);
        if (each.op == spv::Op::OpDecorate && each.operands.size() > 2 &&
            static_cast<spv::Decoration>(each.operands[1]) == spv::Decoration::BuiltIn &&
            std::ranges::find(renamed_built_ins, static_cast<spv::BuiltIn>(each.operands[2])) !=
                renamed_built_ins.end())
            device.insert(each.operands[0]);
        if (each.op == spv::Op::OpFunction) in = each.result;
        if (in == 0) continue;
        const bool is_entry = in == changed.reflection.entry.function;
        if (is_entry && each.op == spv::Op::OpFunctionCall && !names[each.at(0)].starts_with("tilewise_"))
            throw Error("a global variable has the value of a function, which is called before main()");
        for (size_t place = 0; each.first_operand + place < each.operands.size(); ++place) {
            if (!is_id(each, place)) continue;
            if (is_entry && own.contains(each.at(place)))
                throw Error(
                    "the value of a global variable depends on the invocation, and is computed before main() is "
                    "called");
            if (!is_entry && device.contains(each.at(place)))
                throw Error(fmt::format("{} is read under a name that a macro makes", names[each.at(place)]));
        }
    }
}

}  // namespace

std::string changed_source(const TriedShader& shader, const PassText& pass, const ShaderGrid& grid,
                           const ShaderVariant& variant) {
    if (shader.language == ShaderLanguage::spirv)
        throw Error("SPIR-V has no text to change: --spirv writes the rewritten one");
    std::string made = shader.language == ShaderLanguage::glsl
                           ? changed_glsl(shader, grid, variant)
                           : changed_hlsl(shader, pass.entry.empty() ? "main" : pass.entry, grid, variant);
    try {
        // The compiler finds any mistake in the changed text.
        require_change(
            read_shader(shader.name, made, shader.language == ShaderLanguage::hlsl ? pass.entry : "", pass.defines),
            variant);
    } catch (const Error& error) {
        throw Error(fmt::format("the text cannot be changed ({}); --spirv writes the rewritten SPIR-V", error.what()));
    }
    return made;
}

}  // namespace tilewise
