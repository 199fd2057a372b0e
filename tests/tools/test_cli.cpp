// The contract of the command line: exit codes, the one line on stderr, the JSON documents. Runs the program itself.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

const std::string tiny_table = "# bytes_per_texel: 4\n0,0,0\n1,0,4\n0,1,8\n1,1,12\n";

}  // namespace

TEST_CASE("wrong usage is one line and exit code 2") {
    fails({"--json"}, 2, "--help");
    fails({"frobnicate"}, 2, "frobnicate");
    fails({"solve"}, 2, "table");
    fails({"solve", "--element-bytes", "0", "-"}, 2, "element-bytes");
    fails({"solve", "--no-such-option", "-"}, 2, "--no-such-option");
    fails({"probe", "--extents", "0x16"}, 2, "0x16");
    fails({"probe", "--extents", "16"}, 2, "16");
    fails({"probe", "--extents", "16x"}, 2, "16x");
    fails({"probe", "--extents", "99999999999x4"}, 2, "99999999999x4");
    fails({"probe", "--route", "teleport"}, 2, "teleport");
    fails({"probe", "--usage", "teleport"}, 2, "teleport");
    fails({"probe", "--jobs", "0"}, 2, "jobs");
    fails({"probe", "--time-limit", "-1"}, 2, "time-limit");
    fails({"probe", "--layers", "0"}, 2, "1 to 16384");
    fails({"layot", "-h"}, 2, "layout");
    fails({"--db", "", "gpus"}, 2, "--db is empty");
    fails({"advise", "--gpu", "H100", "--format", "RGBA8", "--access", "copy", "--radius", "4"}, 2, "--radius");
    fails({"db"}, 2, "--help");
}

TEST_CASE("help and version are results: stdout and exit code 0") {
    for (const Command& arguments : {Command{"--help"}, {"probe", "--help"}, {"--version"}}) {
        const Ended ended = run(tilewise::tilewise(arguments));
        CHECK(ended.code == 0);
        CHECK(ended.err == "");
        CHECK(!ended.out.empty());
    }
    CHECK(run(tilewise::tilewise({"probe", "--help"})).out.find("--extents") != std::string::npos);
}

TEST_CASE("solve prints exactly the members of the contract, global options before or after the command") {
    const std::string table = layout_table("amd_gfx103-navi21_64KB-R-X_32bpp");
    const Ended before = run(tilewise::tilewise({"--json", "solve", "-"}), table);
    const Ended after = run(tilewise::tilewise({"solve", "-", "--json"}), table);
    CHECK(before.code == 0);
    CHECK(before.err == "");
    CHECK(before.out == after.out);
    const auto json = parse(before);
    CHECK(json.size() == 5);
    CHECK(json.contains("extent"));
    CHECK(json.at("status") == "exact");
    CHECK(json.at("elements") == 65536);
    CHECK(json.at("mismatches") == 0);
    // The .eq file beside the table: equations and outer XOR by an independent fitter.
    CHECK(json.at("layout").at("equation") == nlohmann::json{"0", "0", "x0", "x1", "y0", "y1", "x2", "y2", "y4",
                                                             "x4^y4", "y5", "x5", "x3", "y3", "x6", "x6^y6"});
    CHECK(json.at("layout").at("outer_xor") == nlohmann::json{{"10", "tx0"}, {"11", "ty0"}, {"14", "ty0"}});
    CHECK(json.at("layout").at("stride") ==
          nlohmann::json{{"x", 65536}, {"y", 131072}, {"z", 0}, {"xor", nlohmann::json::object()}});
}

TEST_CASE("solve for people shows the row of address bits") {
    const Ended ended = run(tilewise::tilewise({"solve", "-"}), layout_table("apple_agx_twiddled_32bpp"));
    CHECK(ended.code == 0);
    CHECK(ended.out.find("exact") != std::string::npos);
    CHECK(ended.out.find("y1  x1  y0  x0   0   0") != std::string::npos);
}

TEST_CASE("a table without a layout gives its JSON, its reason and exit code 1") {
    const Ended ended =
        run(tilewise::tilewise({"solve", "-", "--json"}), "# bytes_per_texel: 4\n0,0,0\n1,0,4\n0,1,8\n1,1,4\n");
    CHECK(ended.code == 1);
    CHECK(is_one_complaint(ended.err));
    const auto json = parse(ended);
    CHECK(json.size() == 5);
    CHECK(json.contains("extent"));
    CHECK(json.at("status") == "no-fit");
    CHECK(json.at("elements") == 4);
    CHECK(!json.at("reason").get<std::string>().empty());
    CHECK(ended.err.find(json.at("reason").get<std::string>()) != std::string::npos);
}

TEST_CASE("a damaged table is named with its line") {
    fails({"solve", "-"}, 1, "standard input", "");
    fails({"solve", "-"}, 1, "standard input", "# nothing but a comment\n");
    fails({"solve", "-"}, 1, "line 2", "0,0,0\n1,0\n");
    fails({"solve", "-"}, 1, "line 2", "0,0,0\n1,0,4,5,6\n");
    fails({"solve", "-"}, 1, "line 2", "0,0,0\n1,-1,4\n");
    fails({"solve", "-"}, 1, "line 2", "0,0,0\n1,0,four\n");
    fails({"solve", "-"}, 1, "line 2", "0,0,0\n1,0,18446744073709551616\n");
    fails({"solve", "/nonexistent/table.csv"}, 1, "/nonexistent/table.csv");
    fails({"solve", "/"}, 1, "/");
}

