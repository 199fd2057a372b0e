// The examples in the comments of the installed headers, compiled and run as a user's program: "Example:", then lines
// that are indented by four more spaces. What they assert are addresses of another program's table, what the field
// defines, or that two functions undo one another.
#include "tests/builds/installed.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

using namespace tilewise;
namespace fs = std::filesystem;

namespace {

/// Each without what stands before its lines: `prefix`, " *" or "///".
std::vector<std::string> examples_in(const std::string& header, const std::string& prefix) {
    std::vector<std::string> examples;
    std::istringstream lines(header);
    bool within = false;
    for (std::string line; std::getline(lines, line);) {
        const size_t begin = line.find_first_not_of(' ');
        const std::string text = begin == line.npos ? "" : line.substr(prefix.starts_with(' ') ? 0 : begin);
        if (text == prefix + " Example:") {
            within = true;
            examples.emplace_back();
        } else if (within && text.starts_with(prefix + "     ")) {
            examples.back() += text.substr(prefix.size() + 1) + "\n";
        } else {
            within = false;
        }
    }
    return examples;
}

/// Functions that take no part of one another's names.
std::string as_functions(const std::vector<std::string>& examples, const std::string& parameters) {
    std::string code;
    for (size_t i = 0; i < examples.size(); i++)
        code += fmt::format("static void example_{}({}) {{\n{}}}\n", i, parameters, examples[i]);
    return code;
}

std::string calls_of(size_t count, const std::string& arguments) {
    std::string code;
    for (size_t i = 0; i < count; i++) code += fmt::format("    example_{}({});\n", i, arguments);
    return code;
}

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

/// The functions and constructors that a C++ header declares or defines, with the number of their overloads. Operators
/// are left out: they are called without their name.
std::map<std::string, size_t> functions_of(const std::string& header) {
    const std::regex comment("//[^\n]*"), members_own(R"(\nprivate:[^}]*\n\};)");
    std::string code = std::regex_replace(header, comment, "");
    code = std::regex_replace(code, members_own, "\n};");
    // "uint64_t rows_bytes(": a declaration begins a line, that of a member after four spaces, as statements do.
    const std::regex declared(
        R"(\n(?:    )?(?!(?:return|if|for|while|switch|throw)\b)(?:[A-Za-z][A-Za-z0-9_:<>,*& ]*[*& ])?)"
        R"((?!operator\b)([A-Za-z0-9_]+)\((?!\) = (?:default|delete)))");
    std::map<std::string, size_t> functions;
    for (std::sregex_iterator at(code.begin(), code.end(), declared), end; at != end; ++at) functions[(*at)[1]]++;
    return functions;
}

/// "solve(table)", or of a constructor "ElementFinder find(layout, extent)".
size_t calls_in(const std::vector<std::string>& examples, const std::string& name) {
    const std::regex call("\\b" + name + R"((?: [a-z_]+)?\()");
    size_t calls = 0;
    for (const std::string& example : examples)
        calls += static_cast<size_t>(
            std::distance(std::sregex_iterator(example.begin(), example.end(), call), std::sregex_iterator()));
    return calls;
}

/// What `layout --json` prints of the image of RX 6800, and `solve --json` of another program's table of it.
std::pair<std::string, std::string> image_and_layout() {
    const Folder folder;
    write_text(folder / "table.csv", layout_table("amd_gfx103-navi21_64KB-R-X_32bpp"));
    const Ended image = run(Command{"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=/nonexistent"} +
                            tilewise::tilewise({"--quiet", "layout", "--gpu", "RX 6800", "--format", "RGBA8",
                                                "--extent", "256x256", "--json"}));
    const Ended solved = run(tilewise::tilewise({"solve", folder / "table.csv", "--json"}));
    REQUIRE(image.code == 0);
    REQUIRE(solved.code == 0);
    return {nlohmann::json::parse(image.out).dump(), nlohmann::json::parse(solved.out).dump()};
}

void check_runs(const Command& compiler, const std::string& code, const std::string& name) {
    const Folder folder;
    write_text(folder / name, code);
    Command command = compiler;
    const std::string lib = installed() + "/lib";
    command = command + Command{folder / name, "-o", folder / "examples", "-I" + installed() + "/include",
                                "-I" + installed() + "/include/tilewise"};
    if (name.ends_with(".c"))
        command = command + Command{"-L" + lib, "-Wl,-rpath," + lib, "-ltilewise"};
    else
        command = command + Command{lib + "/libtilewise_patterns.a", "-lfmt"};
#if defined(__SANITIZE_THREAD__)
    command.push_back("-fsanitize=thread");
#elif defined(__SANITIZE_ADDRESS__)
    command.push_back("-fsanitize=address,undefined");
#endif
    const Ended compiled = run(command);
    REQUIRE_MESSAGE(compiled.code == 0, compiled.err);
    const Ended ended = run({folder / "examples"});
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
}

}  // namespace

