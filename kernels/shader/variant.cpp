#include "kernels/shader/variant.h"
#include "kernels/shader/confined.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "system/files.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <shaderc/shaderc.hpp>

namespace tilewise::kernels {

using Json = nlohmann::json;

std::string_view shader_text(std::string_view name) {
    const auto texts = shader_texts();
    const auto found = std::ranges::find(texts, name, &ShaderText::name);
    if (found == texts.end()) throw Error(fmt::format("no shader {} in this program", name));
    return found->text;
}

namespace {

constexpr std::string_view filter_include = "filter.glsl";

/// The text for `#include "NAME"`: one of our own texts, or the variant's filter.
std::optional<std::string_view> included(const Variant& variant, std::string_view name) {
    if (name == filter_include && !variant.filter_text.empty()) return variant.filter_text;
    const auto texts = shader_texts();
    const auto found = std::ranges::find(texts, name, &ShaderText::name);
    return found == texts.end() ? std::optional<std::string_view>() : found->text;
}

class Includer : public shaderc::CompileOptions::IncluderInterface {
public:
    shaderc_include_result* GetInclude(const char* requested, shaderc_include_type, const char* from, size_t) final {
        auto found = std::make_unique<Found>(find(requested, from));
        found->result = {found->name.data(), found->name.size(), found->text.data(), found->text.size(), found.get()};
        return &found.release()->result;
    }
    void ReleaseInclude(shaderc_include_result* result) final {
        const std::unique_ptr<Found> found(static_cast<Found*>(result->user_data));
    }

protected:
    /// If the name is empty, the text is the error message.
    struct Found {
        std::string name, text;
        shaderc_include_result result = {};
    };
    virtual Found find(const std::string& requested, const std::string& from) const = 0;
};

/// Includes this program's own texts, and a variant's filter.
class OwnIncluder final : public Includer {
public:
    explicit OwnIncluder(const Variant& variant) : variant_(variant) {}

private:
    Found find(const std::string& requested, const std::string&) const override {
        const auto text = included(variant_, requested);
        if (!text) return {"", fmt::format("a shader can include those of this program only, not {}", requested)};
        const bool is_filter = requested == filter_include && !variant_.filter_name.empty();
        return {is_filter ? variant_.filter_name : requested, std::string(*text)};
    }

    const Variant& variant_;
};

shaderc_shader_kind kind_of(const std::string& source) {
    if (source.ends_with(".vert")) return shaderc_vertex_shader;
    if (source.ends_with(".frag")) return shaderc_fragment_shader;
    return shaderc_compute_shader;
}

}  // namespace

std::vector<std::string_view> sources_of(const Variant& variant) {
    std::vector<std::string_view> texts = {shader_text(variant.source)}, names;
    for (size_t i = 0; i < texts.size(); ++i) {
        constexpr std::string_view directive = "#include \"";
        const std::string_view text = texts[i];
        for (size_t at = text.find(directive); at != text.npos; at = text.find(directive, at)) {
            at += directive.size();
            const std::string_view name = text.substr(at, text.find('"', at) - at);
            if (std::ranges::find(names, name) != names.end()) continue;
            names.push_back(name);
            if (const auto found = included(variant, name)) texts.push_back(*found);
        }
    }
    return texts;
}

namespace {

/// The name in `#include "NAME"`; none for any other line.
std::optional<std::string_view> included_name(std::string_view line) {
    constexpr std::string_view directive = "#include \"";
    if (!line.starts_with(directive)) return std::nullopt;
    line.remove_prefix(directive.size());
    return line.substr(0, line.find('"'));
}

/// Lines that a text without includes does not need.
bool is_about_includes(std::string_view line) {
    return line.starts_with("#version") || line.starts_with("#extension GL_GOOGLE_include_directive");
}

void append_whole(std::string& to, std::string_view text, const Variant& variant,
                  const std::map<std::string, std::string>& instead) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (const std::string& line : split_fields(text, '\n')) {
        if (is_about_includes(line)) continue;
        const auto name = included_name(line);
        const auto other = name ? instead.find(std::string(*name)) : instead.end();
        const auto found = other != instead.end() ? std::optional<std::string_view>(other->second)
                           : name                 ? included(variant, *name)
                                                  : std::nullopt;
        if (found)
            append_whole(to, *found, variant, instead);
        else
            to += line + "\n";
    }
}

std::string define_lines(const std::vector<std::pair<std::string, std::string>>& defines) {
    std::string text;
    for (const auto& [name, value] : defines)
        text += fmt::format("#define {}{}{}\n", name, value.empty() ? "" : " ", value);
    return text;
}

}  // namespace

