// `tilewise measure` on Debian 12's lavapipe, over small images: a database that knows nothing of the device answers by
// its timings afterwards.
#include "db/facts/validation.h"
#include "db/sqlite/open.h"
#include "tests/support/program.h"
#include "tests/support/raw_database.h"
#include <algorithm>
#include <csignal>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

using namespace tilewise;
using nlohmann::json;

namespace {

Ended on_lavapipe(const Command& arguments) {
    static const Folder cache;
    setenv("XDG_CACHE_HOME", (cache / "").c_str(), 1);
    return run(tilewise_on("system", arguments));
}

/// Where other work keeps the machine so busy that nothing was timed within the time, it is asked once more, with ten
/// times as much: what was probed before is kept.
json measured(const std::string& file, const Command& options) {
    Command measure = Command{"--db", file, "--json", "measure"} + options;
    Ended ended = on_lavapipe(measure);
    if (ended.err.find("nothing was timed within the time") != std::string::npos) {
        const auto seconds = std::ranges::find(measure, "--seconds");
        if (seconds != measure.end())
            *std::next(seconds) += "0";
        else
            measure = measure + Command{"--seconds", "1200"};
        ended = on_lavapipe(measure);
    }
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return parse(ended);
}

int64_t number(const std::string& file, const std::string& sql) {
    const db::Connection connection = raw_database(file);
    return db::Statement(connection, sql).only_integer().value_or(-1);
}

Command words(const std::string& line) {
    std::istringstream in(line);
    Command found;
    for (std::string word; in >> word;) found.push_back(word);
    return found;
}

}  // namespace

TEST_CASE("measure probes what is missing, times what there is time for, and advise answers as its table says") {
    const Folder folder;
    const std::string file = folder / "new.db";
    const json told = measured(file, {"--kernel", "box,gaussian,average", "--format", "RGBA8", "--radius", "1,3",
                                      "--extent", "64x48", "--seconds", "10"});
    CHECK(told.at("probed") == json::array({"R8G8B8A8_UNORM"}));
    CHECK(told.at("unread").empty());
    REQUIRE(told.at("verdicts").size() + told.at("left_out").size() == 5);
    REQUIRE(told["verdicts"].size() > 0);
    int64_t timed = 0;
    for (const json& verdict : told["verdicts"]) {
        CAPTURE(verdict.dump());
        timed += verdict.at("timed").get<int64_t>();
        CHECK(verdict.at("wrong").empty());
        REQUIRE(verdict.at("use").is_object());
        Command question = {"--db",
                            file,
                            "--quiet",
                            "--json",
                            "advise",
                            "--gpu",
                            "llvmpipe",
                            "--format",
                            "RGBA8",
                            "--kernel",
                            verdict.at("kernel"),
                            "--extent",
                            "64x48"};
        if (verdict.at("radius") > 0) question = question + Command{"--radius", verdict["radius"].dump()};
        const json advice = parse(run(tilewise::tilewise(question)));
        CHECK(advice.at("source") == "measured");
        CHECK(advice.at("use") == verdict["use"]);
        // It is the fastest that is exact, or as fast and simpler.
        const db::Connection connection = raw_database(file);
        db::Statement shortest(connection,
                               "SELECT MIN(median_ms) FROM validation JOIN device ON device.id = device WHERE type = "
                               "'cpu' AND kernel = ? AND radius = ? AND method NOT LIKE '%approximate%'");
        shortest.bind(verdict["kernel"].get<std::string>(), verdict["radius"].get<int64_t>());
        REQUIRE(shortest.step());
        // A decimal of 12 digits is printed where the stored number is that near.
        CHECK(verdict["use"]["median_ms"].get<double>() >= shortest.real(0) * (1 - 1e-11));
        CHECK(verdict["use"]["median_ms"].get<double>() <= 1.5 * shortest.real(0));
    }
    CHECK(number(file, "SELECT COUNT(*) FROM validation JOIN device ON device.id = device WHERE type = 'cpu'") ==
          timed);
    // What a CPU was timed at is its own, of a format that kernels write by another one's view, too.
    const json& first = told["verdicts"][0];
    Command question = {"--db",     file,       "--quiet", "--json",   "advise",          "--gpu",
                        "llvmpipe", "--format", "BGRA8",   "--kernel", first.at("kernel")};
    if (first.at("radius") > 0) question = question + Command{"--radius", first["radius"].dump()};
    const json viewed = parse(run(tilewise::tilewise(question)));
    CHECK(viewed.at("ranked").at(0).at("evidence") == "this device");
    SUBCASE("a second run probes nothing") {
        const json again =
            measured(file, {"--kernel", "box", "--format", "RGBA8", "--radius", "1", "--extent", "32x32"});
        CHECK(again.at("probed").empty());
        CHECK(again.at("left_out").empty());
    }
}

