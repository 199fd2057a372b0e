#include "tools/runs/try/changed_source.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// The place behind the last line about versions or extensions: such lines must come first.
size_t place_of_head(const std::string& text) {
    size_t place = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const size_t word = text.find_first_not_of(" \t", at);
        if (word < end && (text.compare(word, 8, "#version") == 0 || text.compare(word, 10, "#extension") == 0))
            place = end;
        at = end;
    }
    return place;
}

/// The text with blanks in place of comments, preprocessor lines, and what stands between braces.
std::string global_text(const std::string& text) {
    std::string made;
    int depth = 0;
    bool is_line_start = true;
    for (size_t at = 0; at < text.size(); ++at) {
        const bool is_directive = is_line_start && text[at] == '#';
        size_t end = std::string::npos;
        if (is_directive)
            for (end = text.find('\n', at); end != std::string::npos && text[end - 1] == '\\';)
                end = text.find('\n', end + 1);
        else if (text.compare(at, 2, "//") == 0)
            end = text.find('\n', at);
        else if (text.compare(at, 2, "/*") == 0)
            end = text.find("*/", at + 2) == std::string::npos ? std::string::npos : text.find("*/", at + 2) + 2;
        else
            end = at;
        if (end != at) {
            at = std::min(end, text.size()) - 1;
            made += ' ';
            continue;
        }
        is_line_start = text[at] == '\n' || (is_line_start && std::isspace(static_cast<unsigned char>(text[at])) != 0);
        if (text[at] == '}') --depth;
        made += depth > 0 ? ' ' : text[at];
        if (text[at] == '{') ++depth;
    }
    return made;
}

/// Whether the value is made of numbers and of the types that convert them.
bool is_made_of_numbers(const std::string& value) {
    static constexpr std::string_view types[] = {"vec",   "ivec", "uvec", "dvec",   "bvec", "mat",  "dmat",
                                                 "float", "int",  "uint", "double", "bool", "true", "false"};
    for (size_t at = 0; at < value.size();) {
        size_t end = at;
        while (end < value.size() && is_in_name(value[end])) ++end;
        std::string_view word = std::string_view(value).substr(at, end - at);
        at = std::max(end, at + 1);
        if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front())) != 0) continue;
        while (!word.empty() && (std::isdigit(static_cast<unsigned char>(word.back())) != 0 || word.back() == 'x'))
            word.remove_suffix(1);
        if (std::ranges::find(types, word) == std::end(types)) return false;
    }
    return true;
}

/// Throws Error for a global variable whose value is computed: that happens before main(), and so before the invocation
/// has another place.
void require_no_computed_globals(const std::string& text) {
    for (std::string statement : split_fields(global_text(text), ';')) {
        statement.erase(0, statement.rfind('}') + 1);  // functions before it
        for (size_t layout = 0; (layout = statement.find("layout", layout)) != std::string::npos;)
            statement.erase(layout, std::min(statement.find(')', layout), statement.size() - 1) + 1 - layout);
        const size_t equals = statement.find('=');
        if (equals == std::string::npos) continue;
        std::string before = " " + statement.substr(0, equals);
        std::ranges::replace_if(
            before, [](char c) { return !is_in_name(c); }, ' ');
        if (before.find(" const ") != std::string::npos || is_made_of_numbers(statement.substr(equals + 1))) continue;
        throw Error(
            fmt::format("the value of the global variable in \"{}\" may depend on the invocation, and is computed "
                        "before main() is called",
                        printable(statement.substr(statement.find_first_not_of(" \n\t")), 60)));
    }
}

size_t skip_space(const std::string& text, size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at;
}

/// Finds `layout(.. local_size ..) in;` wherever it is, and sets the size.
std::string with_local_size(const std::string& text, const std::array<uint32_t, 3>& size) {
    for (size_t at = 0; (at = text.find("layout", at)) != std::string::npos; ++at) {
        const size_t open = skip_space(text, at + 6);
        if (open >= text.size() || text[open] != '(') continue;
        const size_t close = text.find(')', open);
        if (close == std::string::npos) break;
        if (text.substr(open, close - open).find("local_size") == std::string::npos) continue;
        const size_t in = skip_space(text, close + 1), semicolon = skip_space(text, in + 2);
        if (text.compare(in, 2, "in") != 0 || semicolon >= text.size() || text[semicolon] != ';') continue;
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
    require_no_computed_globals(shader.text);
    std::string text = shader.text;
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

/// Finds `void NAME(..)`.
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
    std::string text = shader.text;
    const Function function = find_function(text, entry);
    std::vector<std::string> arguments;
    const std::string parameters = text.substr(function.first, function.last - function.first);
    if (skip_space(parameters, 0) < parameters.size())
        for (const std::string& parameter : split_fields(parameters)) arguments.push_back(argument_for(parameter));
    // From the end to the start, so that earlier places stay valid.
    text.replace(function.name, entry.size(), "tilewise_main");
    const size_t threads = text.rfind("[numthreads", function.name);
    const size_t bracket = threads == std::string::npos ? threads : text.find(']', threads);
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
        read_shader(shader.name, made, shader.language == ShaderLanguage::hlsl ? pass.entry : "", pass.defines);
    } catch (const Error& error) {
        throw Error(fmt::format("the text cannot be changed ({}); --spirv writes the rewritten SPIR-V", error.what()));
    }
    return made;
}

}  // namespace tilewise