std::string whole_text(std::span<const Variant> passes, const std::map<std::string, std::string>& instead) {
    const Variant& first = passes.front();
    std::vector<std::vector<std::pair<std::string, std::string>>> own;
    const auto is_common = [&](const std::pair<std::string, std::string>& define) {
        return std::ranges::all_of(
            passes, [&](const Variant& pass) { return std::ranges::find(pass.defines, define) != pass.defines.end(); });
    };
    for (const Variant& pass : passes) {
        own.push_back(pass.defines);
        std::erase_if(own.back(), is_common);
    }
    auto common = first.defines;
    std::erase_if(common, [&](const auto& define) { return !is_common(define); });
    std::string text = define_lines(common);
    if (passes.size() > 1) {
        for (size_t i = 0; i < passes.size(); ++i)
            text += fmt::format("#{} PASS == {}\n{}", i == 0 ? "if" : "elif", i + 1, define_lines(own[i]));
        text += fmt::format("#else\n#error \"define PASS as 1 to {}\"\n#endif\n", passes.size());
    }
    append_whole(text, shader_text(first.source), first, instead);
    return text;
}

std::string_view compiler_version() { return TILEWISE_SHADER_COMPILER ", vulkan 1.1"; }

namespace {

shaderc::CompileOptions vulkan_1_1() {
    shaderc::CompileOptions options;
    options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_1);
    return options;
}

std::vector<uint32_t> compile_here(const shaderc::Compiler& compiler, const Variant& variant) {
    shaderc::CompileOptions options = vulkan_1_1();
    if (variant.optimize) options.SetOptimizationLevel(shaderc_optimization_level_performance);
    options.SetIncluder(std::make_unique<OwnIncluder>(variant));
    for (const auto& [name, value] : variant.defines) options.AddMacroDefinition(name, value);
    const std::string text(shader_text(variant.source));
    const shaderc::SpvCompilationResult result =
        compiler.CompileGlslToSpv(text, kind_of(variant.source), variant.source.c_str(), options);
    if (result.GetCompilationStatus() == shaderc_compilation_status_internal_error)
        throw Error(fmt::format("{}: is too much for the compiler of shaders",
                                variant.filter_name.empty() ? variant.source : variant.filter_name));
    if (result.GetCompilationStatus() != shaderc_compilation_status_success) {
        const std::string message = result.GetErrorMessage();
        const std::string first = message.substr(0, message.find('\n'));
        // One of our own lines with which the filter does not fit.
        if (!variant.filter_name.empty() && !first.starts_with(variant.filter_name))
            throw Error(
                fmt::format("{}: a hook is missing or is not as docs/adding.md says: {}", variant.filter_name, first));
        throw Error(first);
    }
    return {result.begin(), result.end()};
}

/// A text from whole_text(), and the target that it is compiled for.
struct Translation {
    std::string text;
    size_t pass = 0;
    std::string filter_name;
};

std::vector<uint32_t> compile_here(const shaderc::Compiler& compiler, const Translation& translation) {
    shaderc::CompileOptions options = vulkan_1_1();
    options.SetGenerateDebugInfo();
    options.AddMacroDefinition("PASS", std::to_string(translation.pass));
    const std::string name = translation.filter_name.empty() ? "kernel" : translation.filter_name;
    const shaderc::SpvCompilationResult result =
        compiler.CompileGlslToSpv(translation.text, shaderc_compute_shader, name.c_str(), options);
    if (result.GetCompilationStatus() != shaderc_compilation_status_success) {
        const std::string message = result.GetErrorMessage();
        throw Error(message.substr(0, message.find('\n')));
    }
    return {result.begin(), result.end()};
}

void to_json(Json& json, const Translation& translation) {
    json = {{"text", translation.text}, {"pass", translation.pass}, {"filter_name", translation.filter_name}};
}
void from_json(const Json& json, Translation& translation) {
    json.at("text").get_to(translation.text);
    json.at("pass").get_to(translation.pass);
    json.at("filter_name").get_to(translation.filter_name);
}

std::filesystem::path path_beside(const std::string& from, const std::string& requested) {
    return system::path_of(from).parent_path() / system::path_of(requested);
}

constexpr uintmax_t most_included_bytes = uintmax_t{64} << 20;