TEST_CASE("each C function has an example, and what it asserts holds") {
    const std::string header = read_text(installed() + "/include/tilewise/patterns/c_api.h");
    const std::vector<std::string> examples = examples_in(header, " *");
    std::string all;
    for (const std::string& example : examples) all += example;
    // "tilewise_result tilewise_tile(": a declaration begins a line.
    const std::regex declared(R"((?:^|\n)[a-z][a-z_ *]*[ *](tilewise_[a-z_]+)\()");
    std::set<std::string> functions;
    for (std::sregex_iterator at(header.begin(), header.end(), declared), end; at != end; ++at)
        functions.insert((*at)[1]);
    CHECK(functions.size() == 24);
    for (const std::string& function : functions) {
        CAPTURE(function);
        CHECK(all.find(function + "(") != std::string::npos);
    }
    const auto [image, solved] = image_and_layout();
    check_runs(
        {"cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-UNDEBUG"},
        "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <tilewise/patterns/c_api.h>\n" +
            as_functions(examples,
                         "const tilewise_image* image, const tilewise_layout* layout, const char* text, "
                         "const char* solved") +
            fmt::format("int main(void) {{\n    const char *text = {}, *solved = {};\n    uint32_t extent[3];\n"
                        "    tilewise_image* image = tilewise_image_from_json(text, strlen(text));\n"
                        "    tilewise_layout* layout = tilewise_image_layout(image, TILEWISE_COLOR, 0, 0, extent);\n",
                        quoted(image), quoted(solved)) +
            calls_of(examples.size(), "image, layout, text, solved") +
            "    tilewise_layout_free(layout);\n    tilewise_image_free(image);\n    return 0;\n}\n",
        "examples.c");
}

TEST_CASE("each function of the C++ library has an example, and what it asserts holds") {
    const fs::path folder = installed() + "/include/tilewise";
    std::vector<std::string> examples;
    std::string includes;
    size_t functions = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file() || entry.path().filename() == "c_api.h") continue;
        const std::string header = read_text(entry.path());
        const std::vector<std::string> found = examples_in(header, "///");
        CAPTURE(entry.path().string());
        for (const auto& [name, count] : functions_of(header)) {
            CAPTURE(name);
            // An overload is called, too.
            CHECK(calls_in(found, name) >= count);
            functions += count;
        }
        examples.insert(examples.end(), found.begin(), found.end());
        includes += fmt::format("#include <tilewise/{}>\n", fs::relative(entry.path(), folder).string());
    }
    // The pattern of functions_of() finds them.
    CHECK(functions >= 149);
    const auto [image, solved] = image_and_layout();
    check_runs({"c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-UNDEBUG"},
               "#include <cassert>\n#include <sstream>\n#include <string>\n" + includes +
                   "using namespace tilewise;\n" +
                   as_functions(examples,
                                "const ImageLayout& image, const Layout& layout, const std::string& text, "
                                "const std::string& solved") +
                   fmt::format("int main() {{\n    const std::string text = {}, solved = {};\n"
                               "    const ImageLayout image = image_layout_from_json(nlohmann::json::parse(text));\n"
                               "    const Layout layout = image.subresources.front().layout;\n",
                               quoted(image), quoted(solved)) +
                   calls_of(examples.size(), "image, layout, text, solved") + "}\n",
               "examples.cpp");
}
