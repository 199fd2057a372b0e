// The documentation says what the program does: every code block of every page is run, or compared with what it quotes.
#include "db/sqlite/open.h"
#include "patterns/model/error.h"
#include "tests/docs/examples.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

using namespace tilewise;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> pages() {
    std::vector<std::string> found;
    const fs::path source = source_dir();
    for (auto entry = fs::recursive_directory_iterator(source); entry != fs::recursive_directory_iterator(); ++entry) {
        const std::string name = entry->path().filename();
        if (entry->is_directory() && (name == "build" || name.starts_with('.'))) entry.disable_recursion_pending();
        if (name.ends_with(".md")) found.push_back(fs::relative(entry->path(), source));
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// A reader's machine: Debian's own lavapipe, a home with a database that has only the catalog, programs of the page's
/// own in bin, and the source tree.
class Shell {
public:
    Shell() {
        for (const auto& entry : fs::directory_iterator(source_dir()))
            if (const std::string name = entry.path().filename(); !name.starts_with('.'))
                fs::create_symlink(entry.path(), home_ / name);
        db::open_database(home_ / ".data/tilewise/tilewise.db", db::Access::read_write);
    }

    Ended bash(const std::string& command) const {
        const std::string home = home_.path;
        return run(
            {source_dir() + "/tools/with-driver", "system", "--", "env", "-u", "TILEWISE_DB", "HOME=" + home,
             "XDG_DATA_HOME=" + home + "/.data", "XDG_CACHE_HOME=" + home + "/.cache",
             "PATH=" + fs::path(program_path()).parent_path().string() + ":" + home + "/bin:" + std::getenv("PATH"),
             "bash", "-c", fmt::format("cd {} && exec 2>&1\n{}", home, command)});
    }

    void write(const std::string& name, const std::vector<std::string>& lines) const {
        write_text(home_ / name, fmt::format("{}\n", fmt::join(lines, "\n")));
    }

private:
    Folder home_;
};

using BlockCounts = std::map<BlockKind, size_t>;

void check_console(const Block& block, const Shell& shell) {
    for (const Example& example : examples_of(block)) {
        CAPTURE(example.command);
        const Ended ended = shell.bash(example.command);
        const bool complains =
            std::ranges::any_of(example.output, [](const std::string& line) { return line.starts_with("tilewise: "); });
        CHECK((ended.code != 0) == complains);
        const bool same = stands_for(example.output, lines_of(ended.out), block.figures_vary);
        CHECK_MESSAGE(same, "it printed:\n" << ended.out);
    }
}

bool uses(const std::vector<Block>& blocks, const std::string& program) {
    return std::ranges::any_of(blocks, [&](const Block& block) {
        return block.kind == BlockKind::console && std::ranges::any_of(block.lines, [&](const std::string& line) {
                   return line.find(program) != std::string::npos;
               });
    });
}

/// What a page needs that is not on every machine; "" where it is here.
std::string what_is_missing(const std::vector<Block>& blocks) {
    if (uses(blocks, "tools/with-driver") && !fs::exists(source_dir() + "/build/drivers/.contents"))
        return "the drivers of tools/drivers";
    if (uses(blocks, "$ parallel ") && run({"sh", "-c", "command -v parallel"}).code != 0)
        return "GNU parallel (Debian: parallel)";
    if (uses(blocks, "PYTHONPATH=") && run({"/usr/bin/python3", "-c", "import numpy"}).code != 0)
        return "numpy (Debian: python3-numpy)";
    return {};
}

void check_block(const Block& block, const Shell& shell) {
    for (const std::string& command : block.before) {
        const Ended ended = shell.bash(command);
        CHECK_MESSAGE(ended.code == 0, command << ": " << ended.out);
    }
    switch (block.kind) {
        case BlockKind::console:
            return check_console(block, shell);
        case BlockKind::file:
            return shell.write(block.subject, block.lines);
        case BlockKind::quoted: {
            const std::string file = read_text(source_dir() + "/" + block.subject);
            REQUIRE(!file.empty());
            CHECK_MESSAGE(is_quoted(block.lines, file), block.subject << " has other lines");
            return;
        }
        case BlockKind::recorded_in: {
            const auto records = nlohmann::json::parse(read_text(source_dir() + "/" + block.subject));
            CHECK(unrecorded_line(block.lines, records) == "");
            return;
        }
        case BlockKind::recorded_on:
        case BlockKind::not_run:
            return;
    }
}

}  // namespace

TEST_CASE("every code block of every page is run, or compared with what it quotes, or says why not") {
    BlockCounts counts;
    size_t commands = 0;
    for (const std::string& page : pages()) {
        CAPTURE(page);
        const std::vector<Block> blocks = blocks_of(read_text(source_dir() + "/" + page));
        if (blocks.empty()) continue;
        if (const std::string missing = what_is_missing(blocks); !missing.empty()) {
            MESSAGE("SKIPPED: " << page << " needs " << missing);
            continue;
        }
        const Shell shell;
        for (const Block& block : blocks) {
            CAPTURE(block.line);
            check_block(block, shell);
            counts[block.kind]++;
            if (block.kind == BlockKind::console) commands += examples_of(block).size();
        }
    }
    MESSAGE(
        fmt::format("{} commands in {} blocks run and compared, {} files, {} quoted, {} recorded in files, {} recorded "
                    "on hardware, {} not run",
                    commands, counts[BlockKind::console], counts[BlockKind::file], counts[BlockKind::quoted],
                    counts[BlockKind::recorded_in], counts[BlockKind::recorded_on], counts[BlockKind::not_run]));
    CHECK(commands >= 20);
}

TEST_CASE("shown lines stand for the printed ones, line by line") {
    CHECK(stands_for({"a", "b"}, {"a", "b"}, false));
    CHECK(stands_for({"a", "b  ", ""}, {"a", "b"}, false));
    CHECK_FALSE(stands_for({"a"}, {"a", "b"}, false));
    CHECK_FALSE(stands_for({"a", "b"}, {"a"}, false));
    CHECK_FALSE(stands_for({"a", "b"}, {"a", "c"}, false));
    CHECK_FALSE(stands_for({}, {"a"}, false));
}

TEST_CASE("three dots stand for one or more lines, or for a part of a line") {
    CHECK(stands_for({"a", "...", "d"}, {"a", "b", "c", "d"}, false));
    CHECK_FALSE(stands_for({"a", "...", "b"}, {"a", "b"}, false));
    CHECK_FALSE(stands_for({"a", "...", "d"}, {"a", "b", "c"}, false));
    CHECK(stands_for({"  ..."}, {"a", "b"}, false));
    CHECK(stands_for({"at ... of 7, ..."}, {"at 3 of 7, twice"}, false));
    CHECK_FALSE(stands_for({"at ... of 7"}, {"at 3 of 8"}, false));
}

TEST_CASE("figures vary where the mark says so, words and shapes do not") {
    CHECK(stands_for({"row  16x16  1.25 (1.2..1.3)"}, {"row  16x16  13.375 (9..14.0)"}, true));
    CHECK_FALSE(stands_for({"row  16x16  1.25"}, {"row  16x16  1.5"}, false));
    CHECK_FALSE(stands_for({"row  16x16  1.25"}, {"row  8x32  1.25"}, true));
    CHECK_FALSE(stands_for({"row  16x16  1.25"}, {"morton  16x16  1.25"}, true));
    CHECK_FALSE(stands_for({"R8G8_UNORM 1"}, {"R16G16_UNORM 1"}, true));
}

TEST_CASE("a quotation is in the file, paragraph by paragraph") {
    const std::string file = "int main() {\n    f();\n    g();\n}\n";
    CHECK(is_quoted({"f();", "g();"}, file));
    CHECK(is_quoted({"int main() {", "", "g();"}, file));
    CHECK_FALSE(is_quoted({"g();", "f();"}, file));
    CHECK_FALSE(is_quoted({"f();", "", "h();"}, file));
}

TEST_CASE("a recorded line is one record: all its figures, rounded, and all its words") {
    const auto json = nlohmann::json::parse(R"({"runs":[
        {"order":"row","shape":[16,16],"ms":9.31654,"interval":[9.3,9.32]},
        {"order":"learned","shape":[2,128],"ms":4.699,"interval":[4.695,4.701]}]})");
    CHECK(unrecorded_line({"box", "row  16x16  9.317  9.300..9.320", "learned  2x128  4.70"}, json).empty());
    CHECK(unrecorded_line({"row  16x16  9.318"}, json) == "row  16x16  9.318");
    CHECK(unrecorded_line({"row  16x16  9.317  4.695"}, json) == "row  16x16  9.317  4.695");
    CHECK(unrecorded_line({"learned  16x16  9.317"}, json) == "learned  16x16  9.317");
}

