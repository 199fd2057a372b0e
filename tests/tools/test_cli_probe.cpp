// The main job through the command line, on Debian 12's lavapipe (a real driver, whose GPU is the CPU): probe, keep,
// ask, carry, interrupt.
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/raw_database.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <set>
#include <thread>

using namespace tilewise;

namespace {

Ended run_on_lavapipe(const Command& arguments) { return run(tilewise_on("system", arguments)); }

nlohmann::json statistics(const std::string& file) {
    return parse(run(tilewise::tilewise({"--db", file, "--json", "db", "stats"})));
}

}  // namespace

TEST_CASE("devices says what lavapipe offers") {
    const Ended ended = run_on_lavapipe({"devices", "--json"});
    REQUIRE(ended.code == 0);
    const auto parsed = parse(ended);
    REQUIRE(parsed.at("devices").size() == 1);
    const auto device = parsed["devices"][0];
    CHECK(device.at("name").get<std::string>().starts_with("llvmpipe"));
    CHECK(device.at("type") == "cpu");
    CHECK(device.at("driver").at("id") == "MESA_LLVMPIPE");
    std::set<std::string> offered;
    for (const auto& route : device.at("routes")) {
        if (route.at("offered"))
            offered.insert(route.at("route"));
        else
            CHECK(!route.at("reason").get<std::string>().empty());
    }
    CHECK(offered == std::set<std::string>{"alias", "alias-map"});  // Mesa 22.3 has no host image copy
    CHECK(device.at("memory_types").size() >= 1);
    CHECK(!device.at("formats").empty());
    CHECK(run_on_lavapipe({"devices"}).out.find("host-copy") != std::string::npos);
}

TEST_CASE("a probe of lavapipe finds rows, and probing twice adds observations, not patterns") {
    const Folder folder;
    const std::string file = folder / "t.db";
    const Command probe = {"--db", file, "--json", "probe", "--formats", "common"};
    const Ended first = run_on_lavapipe(probe);
    CAPTURE(first.err);
    REQUIRE(first.code == 0);
    const auto device = parse(first).at("devices").at(0);
    const size_t observations = device.at("observations").size();
    CHECK(observations == device.at("planned"));
    CHECK(observations >= 11 * 2 * 2);
    std::set<std::string> formats, routes;
    for (const auto& observation : device["observations"]) {
        CAPTURE(observation.dump());
        CHECK(observation.at("result") == "exact");
        formats.insert(observation.at("format"));
        routes.insert(observation.at("route"));
        // Rows in scan order, whose pitch is a multiple of 64 bytes.
        const auto layout = observation.at("layout");
        CHECK(layout.at("tile").at("width") == 1);
        CHECK(layout.at("stride").at("y").get<uint64_t>() % 64 == 0);
    }
    CHECK(formats.size() == 11);
    CHECK(routes == std::set<std::string>{"alias", "alias-map"});
    CHECK(device.at("disagreements").empty());
    CHECK(std::count(first.err.begin(), first.err.end(), '\n') == 1);  // about aliasing; no progress without a terminal

    const auto before = statistics(file);
    REQUIRE(run_on_lavapipe(probe).code == 0);
    const auto after = statistics(file);
    CHECK(after.at("patterns") == before.at("patterns"));
    CHECK(after.at("devices") == before.at("devices"));
    CHECK(after.at("observations") == before.at("observations").get<uint64_t>() + observations);
    CHECK(run(tilewise::tilewise({"--db", file, "db", "check"})).code == 0);
}

