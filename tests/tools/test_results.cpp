// tools/results: the pages of docs/results, and their appendices, say what the raw results beside them say.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace tilewise;
namespace fs = std::filesystem;

namespace {

const fs::path pages = source_dir() + "/docs/results";

bool has_python() {
    const bool there = run({"python3", "--version"}).code == 0;
    if (!there) MESSAGE("SKIPPED: tools/results needs python3");
    return there;
}

Ended make_tables(const fs::path& folder) { return run({"python3", source_dir() + "/tools/results", folder}); }

}  // namespace

TEST_CASE("every page of results is what tools/results makes of its raw results") {
    if (!has_python()) return;
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(pages)) {
        if (!entry.is_directory() || entry.path().filename() == "plots") continue;
        const Folder folder;
        const std::string name = entry.path().filename();
        CAPTURE(name);
        fs::copy(entry.path(), folder / name);
        for (const char* end : {".md", "-tried.md"}) fs::copy(pages / (name + end), folder / (name + end));
        const Ended ended = make_tables(folder / name);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        for (const char* end : {".md", "-tried.md"}) {
            const bool same = read_text(folder / (name + end)) == read_text(pages / (name + end));
            CHECK_MESSAGE(same, "run tools/results docs/results/" << name);
        }
        ++count;
    }
    CHECK(count >= 2);
}

TEST_CASE("tables follow the raw results, and a folder without a page gets one") {
    if (!has_python()) return;
    const Folder folder;
    fs::copy(pages / "nvidia-h100", folder / "card");
    auto tournaments = nlohmann::json::parse(read_text(folder / "card/tune.json"));
    auto& first = tournaments[0];
    first["best_over_derived"] = 1.5;
    write_text(folder / "card/tune.json", tournaments.dump());
    REQUIRE(make_tables(folder / "card").code == 0);
    const std::string page = read_text(folder / "card.md");
    CHECK(page.find("| 50.00% |") != std::string::npos);
    CHECK(page.find("<!-- begin direct-box -->") != std::string::npos);
    CHECK(page.find("**missed** in 3 of 18: R8G8B8A8 r=1 50") != std::string::npos);
}

TEST_CASE("raw results of two devices, or none, are refused, and the page stays as it was") {
    if (!has_python()) return;
    const Folder folder;
    fs::copy(pages / "nvidia-h100", folder / "card");
    fs::copy(pages / "nvidia-h100.md", folder / "card.md");
    fs::copy(pages / "nvidia-h200/validate-2.json", folder / "card/validate-9.json");
    const Ended mixed = make_tables(folder / "card");
    CHECK(mixed.code == 1);
    CHECK(mixed.err.find("mixes several: NVIDIA H100 80GB HBM3, NVIDIA H200") != std::string::npos);
    CHECK(read_text(folder / "card.md") == read_text(pages / "nvidia-h100.md"));
    fs::create_directory(folder / "empty");
    const Ended none = make_tables(folder / "empty");
    CHECK(none.code == 1);
    CHECK(none.err.find("no validations in") != std::string::npos);
    CHECK(!fs::exists(folder / "empty.md"));
}