TEST_CASE("no block escapes: what is neither run nor marked is refused, with its line") {
    CHECK_THROWS_WITH_AS(blocks_of("a\n\n    $ tilewise\n"),
                         "line 3: an indented line reads as a code block: fence it with ```", Error);
    CHECK_THROWS_WITH_AS(blocks_of("```\n$ tilewise\n```\n"),
                         "line 1: a code block names its language: ```console, ```glsl, ```text", Error);
    CHECK_THROWS_AS(blocks_of("```glsl\nvoid f();\n```\n"), Error);
    CHECK_THROWS_AS(blocks_of("```console\n$ tilewise\n"), Error);
    CHECK_THROWS_AS(blocks_of("<!-- example: not run -->\n```sh\nx\n```\n"), Error);
    CHECK_THROWS_AS(blocks_of("<!-- example: ignored: why -->\n```sh\nx\n```\n"), Error);
    CHECK_THROWS_AS(blocks_of("<!-- example: not run: why -->\nprose\n```sh\nx\n```\n"), Error);
    CHECK_THROWS_AS(blocks_of("<!-- example: file: a -->\n<!-- example: not run: why -->\n```sh\nx\n```\n"), Error);
    CHECK_THROWS_AS(examples_of(blocks_of("```console\noutput\n```\n").front()), Error);
}

