// How far long commands are, on a terminal: script (Debian's bsdutils) gives each one.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <regex>

using namespace tilewise;

namespace {

std::string quoted(const Command& command) {
    std::string text;
    for (const std::string& part : command) text += "'" + part + "' ";
    return text;
}

/// What a terminal gets of it, "\r" and all.
std::string on_terminal(const std::string& shell) { return run({"script", "-qec", shell, "/dev/null"}).out; }

std::string from_the_first_moment(const Command& command) {
    return on_terminal("TILEWISE_PROGRESS=now " + quoted(command));
}

/// A line that is rewritten, with a count and a rate: "\r..3 of 5 rules, 7.1/s".
bool shows(const std::string& seen, const std::string& unit) {
    return std::regex_search(seen, std::regex("\r\x1b\\[K[0-9]+( of [0-9]+)? " + unit + ", [0-9.]+/s"));
}

/// Rows of 4-byte elements in scan order: enough of them for a word between the first and the last.
std::string rows_of(int side) {
    std::string table = "x,y,byte_offset\n";
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) table += fmt::format("{},{},{}\n", x, y, 4 * (y * side + x));
    return table;
}

/// A database that holds the catalog and more, and the bundle of it.
struct Lab {
    Folder folder;
    std::string table = folder / "table.csv", file = folder / "lab.db", bundle = folder / "lab.json",
                dump = folder / "dump";
    Lab() {
        write_text(table, rows_of(300));
        write_text(dump, std::string(1 << 19, 'a'));
        const std::string timings = source_dir() + "/docs/results/nvidia-h100/validate-1.json";
        REQUIRE(run(tilewise::tilewise({"--db", file, "db", "import", timings})).code == 0);
        REQUIRE(run(tilewise::tilewise({"--db", file, "db", "export", bundle})).code == 0);
    }
};

/// One for all tests: it takes seconds to make.
const Lab& lab() {
    static const Lab made;
    return made;
}

struct LongCommand {
    Command command;
    std::vector<std::string> units;
};

std::vector<LongCommand> long_commands() {
    const Lab& lab = ::lab();
    return {
        {{"solve", lab.table}, {"bytes"}},
        {{"--db", lab.file, "db", "export", lab.folder / "again.json"}, {"observations"}},
        {{"--db", lab.file, "db", "check"}, {"observations"}},
        {{"--db", lab.file, "db", "import", lab.bundle}, {"observations"}},
        {{"--db", lab.file, "db", "merge", lab.bundle, lab.bundle}, {"observations of bundle 2 of 2"}},
        {{"--db", lab.file, "db", "diff", "--gpu", "H100", "--gpu", "H200"}, {"rules"}},
        {{"--db", lab.file, "report", "--gpu", "M1", "--output", lab.folder / "page.html"}, {"devices", "patterns"}},
        {{"--db", lab.file, "identify", lab.dump, "--extent", "300x200", "--format", "RGBA8"}, {"layouts"}},
        {{"--db", lab.file, "layout", "--gpu", "H100", "--format", "RGBA8", "--extent", "300x200", "--table",
          lab.folder / "out.csv"},
         {"elements"}}};
}

}  // namespace

TEST_CASE("each command that may take long tells a terminal how far it is, at what rate, and not with --quiet") {
    size_t number = 0;
    for (const auto& [command, units] : long_commands()) {
        const std::string seen = from_the_first_moment(tilewise::tilewise(command));
        CAPTURE(seen);
        for (const std::string& unit : units) CHECK(shows(seen, unit));
        // The line goes before what is printed: what stands on the screen at the end has none of it.
        const size_t last = seen.rfind("/s");
        CHECK(seen.find("\r\x1b[K", last) != seen.npos);
        // What is quiet is one place of the program: the suite asks two commands.
        if (!is_drawn(number++, 5)) continue;
        const std::string quiet = from_the_first_moment(tilewise::tilewise(Command{"--quiet"} + command));
        CHECK(quiet.find("\x1b[K") == quiet.npos);
    }
}

TEST_CASE("learning rules and verifying them tell of the images that were asked for") {
    const Folder folder;
    const std::string file = folder / "t.db";
    const Command learn = {"--db", file, "probe", "--learn", "--formats", "R8_UNORM", "--image-type", "2D", "--afresh"};
    if (!drivers_are_here()) return;
    const std::string learned = from_the_first_moment(tilewise_on("nvk:0x172", learn));
    CHECK(shows(learned, "images"));
    CHECK(learned.find("all explained") != learned.npos);
    const std::string seen =
        from_the_first_moment(tilewise_on("nvk:0x172", {"--db", file, "layout", "--verify", "20", "--max-side", "64"}));
    CAPTURE(seen);
    CHECK(shows(seen, "images"));
}

TEST_CASE("measuring a device's lanes tells of the orders that are left, as `probe` does before its readings") {
    const Folder folder;
    const std::string file = folder / "t.db";
    const std::string probed = from_the_first_moment(
        tilewise_on("system", {"--db", file, "probe", "--formats", "RGBA8", "--extents", "64x64"}));
    CAPTURE(probed);
    CHECK(shows(probed, "orders of lanes and workgroups"));
    CHECK(shows(probed, "readings"));
    CHECK(shows(from_the_first_moment(tilewise_on("system", {"--db", file, "devices", "--measure"})), "orders"));
}

TEST_CASE("comparing kernels tells of the cells, tuning one of its pipelines and rounds") {
    const Folder folder;
    const Command cell = {"--db",     folder / "t.db", "--kernel", "box", "--format", "R8G8B8A8_UNORM",
                          "--extent", "32x32",         "--radius", "1",   "--time",   "0.2"};
    // Orders are learned from what was probed.
    REQUIRE(run(tilewise_on("system", {cell[0], cell[1], "probe", "--formats", "R8G8B8A8_UNORM", "--extents", "64x64",
                                       "--no-lanes"}))
                .code == 0);
    const auto command = [&](const Command& first) {
        Command all = {cell[0], cell[1]};
        all = all + first;
        all.insert(all.end(), cell.begin() + 2, cell.end());
        return from_the_first_moment(tilewise_on("system", all));
    };
    CHECK(shows(command({"validate"}), "cells"));
    const std::string tuned = command({"tune", "--candidates", "3"});
    CAPTURE(tuned);
    CHECK(shows(tuned, "pipelines"));
    CHECK(shows(tuned, "rounds"));
}

TEST_CASE("nothing of progress goes where no terminal is, whatever the environment says") {
    size_t number = 0;
    for (const auto& [command, units] : long_commands()) {
        if (!is_drawn(3 + number++, 5)) continue;
        const Ended ended = run(Command{"env", "TILEWISE_PROGRESS=now"} + tilewise::tilewise(command));
        CHECK((ended.out + ended.err).find("\x1b[K") == std::string::npos);
    }
}

TEST_CASE("what takes longer than a second shows its progress unasked") {
    // Three seconds more, in which the program beside it may start.
    CHECK(shows(on_terminal("(sleep 4; cat " + lab().table + ") | " + quoted(tilewise::tilewise({"solve", "-"}))),
                "bytes"));
}