TEST_CASE("the line `measure` of an advice runs as it is on a database that knows nothing of the device") {
    const Folder folder;
    const std::string file = folder / "new.db";
    const json advice =
        parse(run(tilewise::tilewise({"--db", file, "--quiet", "--json", "advise", "--gpu", "RX 6800", "--kernel",
                                      "bilateral", "--format", "RGBA16F", "--radius", "2", "--extent", "96x64"})));
    Command line = words(advice.at("measure"));
    REQUIRE(line.size() > 1);
    CHECK(line.front() == "tilewise");
    line.front() = "--db=" + file;
    const Ended ended = on_lavapipe(line);
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    CHECK(ended.out.find("bilateral  2       R16G16B16A16_SFLOAT  96x64") != std::string::npos);
    CHECK(number(file,
                 "SELECT COUNT(DISTINCT method) FROM validation JOIN device ON device.id = device WHERE type = "
                 "'cpu' AND kernel = 'bilateral' AND radius = 2 AND width = 96 AND height = 64") >= 3);
}

TEST_CASE("what there is no time for is left out and said, kernel by kernel") {
    const Folder folder;
    const std::string file = folder / "new.db";
    const json told = measured(file, {"--seconds", "8", "--extent", "64x64,3840x2160"});
    // Two formats, two extents, three filters with four radii each and five kernels without.
    CHECK(told.at("verdicts").size() + told.at("left_out").size() == 2 * 2 * (3 * 4 + 5));
    CHECK(told["left_out"].size() > 0);
    // What takes the most work is left out first.
    const json heaviest = {
        {"kernel", "box"}, {"radius", 8}, {"format", "R16G16B16A16_SFLOAT"}, {"extent", {3840, 2160}}};
    CHECK(told["left_out"].back() == heaviest);
}

TEST_CASE("a filter of one's own is measured, too") {
    const Folder folder;
    const std::string file = folder / "new.db", filter = folder / "mean.glsl";
    write_text(filter,
               "struct State { vec4 sum; };\n"
               "State filter_center(vec4 texel) { return State(texel); }\n"
               "void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel; }\n"
               "vec4 filter_result(State state) { return state.sum / float(2 * RADIUS + 1); }\n");
    const json told = measured(file, {"--filter", filter, "--format", "RGBA8", "--radius", "2", "--extent", "64x48"});
    REQUIRE(told.at("verdicts").size() == 1);
    CHECK(told["verdicts"][0].at("kernel") == "mean.glsl");
    CHECK(told["verdicts"][0].at("use").is_object());
}

TEST_CASE("a device whose results are wrong keeps nothing, and measure says which") {
    // Nothing runs behind a DRM shim: all results are what they were before.
    const Folder folder;
    const std::string file = folder / "new.db";
    const Ended ended = run(tilewise_on("radv:navi21", {"--db", file, "measure", "--kernel", "box", "--format", "RGBA8",
                                                        "--radius", "1", "--extent", "20x20"}));
    if (ended.code == 77) {
        MESSAGE("SKIPPED: the private drivers are not here; run tools/drivers");
        return;
    }
    CHECK(ended.code == 1);
    CHECK(ended.out.find("WRONG: box, ") != std::string::npos);
    CHECK(ended.err.find("results were wrong") != std::string::npos);
    CHECK(number(file,
                 "SELECT COUNT(*) FROM validation JOIN device ON device.id = device WHERE device.name LIKE "
                 "'%NAVI21%'") == 0);
}

TEST_CASE("Ctrl-C ends measure in good order, with what was measured until then") {
    const Folder folder;
    const std::string file = folder / "new.db";
    const Running running = start(tilewise_on("system", {"--db", file, "measure", "--extent", "128x128"}));
    const std::string count = "SELECT COUNT(*) FROM validation JOIN device ON device.id = device WHERE type = 'cpu'";
    const auto kept = [&] { return std::filesystem::exists(file) ? number(file, count) : 0; };
    for (int tenths = 0; tenths < 1200 && kept() <= 0; ++tenths)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(-running.pid, SIGINT);
    const Ended ended = wait_for(running);
    CHECK(ended.code == 1);
    CHECK(ended.err.find("tilewise: interrupted; what was measured before is kept in ") != std::string::npos);
    CHECK(number(file, count) > 0);
}

TEST_CASE("what measure cannot do is refused by name") {
    const Folder folder;
    const auto complaint = [&](const Command& arguments, int code) {
        const Ended ended = on_lavapipe(Command{"--db", folder / "new.db", "measure"} + arguments);
        CHECK(ended.code == code);
        CHECK(is_one_complaint(ended.err));
        return ended.err;
    };
    CHECK(complaint({"--kernel", "sharpen"}, 2).find("no kernel \"sharpen\"") != std::string::npos);
    CHECK(complaint({"--format", "D32_SFLOAT"}, 2).find("D32_SFLOAT") != std::string::npos);
    CHECK(complaint({"--extent", "8x8x8"}, 2).find("without depth") != std::string::npos);
    CHECK(complaint({"--radius", "33"}, 2).find("--radius") != std::string::npos);
    CHECK(complaint({"--kernel", "box", "--radius", "20"}, 2).find("a box blur has a radius of up to 16") !=
          std::string::npos);
    CHECK(complaint({"--kernel", "histogram", "--radius", "3"}, 2).find("--radius: histogram has no radius") !=
          std::string::npos);
    CHECK(complaint({"--seconds", "0"}, 2).find("--seconds") != std::string::npos);
    CHECK(complaint({"--device", "GeForce"}, 1).find("no device \"GeForce\"") != std::string::npos);
}