TEST_CASE("a block has the commands, the marks and the place that the page gives it") {
    const std::vector<Block> blocks = blocks_of(
        "# Page\n\n<!-- example: before: true -->\n<!-- example: figures vary -->\n```console\n$ a \\\n  b\n1\n$ "
        "c\n```\n"
        "<!-- example: file: x.csv -->\n```text\nx,y\n```\n");
    REQUIRE(blocks.size() == 2);
    CHECK(blocks[0].line == 5);
    CHECK(blocks[0].figures_vary);
    CHECK(blocks[0].before == std::vector<std::string>{"true"});
    const std::vector<Example> examples = examples_of(blocks[0]);
    REQUIRE(examples.size() == 2);
    CHECK(examples[0].command == "a \\\n  b");
    CHECK(examples[0].output == std::vector<std::string>{"1"});
    CHECK(examples[1].command == "c");
    CHECK(blocks[1].kind == BlockKind::file);
    CHECK(blocks[1].subject == "x.csv");
    CHECK(!blocks[1].figures_vary);
}

TEST_CASE("every link of every page to a file leads somewhere") {
    size_t count = 0;
    for (const std::string& page : pages())
        for (const std::string& link : file_links(read_text(source_dir() + "/" + page))) {
            CAPTURE(page);
            CAPTURE(link);
            CHECK(fs::exists(fs::path(source_dir()) / fs::path(page).parent_path() / link));
            count++;
        }
    CHECK(count >= 20);
    CHECK(file_links("[a](b.md#c) ![d](e/f.svg) [g](https://h) [i](#j) x(k)") ==
          std::vector<std::string>{"b.md", "e/f.svg"});
}

TEST_CASE("the book's contents name every page of docs, and each chapter leads to the next") {
    const fs::path docs = source_dir() + "/docs";
    const std::string contents = read_text(docs / "README.md");
    const std::vector<std::string> named = file_links(contents);
    for (const std::string& page : pages()) {
        const std::string name = fs::path(page).lexically_relative("docs");
        if (!page.starts_with("docs/") || name == "README.md") continue;
        CAPTURE(page);
        CHECK(std::ranges::count(named, name) > 0);
    }
    const std::vector<std::string> chapters =
        file_links(contents.substr(0, contents.find("## Appendices")).substr(contents.find("## Chapters")));
    std::vector<std::string> order;
    for (const std::string& chapter : chapters)
        if (!chapter.starts_with("results/nvidia")) order.push_back(chapter);
    CHECK(order.size() == 11);
    for (size_t i = 0; i + 1 < order.size(); i++) {
        CAPTURE(order[i]);
        const std::string next = fs::path(order[i + 1]).lexically_relative(fs::path(order[i]).parent_path());
        const std::string text = read_text(docs / order[i]);
        CHECK(text.substr(text.rfind("\n\n")).find("(" + next + ")") != text.npos);
    }
}

TEST_CASE("every path that a page names is there, or is a test") {
    size_t count = 0;
    const std::string tests = read_text(source_dir() + "/tests/CMakeLists.txt");
    for (const std::string& page : pages())
        for (const std::string& path : named_paths(read_text(source_dir() + "/" + page))) {
            CAPTURE(page);
            CAPTURE(path);
            CHECK((fs::exists(fs::path(source_dir()) / path) || tests.find("    " + path + "\n") != std::string::npos ||
                   tests.find("NAME " + path + " ") != std::string::npos));
            count++;
        }
    CHECK(count >= 20);
    CHECK(named_paths("`db/facts/` `tools/run` `tools/with-driver system` db/x `kernels/NAME/` `prove/*`") ==
          std::vector<std::string>{"db/facts/", "tools/run", "tools/with-driver"});
}