TEST_CASE("lanes are measured by the first probe alone, and devices shows them") {
    const Folder folder;
    const std::string file = folder / "t.db";
    const Command probe = {"--db", file, "--json", "probe", "--formats", "R8_UNORM", "--extents", "64x64"};
    const auto lanes_here = [&] {
        return parse(run_on_lavapipe({"--db", file, "--json", "devices"})).at("devices").at(0);
    };
    Command without = probe;
    without.push_back("--no-lanes");
    REQUIRE(run_on_lavapipe(without).code == 0);
    CHECK(lanes_here().at("lane_orders").empty());
    CHECK(lanes_here().at("start_order").is_null());
    const auto of_the_catalog = statistics(file);

    const auto first = parse(run_on_lavapipe(probe)).at("devices").at(0);
    CHECK(first.at("lane_orders").size() >= 20);
    for (const auto& order : first["lane_orders"]) {
        CHECK(order.at("identity") == true);  // as rows of 8 lanes have always been in Mesa's llvmpipe
        CHECK(order.at("subgroup_size") == lanes_here().at("subgroup_size"));
    }
    CHECK(lanes_here().at("lane_orders").size() == first["lane_orders"].size());
    const auto before = statistics(file);
    CHECK(before.at("start_orders") == of_the_catalog.at("start_orders").get<uint64_t>() + 1);
    REQUIRE(run_on_lavapipe(probe).code == 0);
    CHECK(statistics(file).at("start_orders") == before.at("start_orders"));
    CHECK(statistics(file).at("lane_orders") == before.at("lane_orders"));
    CHECK(run_on_lavapipe({"--db", file, "devices"}).out.find("invocation i in lane slot i") != std::string::npos);
    CHECK(run_on_lavapipe({"--db", folder / "none.db", "devices"}).code == 0);
    CHECK(!std::filesystem::exists(folder / "none.db"));
}

