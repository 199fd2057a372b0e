// docs/operations.md says what a compiler counts.
#include "tests/docs/examples.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>

using namespace tilewise;

TEST_CASE("the tables of docs/operations.md are what tilewise_bench_operations prints: some rows, and all by hand") {
    if (run({"glslc", "--version"}).code != 0) {
        MESSAGE("SKIPPED: no glslc");
        return;
    }
    std::vector<std::string> expected;
    Command command = {std::filesystem::path(program_path()).parent_path() / "tilewise_bench_operations"};
    const size_t one_in = soaking() ? 1 : 40;
    size_t patterns = 0;
    for (const std::string& line : lines_of(read_text(source_dir() + "/docs/operations.md"))) {
        const bool is_pattern = line.starts_with("| ") && line.find_first_not_of("0123456789abcdef", 2) == 18;
        if (is_pattern && patterns++ % one_in != 0) continue;
        if (line.starts_with("|")) expected.push_back(line);
        if (is_pattern) command.push_back(line.substr(2, 16));
    }
    REQUIRE(patterns > 100);
    const Ended ended = run(command);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    std::vector<std::string> printed = lines_of(ended.out);
    std::erase(printed, "");
    CHECK(fmt::format("{}", fmt::join(printed, "\n")) == fmt::format("{}", fmt::join(expected, "\n")));
}