/// None if there is no such file, or if it is too large to be a shader's. A pipe is not opened: that might never return.
std::optional<std::string> text_of_file(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
    if (std::filesystem::file_size(path, error) > most_included_bytes || error) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Includes files from the folder of the including file.
class FileIncluder final : public Includer {
    Found find(const std::string& requested, const std::string& from) const override {
        const std::filesystem::path path = path_beside(from, requested);
        const std::optional<std::string> text = text_of_file(path);
        if (!text) return {"", fmt::format("there is no file {}", system::text_of(path))};
        return {system::text_of(path), *text};
    }
};

/// The name in a line such as `  # include <NAME>`; empty for any other line.
std::string name_in_include(std::string_view line) {
    const auto skip = [&](std::string_view word) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (!line.starts_with(word)) return false;
        line.remove_prefix(word.size());
        return true;
    };
    if (!skip("#") || !skip("include") || (!skip("\"") && !skip("<"))) return "";
    return std::string(line.substr(0, std::min(line.find_first_of("\">"), line.size())));
}

/// The text so far, and how many files it has included: guards against including a file twice are not read, so that
/// both are bounded.
struct WholeText {
    std::string text;
    unsigned files = 0;

    void append(const std::string& name, const std::string& part) {
        constexpr unsigned most_files = 1000;
        if (files > most_files || text.size() + part.size() > most_included_bytes)
            throw Error(fmt::format("{}: includes too many files, or too much", name));
        const std::string_view lines = std::string_view(part).substr(0, part.size() - (part.ends_with('\n') ? 1 : 0));
        for (const std::string& line : split_fields(lines, '\n')) {
            const std::string requested = name_in_include(line);
            const std::filesystem::path path = path_beside(name, requested);
            const std::optional<std::string> included = requested.empty() ? std::nullopt : text_of_file(path);
            if (included) {
                files++;
                append(system::text_of(path), *included);
            } else {
                text += line + "\n";
            }
        }
    }
};

/// A complete foreign shader.
struct ForeignShader {
    std::string name, text, entry;
    std::vector<std::pair<std::string, std::string>> defines;
};

std::vector<uint32_t> compile_here(const shaderc::Compiler& compiler, const ForeignShader& shader) {
    const std::string& name = shader.name;
    shaderc::CompileOptions options = vulkan_1_1();
    options.SetIncluder(std::make_unique<FileIncluder>());
    for (const auto& [macro, value] : shader.defines) options.AddMacroDefinition(macro, value);
    if (name.ends_with(".hlsl")) {
        options.SetSourceLanguage(shaderc_source_language_hlsl);
        options.SetAutoBindUniforms(true);
        constexpr uint32_t apart = 64;
        options.SetBindingBase(shaderc_uniform_kind_buffer, 0);
        options.SetBindingBase(shaderc_uniform_kind_sampler, apart);
        options.SetBindingBase(shaderc_uniform_kind_texture, 2 * apart);
        options.SetBindingBase(shaderc_uniform_kind_image, 3 * apart);
        options.SetBindingBase(shaderc_uniform_kind_unordered_access_view, 3 * apart);
        options.SetBindingBase(shaderc_uniform_kind_storage_buffer, 4 * apart);
    }
    const shaderc::SpvCompilationResult result = compiler.CompileGlslToSpv(
        shader.text.data(), shader.text.size(), shaderc_compute_shader, name.c_str(), shader.entry.c_str(), options);
    if (result.GetCompilationStatus() == shaderc_compilation_status_internal_error)
        throw Error(fmt::format("{}: is too much for the compiler of shaders", name));
    if (result.GetCompilationStatus() != shaderc_compilation_status_success) {
        const std::string message = result.GetErrorMessage();
        if (message.find("Entry point not found") != std::string::npos)
            throw Error(fmt::format("{}: has no entry point {}; --entry names another", name, printable(shader.entry)));
        // Warnings may come before it.
        const std::vector<std::string> lines = split_fields(message, '\n');
        const auto first = std::ranges::find_if(
            lines, [](const std::string& line) { return line.find(" error:") != std::string::npos; });
        throw Error(first == lines.end() ? lines.front() : *first);
    }
    return {result.begin(), result.end()};
}

void to_json(Json& json, const ForeignShader& shader) {
    json = {{"name", shader.name}, {"text", shader.text}, {"entry", shader.entry}, {"defines", shader.defines}};
}
void from_json(const Json& json, ForeignShader& shader) {
    json.at("name").get_to(shader.name);
    json.at("text").get_to(shader.text);
    json.at("entry").get_to(shader.entry);
    json.at("defines").get_to(shader.defines);
}

}  // namespace