TEST_CASE("damaged lane orders and launch orders disable no device: devices and probe go on, others name the row") {
    const Folder folder;
    const std::string file = folder / "t.db";
    const Command probe = {"--db",      file,    "probe",   "--formats", "R8_UNORM",
                           "--extents", "64x64", "--route", "alias-map"};
    REQUIRE(run_on_lavapipe(probe).code == 0);
    for (const std::string& wrong : {std::string("[1]"), std::string(200'000, '[')}) {
        damage(file, "UPDATE start_order SET statistics = '" + wrong + "' || id; UPDATE lane_order SET matrix = '" +
                         wrong + "' || id");
        for (const Command& command : {Command{"--db", file, "devices"}, probe}) {
            const Ended ended = run_on_lavapipe(command);
            CAPTURE(ended.err.substr(0, 1000));
            CHECK(ended.code == 0);
            CHECK(ended.err.find("Left out: launch order ") != std::string::npos);
            CHECK(ended.err.find("Left out: lane order ") != std::string::npos);
            CHECK(ended.err.find("tilewise db check") != std::string::npos);
            CHECK(ended.err.find("json.exception") == std::string::npos);
        }
        for (const Command& command :
             {Command{"--db", file, "db", "export", "-"},
              {"--db", file, "snippet", "--lang", "glsl", "--gpu", "llvmpipe", "--format", "R8_UNORM"}}) {
            const Ended ended = run_on_lavapipe(command);
            CAPTURE(ended.err.substr(0, 1000));
            CHECK(ended.code == 1);
            CHECK(is_one_complaint(ended.err));
            CHECK(ended.err.starts_with("tilewise: lane order "));
        }
    }
}

TEST_CASE("what was probed is answered by query and show, here and where it was carried to") {
    const Folder folder;
    const std::string file = folder / "t.db", bundle = folder / "bundle.json", other = folder / "other.db";
    REQUIRE(run_on_lavapipe({"--db", file, "probe", "--formats", "R8G8B8A8_UNORM", "--extents", "300x200"}).code == 0);
    REQUIRE(run(tilewise::tilewise({"--db", file, "db", "export", bundle})).code == 0);
    REQUIRE(run(tilewise::tilewise({"--db", other, "db", "import", bundle})).code == 0);
    std::set<std::string> ids;
    for (const std::string& where : {file, other}) {
        const Ended query = run(tilewise::tilewise({"--db", where, "--json", "query", "--device", "llvmpipe",
                                                    "--format", "r8g8b8a8_unorm", "--extent", "300x200"}));
        REQUIRE(query.code == 0);
        const auto patterns = parse(query).at("patterns");
        REQUIRE(patterns.size() == 1);
        const std::string id = patterns[0].at("id");
        ids.insert(id);
        const Ended show = run(tilewise::tilewise({"--db", where, "show", id.substr(0, 10)}));
        CHECK(show.code == 0);
        CHECK(show.out.find("[0,0] [1,0] [2,0] [3,0] [4,0] [5,0] [6,0] [7,0]") != std::string::npos);
        CHECK(show.out.find("llvmpipe") != std::string::npos);
        CHECK(show.out.find("alias-map") != std::string::npos);
        const Ended chosen = run(tilewise::tilewise({"--db", where, "show", "--json", "--device", "llvmpipe",
                                                     "--format", "R8G8B8A8_UNORM", "--extent", "300x200"}));
        REQUIRE(chosen.code == 0);
        CHECK(parse(chosen).at("id") == id);
        CHECK(parse(chosen).at("evidence").size() == 2);
    }
    CHECK(ids.size() == 1);
    const Ended nothing = run(tilewise::tilewise({"--db", file, "query", "--device", "no such device"}));
    CHECK(nothing.code == 1);
    CHECK(nothing.out == "");
    CHECK(is_one_complaint(nothing.err));
}

TEST_CASE("levels and layers of an image are one line of what was read") {
    const Folder folder;
    const Command probe = {"--db",      folder / "t.db", "probe",    "--formats", "R8G8B8A8_UNORM",
                           "--extents", "64x64",         "--levels", "7",         "--layers",
                           "2",         "--no-lanes",    "--route",  "alias"};
    const Ended ended = run_on_lavapipe(probe);
    CAPTURE(ended.out);
    REQUIRE(ended.code == 0);
    CHECK(ended.out.find("  64x64 levels 0-6 layers 0-1  ") != std::string::npos);
    const Ended shown = run(tilewise::tilewise(
        {"--db", folder / "t.db", "show", "--format", "R8G8B8A8_UNORM", "--device", "llvmpipe", "--extent", "64x64"}));
    CAPTURE(shown.out);
    CHECK(shown.out.find("  64x64 levels 0-6 layers 0-1  ") != std::string::npos);
}

TEST_CASE("bad requests of a device that is there") {
    const auto fails = [](const Command& options, int code, const std::string& mentions) {
        Command arguments = {"--db", "/nonexistent/never.db", "probe"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Ended ended = run_on_lavapipe(arguments);
        CAPTURE(ended.err);
        CHECK(ended.code == code);
        CHECK(ended.out == "");
        CHECK(is_one_complaint(ended.err));
        CHECK(ended.err.find(mentions) != std::string::npos);
    };
    fails({"--formats", "R8G8B8A8_UNROM"}, 2, "R8G8B8A8_UNORM");
    fails({"--extents", "16x1000000"}, 2, "1000000");
    fails({"--memory-type", "99"}, 2, "99");
    fails({"--samples", "4", "--levels", "2"}, 2, "2 levels of 4 samples");
    fails({"--device", "no such device"}, 1, "llvmpipe");
    for (const char* number : {"5", "7", "15", "256"}) fails({"--device", number}, 1, "llvmpipe");
}

TEST_CASE("a dry run prints the plan and leaves no file") {
    const Folder folder;
    const Ended plan = run_on_lavapipe(
        {"--db", folder / "t.db", "probe", "--dry-run", "--json", "--extents", "64x64", "--formats", "R8_UNORM"});
    CHECK(plan.code == 0);
    const auto cases = parse(plan).at("cases");
    CHECK(cases.size() == 2);
    CHECK(cases[0].at("format") == "R8_UNORM");
    CHECK(!std::filesystem::exists(folder / "t.db"));
}

TEST_CASE("what cannot be read is reported, kept, and exit code 1") {
    const Folder folder;
    const Ended ended = run_on_lavapipe({"--db", folder / "t.db", "--json", "probe", "--route", "host-copy",
                                         "--formats", "R8_UNORM", "--extents", "64x64"});
    CHECK(ended.code == 1);
    CHECK(is_one_complaint(ended.err));
    const auto observations = parse(ended).at("devices").at(0).at("observations");
    REQUIRE(observations.size() == 1);
    CHECK(observations[0].at("result") == "unsupported");
    CHECK(!observations[0].at("reason").get<std::string>().empty());
}

TEST_CASE("Ctrl-C keeps what was finished") {
    const Folder folder;
    const std::string file = folder / "t.db";
    // Any catalog is in the file before the probe, so that what is new can be counted.
    REQUIRE(run_on_lavapipe({"--db", file, "probe", "--formats", "R8_UNORM", "--extents", "64x64"}).code == 0);
    const uint64_t before = statistics(file).at("observations");
    const Running probe = start(tilewise_on("system", {"--db", file, "--json", "probe", "--formats", "all", "--extents",
                                                       "2048x2048,2047x2049,2000x3000,3000x2000,1999x2999"}));
    while (statistics(file).at("observations") < before + 3) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(-probe.pid, SIGINT);  // as a terminal does: to the workers as well
    const Ended ended = wait_for(probe);
    CAPTURE(ended.err);
    CHECK(ended.code == 1);
    const auto parsed = parse(ended);
    CHECK(parsed.at("interrupted") == true);
    const size_t kept = parsed.at("devices").at(0).at("observations").size();
    CHECK(kept >= 3);
    CHECK(kept < parsed["devices"][0].at("planned"));
    CHECK(statistics(file).at("observations") == before + kept);
    for (const auto& observation : parsed["devices"][0]["observations"])
        CHECK((observation.at("result") == "exact" || observation.at("result") == "unsupported"));
    CHECK(ended.err.find("interrupted: " + std::to_string(kept) + " of ") != std::string::npos);
    CHECK(run(tilewise::tilewise({"--db", file, "db", "check"})).code == 0);
}

TEST_CASE("Ctrl-C while rules are learned keeps those that were, and says so") {
    const Folder folder;
    const std::string file = folder / "t.db";
    const Running learning = start(
        tilewise_on("radv:navi21", {"--db", file, "--json", "probe", "--learn", "--formats", "R8_UNORM,R8G8B8A8_UNORM",
                                    "--image-type", "2D", "--samples", "1", "--afresh"}));
    // Its file is there before the first image is asked for.
    while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(-learning.pid, SIGINT);
    const Ended ended = wait_for(learning);
    CAPTURE(ended.err);
    CHECK(ended.code == 1);
    const auto parsed = parse(ended);
    REQUIRE(parsed.at("devices").size() == 1);
    const auto& kinds = parsed["devices"][0].at("rules");
    const auto rules = std::ranges::count_if(kinds, [](const auto& kind) { return kind.contains("rule"); });
    CHECK(ended.err.find(rules == 1
                             ? "interrupted; 1 rule is kept in " + file
                             : fmt::format("interrupted; {} rules are kept in {}", rules, file)) != std::string::npos);
    CHECK(run(tilewise::tilewise({"--db", file, "db", "check"})).code == 0);
}

TEST_CASE("a full disk ends the probe with one line, and the file stays sound") {
    const Folder folder;
    const std::string disk = folder / "disk", file = disk + "/t.db";
    std::filesystem::create_directory(disk);
    const std::string script = "mount -t tmpfs -o size=512k none " + disk + " || exit 99\n" + source_dir() +
                               "/tools/with-driver system -- " + program_path() + " --db " + file +
                               " probe --formats all --extents 16x16,32x32,48x48,64x64,80x80,96x96\ncode=$?\n" +
                               program_path() + " --db " + file + " db stats >&2\nexit $code";
    const Ended ended = run({"unshare", "--map-root-user", "--mount", "sh", "-c", script});
    if (ended.code == 99 || ended.err.starts_with("unshare")) {
        MESSAGE("SKIPPED: no mount namespaces here: " << ended.err);
        return;
    }
    CAPTURE(ended.err);
    CHECK(ended.code == 1);
    CHECK(ended.err.find("tilewise: ") != std::string::npos);
    CHECK(ended.err.find("full") != std::string::npos);
}