TEST_CASE("what cannot be written is an error, and a reader that went away is none worth a word") {
    const std::string program = program_path();
    const Ended full = run({"sh", "-c", program + " solve - >/dev/full"}, tiny_table);
    CHECK(full.code == 1);
    CHECK(is_one_complaint(full.err));
    // The reader closes before the program writes, for it waits for its input first.
    const Ended closed =
        run({"bash", "-c", "(sleep 0.3; cat) | " + program + " solve - | true; exit ${PIPESTATUS[1]}"}, tiny_table);
    CHECK(closed.code == 1);
    CHECK(closed.err == "");
    const Ended nobody = run(
        {"bash", "-c", "(sleep 0.3; echo x) | " + program + " solve - 2>&1 | true; exit ${PIPESTATUS[1]}"}, tiny_table);
    CHECK(nobody.code == 1);
}

TEST_CASE("no Vulkan loader and no device are one line and exit code 1") {
    const Folder folder;
    write_text(folder / "libvulkan.so.1", "");
    write_text(folder / "libvulkan.so", "");
    for (const Command& command :
         {Command{"env", "LD_LIBRARY_PATH=" + folder.path.string()}, {"env", "VK_DRIVER_FILES=/nonexistent.json"}})
        for (const std::string name : {"devices", "probe"}) {
            Command whole = command;
            for (const std::string& argument : tilewise::tilewise({"--db", folder / "none.db", name}))
                whole.push_back(argument);
            const Ended ended = run(whole);
            CAPTURE(ended.err);
            CHECK(ended.code == 1);
            CHECK(ended.out == "");
            CHECK(is_one_complaint(ended.err));
        }
    CHECK(!std::filesystem::exists(folder / "none.db"));
}

TEST_CASE("a file that is no database of ours is refused and stays as it was") {
    const Folder folder;
    const std::string file = folder / "foreign.db";
    write_text(file, "this is a letter, not a database, and it is long enough to look like neither of the two\n");
    const std::string before = read_text(file);
    for (const Command& command :
         {Command{"query"}, {"show", "00"}, {"db", "stats"}, {"db", "check"}, {"db", "export", "-"}}) {
        Command arguments = {"--db", file};
        arguments.insert(arguments.end(), command.begin(), command.end());
        fails(arguments, 1, "foreign.db");
    }
    CHECK(read_text(file) == before);
    fails({"--db", "/proc/no/such.db", "db", "import", "-"}, 1, "/proc/no/such.db", "{}");
    fails({"--db", folder / "new.db", "db", "import", "-"}, 1, "standard input", "not json");
    fails({"--db", folder / "new.db", "db", "import", "-"}, 1, "standard input", "{\"format\":\"tilewise-bundle\"}");
}

TEST_CASE("a database of a newer schema, or of one before the first, is refused") {
    const Folder folder;
    const std::string file = folder / "newer.db";
    CHECK(
        run(tilewise::tilewise({"--db", file, "db", "import", "-"}),
            R"({"format":"tilewise-bundle","version":1,"devices":[],"drivers":[],"patterns":[],"observations":[],"disagreements":[]})")
            .code == 0);
    if (run({"sqlite3", file, "PRAGMA user_version = 9999"}).code != 0) {
        MESSAGE("SKIPPED: sqlite3 is not installed");
        return;
    }
    fails({"--db", file, "query"}, 1, "newer");
    fails({"--db", file, "db", "stats"}, 1, "newer");
    CHECK(run({"sqlite3", file, "PRAGMA user_version = 9"}).code == 0);
    fails({"--db", file, "query"}, 1, "db export BUNDLE");
    fails({"--db", file, "db", "import", "-"}, 1, "db export BUNDLE", "{}");
}

TEST_CASE("--quiet silences notes, and neither errors nor what was assumed") {
    const Folder folder;
    const Command without_database = {"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + folder.path.string()};
    const auto asked = [&](Command arguments) {
        Command command = without_database;
        for (const std::string& part : tilewise::tilewise(arguments)) command.push_back(part);
        return run(command);
    };
    const Ended loud = asked({"query"}), quiet = asked({"query", "--quiet"});
    CHECK(loud.err.starts_with("There is no database "));
    CHECK(quiet.err.empty());
    CHECK(quiet.out == loud.out);
    CHECK(quiet.code == 0);

    write_text(folder / "rows", std::string(size_t{255} * 256 * 16, 'a'));
    const Command tile = {"--quiet",   "tile",     folder / "rows",       folder / "tiled", "--gpu",
                          "Mali-G610", "--format", "R32G32B32A32_SFLOAT", "--extent",       "255x256"};
    const Ended refused = asked(tile);
    CHECK(refused.code == 1);
    CHECK(is_one_complaint(refused.err));
    Command assuming = tile;
    assuming.push_back("--assume");
    const Ended assumed = asked(assuming);
    CHECK(assumed.code == 0);
    CHECK(assumed.err.starts_with("Assumed: 255x256 is laid out like 256x256 on "));
    CHECK(asked({"--quiet", "nothing"}).err.starts_with("tilewise: "));
}