void to_json(Json& json, const Variant& variant) {
    json = {{"source", variant.source},
            {"defines", variant.defines},
            {"filter_name", variant.filter_name},
            {"filter_text", variant.filter_text},
            {"optimize", variant.optimize}};
}
void from_json(const Json& json, Variant& variant) {
    json.at("source").get_to(variant.source);
    json.at("defines").get_to(variant.defines);
    json.at("filter_name").get_to(variant.filter_name);
    json.at("filter_text").get_to(variant.filter_text);
    json.at("optimize").get_to(variant.optimize);
}

namespace {

template <typename Task>
constexpr const char* kind_name = "shader";
template <>
constexpr const char* kind_name<Variant> = "variant";
template <>
constexpr const char* kind_name<Translation> = "translation";

template <typename Task>
const std::string& subject_of(const Task& task) {
    return task.filter_name;
}
const std::string& subject_of(const ForeignShader& shader) { return shader.name; }

/// Binary, not text: foreign input need not be UTF-8.
template <typename Task>
std::vector<uint32_t> compile_confined(const Task& task) {
    std::string message;
    Json::to_cbor(Json{{kind_name<Task>, task}}, message);
    const std::string bytes = run_confined(compile_role, subject_of(task), message);
    std::vector<uint32_t> spirv(bytes.size() / sizeof(uint32_t));
    std::memcpy(spirv.data(), bytes.data(), spirv.size() * sizeof(uint32_t));
    return spirv;
}

std::string compile_task(std::string_view message) {
    const Json task = Json::from_cbor(message);
    const shaderc::Compiler compiler;
    const auto variant = task.find(kind_name<Variant>), translation = task.find(kind_name<Translation>);
    const std::vector<uint32_t> spirv =
        variant != task.end()       ? compile_here(compiler, variant->get<Variant>())
        : translation != task.end() ? compile_here(compiler, translation->get<Translation>())
                                    : compile_here(compiler, task.at(kind_name<ForeignShader>).get<ForeignShader>());
    return {reinterpret_cast<const char*>(spirv.data()), spirv.size() * sizeof(uint32_t)};
}

}  // namespace

int compile_for_program(probe::worker::Playing& playing) { return answer_task(playing, compile_task); }

/// Our own texts are known to be harmless.
bool is_foreign(const Variant& variant) {
    return !variant.filter_text.empty() &&
           std::ranges::find(shader_texts(), variant.filter_text, &ShaderText::text) == shader_texts().end();
}

std::vector<uint32_t> compile(const Variant& variant) {
    // Creating a compiler costs as much as compiling a small shader.
    static const shaderc::Compiler compiler;
    return is_foreign(variant) ? compile_confined(variant) : compile_here(compiler, variant);
}

std::vector<uint32_t> compile_for_translation(const std::string& text, size_t pass, const std::string& filter_name) {
    const Translation translation = {text, pass, filter_name};
    return filter_name.empty() ? compile_here(shaderc::Compiler(), translation) : compile_confined(translation);
}

std::vector<uint32_t> compile_foreign(const std::string& name, const std::string& text, const std::string& entry,
                                      const std::vector<std::pair<std::string, std::string>>& defines) {
    return compile_confined(ForeignShader{name, text, entry, defines});
}

std::string with_includes(const std::string& name, const std::string& text) {
    WholeText whole;
    whole.append(name, text);
    if (!text.ends_with('\n')) whole.text.pop_back();
    return whole.text;
}

std::vector<uint32_t> compile_emitted(const std::string& name, const std::string& text, const EmittedPass& pass) {
    shaderc::CompileOptions options = vulkan_1_1();
    if (pass.optimize) options.SetOptimizationLevel(shaderc_optimization_level_performance);
    if (const size_t equals = pass.definition.find('='); equals != std::string::npos)
        options.AddMacroDefinition(pass.definition.substr(0, equals), pass.definition.substr(equals + 1));
    if (name.ends_with(".hlsl")) options.SetSourceLanguage(shaderc_source_language_hlsl);
    const shaderc::SpvCompilationResult result = shaderc::Compiler().CompileGlslToSpv(
        text.data(), text.size(), shaderc_compute_shader, name.c_str(), pass.entry.c_str(), options);
    if (result.GetCompilationStatus() != shaderc_compilation_status_success) throw Error(result.GetErrorMessage());
    return {result.begin(), result.end()};
}

}  // namespace tilewise::kernels
