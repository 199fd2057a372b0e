// `tilewise advise`: by timings that the shipped catalog has, and by such as are made up here. By lavapipe's own:
// tools/cli_validate.
#include "db/facts/tuning.h"
#include "db/facts/validation.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "kernels/kernel_list.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include "tools/answers/advice/advice.h"
#include "tools/answers/advice/measured.h"
#include "tools/answers/advice/measured_advice.h"
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

using namespace tilewise;
using nlohmann::json;

namespace {

Ended advise(const Command& arguments, const std::string& database = "") {
    const Folder empty;
    Command command = {"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=" + empty.path.string(), program_path()};
    if (!database.empty()) command.insert(command.end(), {"--db", database});
    command.push_back("advise");
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run(command);
}

json advice(Command arguments, const std::string& database = "") {
    arguments.insert(arguments.begin(), "--json");
    const Ended ended = advise(arguments, database);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return json::parse(ended.out);
}

/// A timing of a direct box blur of radius 4. `half_width` is that of the interval, relative to the median; 0: no
/// interval.
db::ValidationFact timed(const char* order, std::array<uint32_t, 2> shape, double ms, double half_width = 0.001) {
    db::ValidationFact fact;
    fact.kernel = "box";
    fact.method = "direct";
    fact.order = order;
    fact.format = "R8G8B8A8_UNORM";
    fact.extent = {4096, 4096};
    fact.radius = 4;
    fact.shape = shape;
    fact.invocations = shape[0] * shape[1];
    fact.samples = half_width > 0 ? 100 : 2;
    fact.median_ms = ms;
    if (half_width > 0) fact.interval_ms = {ms * (1 - half_width), ms * (1 + half_width)};
    fact.time = "2026-11-20T10:00:00Z";
    fact.tool_version = "0.1.0";
    return fact;
}

/// A box blur of radius 4, direct, in 4x32.
db::TuningFact tuned(double ms, const char* columns = "y0 x0 y1 y2 y3 y4 x1") {
    db::TuningFact fact;
    fact.kernel = "box";
    fact.method = "direct";
    fact.order = "permutation";
    fact.format = "R8G8B8A8_UNORM";
    fact.extent = {4096, 4096};
    fact.radius = 4;
    fact.shape = {4, 32};
    fact.columns = columns;
    fact.candidates = 1000;
    fact.samples = 100;
    fact.median_ms = ms;
    fact.interval_ms = {ms * 0.999, ms * 1.001};
    fact.over_row = 2 / ms;
    fact.over_row_interval = {1.99 / ms, 2.01 / ms};
    fact.time = "2026-11-22T10:00:00Z";
    fact.tool_version = "0.1.0";
    return fact;
}

/// A database with the catalog, where these were timed on an RX 6800, which the catalog has no timings of.
struct TimedDatabase {
    /// `found`: by tune, on that device, or on one called so, with that driver or one of that version.
    explicit TimedDatabase(const std::vector<db::ValidationFact>& facts, const std::vector<db::TuningFact>& found = {},
                           const std::string& device = "", const std::string& version = "") {
        db::Database database = db::open_database(path, db::Access::read_write);
        db::Transaction transaction(database.sqlite);
        const db::ObservationRow image = db::find_observations(database, {.device = "AMD Radeon RX 6800 (RADV NAVI21)",
                                                                          .format = "R8G8B8A8_UNORM",
                                                                          .extent = {{1000, 700, 1}}})
                                             .at(0);
        for (db::ValidationFact fact : facts) {
            if (fact.order == "learned") fact.pattern = image.pattern;
            db::add_fact(database, image.device, image.driver, fact);
        }
        for (db::TuningFact fact : found) {
            fact.pattern = image.pattern;
            db::DeviceFact on = image.device;
            db::DriverFact with = image.driver;
            if (!device.empty()) on.name = device;
            if (!version.empty()) with.info = with.version = version;
            db::add_fact(database, on, with, fact);
        }
        transaction.commit();
    }
    json operator()(const Command& arguments) const {
        Command all = {"--gpu", "AMD Radeon RX 6800 (RADV NAVI21)", "--format", "R8G8B8A8_UNORM"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return advice(all, path);
    }
    Folder folder;
    std::string path = folder / "timed.db";
};

}  // namespace

TEST_CASE("the gain that advise names of an H100 is that of another run, another day, of the same card's model") {
    const json told = advice({"--gpu", "H100", "--kernel", "box", "--format", "RGBA32F", "--radius", "8"});
    CHECK(told["source"] == "measured");
    CHECK(told["device"] == "NVIDIA H100 80GB HBM3");
    CHECK(told["use"]["method"] == "running sums");
    CHECK(told["direct"]["order"] == "learned");
    CHECK(told["gains_nothing"] == false);
    double row = 0, learned = 1e9;
    const json run = json::parse(read_text(source_dir() + "/docs/results/nvidia-h100/box-beside-peers.json"));
    for (const json& fact : run["validations"]) {
        if (fact["kernel"] != "box" || fact["format"] != "R32G32B32A32_SFLOAT" || fact.value("radius", 0) != 8 ||
            fact["method"] != "direct")
            continue;
        if (fact["order"] == "row" && fact["shape"] == json::array({16, 16})) row = fact["median_ms"];
        if (fact["order"] == "learned") learned = std::min(learned, fact["median_ms"].get<double>());
    }
    CHECK(told["direct"]["over_row"]["ratio"].get<double>() == doctest::Approx(row / learned).epsilon(0.02));
}

TEST_CASE("the fastest is advised, with the ratio of the medians and the interval of their ends") {
    const TimedDatabase told({timed("row", {16, 16}, 2), timed("morton", {16, 16}, 1.25), timed("learned", {8, 32}, 1),
                              timed("row", {32, 32}, 3)});
    const json got = told({"--radius", "4"});
    CHECK(got["source"] == "measured");
    CHECK(got["direct"]["order"] == "learned");
    CHECK(got["direct"]["shape"] == json::array({8, 32}));
    CHECK(got["direct"]["over_row"]["ratio"] == doctest::Approx(2));
    CHECK(got["direct"]["over_row"]["interval"][0] == doctest::Approx(2 * 0.999 / 1.001));
    CHECK(got["direct"]["over_row"]["interval"][1] == doctest::Approx(2 * 1.001 / 0.999));
    CHECK(got["direct"]["over_row"]["verdict"] == "faster");
    CHECK(got["direct"]["over_morton"]["ratio"] == doctest::Approx(1.25));
    CHECK(got["gains_nothing"] == false);
    CHECK(got["assumed"] == json::array());
}

TEST_CASE("of orders that cannot be told apart the simplest is advised, and that there is nothing to gain") {
    const TimedDatabase told(
        {timed("row", {16, 16}, 1.002), timed("morton", {16, 16}, 1.001), timed("learned", {8, 32}, 1)});
    const json got = told({"--radius", "4"});
    CHECK(got["direct"]["order"] == "row");
    CHECK(got["direct"]["over_row"] == nullptr);
    CHECK(got["gains_nothing"] == true);
}

TEST_CASE("without intervals the medians decide what is as fast, and no verdict is given") {
    const TimedDatabase told({timed("row", {16, 16}, 2, 0), timed("learned", {16, 16}, 1, 0)});
    const json got = told({"--radius", "4"});
    CHECK(got["direct"]["order"] == "learned");
    CHECK(got["direct"]["over_row"]["ratio"] == doctest::Approx(2));
    CHECK(got["direct"]["over_row"]["interval"] == nullptr);
    CHECK(got["direct"]["over_row"]["verdict"] == nullptr);
    CHECK(got["gains_nothing"] == false);
}

TEST_CASE("a radius or an extent that nobody measured is answered by the nearest that somebody did, and that is said") {
    db::ValidationFact far = timed("row", {16, 16}, 9), small = timed("row", {16, 16}, 0.1);
    far.radius = 16;
    small.extent = {1024, 1024};
    const TimedDatabase told({timed("row", {16, 16}, 1), far, small});
    const json nearer = told({"--radius", "5", "--extent", "4096x4096"});
    CHECK(nearer["direct"]["median_ms"] == 1);
    CHECK(nearer["assumed"][0] ==
          "radius 5 was not measured over images of 4096x4096: this is how it is with 4, the nearest that was");
    CHECK(told({"--radius", "12"})["direct"]["median_ms"] == 9);
    const json smaller = told({"--radius", "4", "--extent", "1000x1000"});
    CHECK(smaller["direct"]["median_ms"] == doctest::Approx(0.1));
    CHECK(smaller["assumed"][0] == "images of 1000x1000 were not measured: this is how it is with 1024x1024");
    const Ended quiet = advise({"--quiet", "--gpu", "RX 6800", "--format", "RGBA8", "--radius", "12"}, told.path);
    CHECK(quiet.err.find("Assumed: radius 12 was not measured") != std::string::npos);
}

TEST_CASE("of several timings of one order the newest counts, and results that are rounded otherwise are named apart") {
    db::ValidationFact newer = timed("row", {16, 16}, 2), rounded = timed("row", {16, 16}, 0.5);
    newer.time = "2026-11-21T10:00:00Z";
    rounded.method = "direct, approximate";
    const TimedDatabase told({newer, timed("row", {16, 16}, 1), rounded});
    const json got = told({"--radius", "4"});
    CHECK(got["use"]["median_ms"] == 2);
    CHECK(got["rounded"]["method"] == "direct, approximate");
    CHECK(got["rounded"]["median_ms"] == 0.5);
}

TEST_CASE("where several methods were timed over nearer images, the best there is among them") {
    db::ValidationFact exact = timed("row", {16, 16}, 0.03), rounded = timed("row", {16, 16}, 0.02),
                       far = timed("row", {16, 16}, 0.4), sums = timed("row", {16, 16}, 0.1);
    for (db::ValidationFact* fact : {&exact, &rounded}) fact->extent = {1024, 1024};
    rounded.method = "direct, approximate";
    sums.method = "running sums";
    const Command arguments = {"--radius", "4", "--extent", "1200x1200"};
    const json got = TimedDatabase({exact, rounded, far, sums})(arguments);
    CHECK(got["use"]["method"] == "direct");
    CHECK(got["use"]["median_ms"] == 0.03);
    CHECK(got["rounded"]["median_ms"] == doctest::Approx(0.02));
    exact.median_ms = 0.019;
    exact.interval_ms = {0.0189, 0.0191};
    CHECK(TimedDatabase({exact, rounded, far, sums})(arguments)["rounded"] == nullptr);
    // One method alone says nothing of the others.
    CHECK(TimedDatabase({exact, far, sums})(arguments)["use"]["method"] == "running sums");
    CHECK(TimedDatabase({rounded, far, sums})(arguments)["rounded"] == nullptr);
}

namespace {

using Extent = std::array<uint32_t, 2>;
using TimesByExtent = std::map<Extent, double>;

/// The shortest time of each exact method over images of each extent.
struct KnownTimes {
    std::map<std::string, TimesByExtent> by_method = {};
    TimesByExtent validated = {};  ///< by validate, which times every method
    std::map<Extent, std::set<std::string>> methods = {};

    template <typename Fact>
    void add(const Fact& fact) {
        if constexpr (requires { fact.verdict; }) methods[fact.extent].insert(fact.method);
        if (is_approximate(fact.method, fact.format)) return;
        const auto [known, is_new] = by_method[fact.method].emplace(fact.extent, fact.median_ms);
        if (!is_new) known->second = std::min(known->second, fact.median_ms);
        if constexpr (requires { fact.verdict; }) {
            const auto [best, is_first] = validated.emplace(fact.extent, fact.median_ms);
            if (!is_first) best->second = std::min(best->second, fact.median_ms);
        }
    }
    /// The shortest time of any method, scaled from the images that are nearest in size where it was not timed over these.
    /// What validate found over images of this very size, of several methods, stands alone.
    double shortest(const Extent& extent,
                    const std::function<double(const std::string&, const Extent&)>& scale_from) const {
        if (const auto several = methods.find(extent); several != methods.end() && several->second.size() > 1)
            return validated.at(extent);
        double shortest = 1e9;
        for (const auto& [method, times] : by_method) {
            const auto distance = [&](const auto& time) {
                return time.first == extent ? -1 : std::abs(std::log2(texels_of(time.first) / texels_of(extent)));
            };
            const auto& [of, ms] = *std::ranges::min_element(times, {}, distance);
            shortest = std::min(shortest, ms * scale_from(method, of));
        }
        return shortest;
    }
};

}  // namespace

TEST_CASE("no advice of the catalog is slower by more than a tenth than what it knows for images of that size") {
    const db::Database catalog = db::open_catalog();
    const auto validations = db::find_facts<db::ValidationFact>(catalog);
    const auto tunings = db::find_facts<db::TuningFact>(catalog);
    // Of each device: its cells.
    std::map<std::string, std::map<std::tuple<std::string, std::string, uint32_t>, KnownTimes>> devices;
    for (const auto& row : validations)
        devices[row.device.name][{row.fact.kernel, row.fact.format, row.fact.radius}].add(row.fact);
    for (const auto& row : tunings)
        devices[row.device.name][{row.fact.kernel, row.fact.format, row.fact.radius}].add(row.fact);
    size_t asked = 0;
    for (const auto& [device, cells] : devices) {
        auto own_validations = validations;
        auto own_tunings = tunings;
        const auto is_elsewhere = [&](const auto& row) { return row.device.name != device; };
        std::erase_if(own_validations, is_elsewhere);
        std::erase_if(own_tunings, is_elsewhere);
        for (const auto& [cell, known] : cells)
            for (const Extent& extent : {Extent{1280, 720}, Extent{1920, 1080}, Extent{2560, 1440}, Extent{3840, 2160},
                                         Extent{4096, 4096}, Extent{7680, 4320}}) {
                const auto& [kernel, format, radius] = cell;
                CAPTURE(device);
                CAPTURE(kernel);
                CAPTURE(format);
                CAPTURE(radius);
                CAPTURE(extent[0]);
                const auto told =
                    measured_advice(catalog, own_validations, own_tunings, {kernel, format, radius, extent});
                REQUIRE(told);
                REQUIRE(told->way);
                const MeasuredCells measured =
                    *find_measured(own_validations, own_tunings, {kernel, format, radius, extent});
                const auto scale_from = [&, radius = radius](const std::string& method, const Extent& of) {
                    MeasuredCell there;
                    there.radius = radius;
                    there.extent = of;
                    return measured.scale(method, there, extent).factor;
                };
                const bool is_near = std::ranges::any_of(known.validated, [&](const auto& time) {
                    return std::abs(std::log2(texels_of(time.first) / texels_of(extent))) <= 2;
                });
                if (is_near) CHECK(told->way->fact.radius == radius);
                // Where this radius was not timed over these images, both are estimates, of which each is off by a tenth.
                const bool is_timed = told->way->fact.extent == extent && told->way->fact.radius == radius;
                const double allowed = is_timed ? 1.1 : 1.2;
                CHECK(told->way->fact.median_ms * told->way->scale.factor <=
                      allowed * known.shortest(extent, scale_from));
                ++asked;
            }
    }
    CHECK(asked >= 6 * 150);
}

namespace {

/// Of one kernel, format, radius and extent on a device.
using Cell = std::tuple<std::string, std::string, std::string, uint32_t, Extent>;

Cell cell_of(const db::ValidationRow& row) {
    return {row.device.name, row.fact.kernel, row.fact.format, row.fact.radius, row.fact.extent};
}

/// The shortest time of an exact method, by cell.
std::map<Cell, double> shortest_times(const std::vector<db::ValidationRow>& rows) {
    std::map<Cell, double> shortest;
    for (const db::ValidationRow& row : rows) {
        if (row.device.type == "cpu" || is_approximate(row.fact.method, row.fact.format)) continue;
        const auto known = shortest.emplace(cell_of(row), row.fact.median_ms).first;
        known->second = std::min(known->second, row.fact.median_ms);
    }
    return shortest;
}

/// How many times as long as it took a cell is told to take.
struct ToldTimes {
    std::vector<double> ratios = {};

    void check(const char* name) {
        std::ranges::sort(ratios);
        const auto part = [&](size_t tenths) { return ratios[ratios.size() * tenths / 10]; };
        MESSAGE(name, ": ", ratios.size(), " times, told ", part(1), " to ", part(9), " times as long, median ",
                part(5));
        CHECK(part(5) == doctest::Approx(1).epsilon(0.03));
        CHECK(part(1) > 0.85);
        CHECK(part(9) < 1.15);
    }
};

}  // namespace

TEST_CASE("a time that is told of images that were not timed is what they take, by timings that are left out") {
    const db::Database catalog = db::open_catalog();
    const auto all = db::find_facts<db::ValidationFact>(catalog);
    ToldTimes times;
    for (const auto& [cell, took] : shortest_times(all)) {
        const auto& [device, kernel, format, radius, extent] = cell;
        if (radius == 0) continue;
        auto others = all;
        std::erase_if(others, [&, &cell = cell](const auto& row) {
            return row.device.name != std::get<0>(cell) || cell_of(row) == cell;
        });
        const auto told = measured_advice(catalog, others, {}, {kernel, format, radius, extent});
        if (told && told->way && !told->way->scale.by_texels)
            times.ratios.push_back(told->way->fact.median_ms * told->way->scale.factor / took);
    }
    REQUIRE(times.ratios.size() > 500);
    times.check("left out");
}

TEST_CASE("an H200 takes as long as it is told to, by radii and images that it was never asked about before") {
    const Folder folder;
    const std::string path = folder / "unseen.db";
    for (const char* file : {"unseen.json", "unseen-2.json", "unseen-3.json"}) {
        const Ended imported = run(Command{program_path(), "--db", path, "--quiet", "db", "import",
                                           source_dir() + "/docs/results/nvidia-h200/" + file});
        REQUIRE(imported.code == 0);
    }
    const db::Database catalog = db::open_catalog();
    auto known = db::find_facts<db::ValidationFact>(catalog);
    std::set<Cell> known_cells;
    for (const auto& row : known) known_cells.insert(cell_of(row));
    std::erase_if(known, [](const auto& row) { return row.device.name != "NVIDIA H200"; });
    // The catalog does not have them, but in that file's database they are beside the catalog.
    auto unseen = db::find_facts<db::ValidationFact>(db::open_database(path, db::Access::read_only));
    std::erase_if(unseen, [&](const auto& row) { return known_cells.contains(cell_of(row)); });

    ToldTimes times;
    std::vector<double> lengths;
    for (const auto& [cell, took] : shortest_times(unseen)) {
        const auto& [device, kernel, format, radius, extent] = cell;
        CAPTURE(kernel);
        CAPTURE(format);
        CAPTURE(radius);
        const auto told = measured_advice(catalog, known, {}, {kernel, format, radius, extent});
        REQUIRE(told);
        REQUIRE(told->way);
        CHECK_FALSE(told->way->scale.by_texels);
        times.ratios.push_back(told->way->fact.median_ms * told->way->scale.factor / took);
        double advised = 1e9;  // by the fastest method of the family
        for (const auto& row : unseen)
            if (cell_of(row) == cell && family_of(row.fact.method) == family_of(told->way->fact.method) &&
                !is_approximate(row.fact.method, row.fact.format))
                advised = std::min(advised, row.fact.median_ms);
        if (advised < 1e9) lengths.push_back(advised / took);  // else it was left out for want of time
    }
    REQUIRE(times.ratios.size() == 96 + 120 + 120);
    times.check("unseen");
    std::ranges::sort(lengths);
    MESSAGE("what is advised takes ", lengths[lengths.size() / 2], " (median), ", lengths[lengths.size() * 9 / 10],
            " (nine of ten), ", lengths.back(), " times as long as the fastest there");
    REQUIRE(lengths.size() > 200);
    CHECK(lengths[lengths.size() / 2] == 1);
    CHECK(lengths[lengths.size() * 9 / 10] < 1.1);
}

TEST_CASE("a time over images of another size is told by the timings around it") {
    db::ValidationFact small = timed("row", {16, 16}, 0.3), large = timed("row", {16, 16}, 0.9);
    small.radius = large.radius = 2;
    small.extent = {2048, 2048};
    const TimedDatabase told({timed("row", {16, 16}, 1.8), small, large});
    const auto asked = [&](const char* radius, const char* extent) {
        return Command{"--gpu", "AMD Radeon RX 6800 (RADV NAVI21)", "--format", "RGBA8", "--radius", radius, "--extent",
                       extent};
    };
    const auto told_ms = [&](const char* radius, const char* extent) {
        return advice(asked(radius, extent), told.path)["use"]["scaled_ms"];
    };
    // Radius 2 lends its line: a third.
    CHECK(told_ms("4", "2048x2048") == doctest::Approx(0.6));
    // Twice the texels of 2048x2048 are a third of the way to the four times of 4096x4096.
    CHECK(told_ms("2", "4096x2048") == doctest::Approx(0.5));
    // A quarter of them takes what a dispatch costs, and a quarter of the rest.
    CHECK(told_ms("2", "1024x1024") == doctest::Approx(0.1 + 0.2 / 4));
    // Twice the time for twice the radius: radius 3 takes 3/2 of what radius 2 does.
    CHECK(told_ms("3", "4096x4096") == doctest::Approx(0.9 * 1.5));
    CHECK(advise(asked("4", "2048x2048"), told.path)
              .out.find("about 0.6000 ms by the timings around it; 1.800 ms over images of 4096x4096") !=
          std::string::npos);
}

TEST_CASE("a time that is mostly the cost of a dispatch is not scaled by pixels") {
    const TimedDatabase brief({timed("row", {16, 16}, 0.019)}, {});
    for (const std::string extent : {"1024x1024", "16384x16384"}) {
        const json got = brief({"--radius", "4", "--extent", extent});
        CHECK(got["use"]["median_ms"] == 0.019);
        CHECK(got["use"]["scaled_ms"] == nullptr);
        const Ended text = advise(
            {"--gpu", "AMD Radeon RX 6800 (RADV NAVI21)", "--format", "RGBA8", "--radius", "4", "--extent", extent},
            brief.path);
        CHECK(text.out.find("0.01900 ms over images of 4096x4096, too short to be scaled by pixels") !=
              std::string::npos);
    }
    // Nor is what would be as short.
    const TimedDatabase longer({timed("row", {16, 16}, 0.2)}, {});
    CHECK(longer({"--radius", "4", "--extent", "1024x1024"})["use"]["scaled_ms"] == nullptr);
}

TEST_CASE("what was tuned over images of one size does not hide a method that was timed over those of another") {
    db::ValidationFact sums = timed("", {112, 32}, 0.2);
    sums.method = "running sums";
    db::TuningFact small = tuned(0.9 / 4);
    small.extent = {2048, 2048};
    const TimedDatabase both({timed("row", {16, 16}, 2), sums}, {small});
    const json got = both({"--radius", "4", "--extent", "2048x2048"});
    CHECK(got["use"]["method"] == "running sums");
    CHECK(got["use"]["median_ms"] == 0.2);
    CHECK(got["use"]["extent"] == json::array({4096, 4096}));
    CHECK(got["use"]["scaled_ms"] == doctest::Approx(0.05));
    CHECK(got["assumed"][0] == "images of 2048x2048 were not measured: this is how it is with 4096x4096");
    CHECK(got["direct"]["by"] == "tune");
    CHECK(got["direct"]["extent"] == json::array({2048, 2048}));
    CHECK(got["direct"]["scaled_ms"] == nullptr);
    const Ended text = advise(
        {"--gpu", "AMD Radeon RX 6800 (RADV NAVI21)", "--format", "RGBA8", "--radius", "4", "--extent", "2048x2048"},
        both.path);
    CHECK(text.out.find("about 0.05000 ms, scaled by pixels from 0.2000 ms over images of 4096x4096") !=
          std::string::npos);
    // Without an extent, times are as they were measured.
    CHECK(both({"--radius", "4"})["use"]["scaled_ms"] == nullptr);
}

TEST_CASE("two methods are ranked by images over which both were timed, unless tune found better for the size") {
    db::ValidationFact sums = timed("", {112, 32}, 0.95), large = timed("row", {16, 16}, 1);
    sums.method = "running sums";
    const Command arguments = {"--radius", "4", "--extent", "2048x2048"};
    for (const double small_ms : {0.25, 0.21}) {
        db::ValidationFact small = timed("row", {16, 16}, small_ms);
        small.extent = {2048, 2048};
        CHECK(TimedDatabase({sums, large, small})(arguments)["use"]["method"] == "running sums");
    }
    const auto with_tuned = [&](double small_ms) {
        db::TuningFact small = tuned(small_ms);
        small.extent = {2048, 2048};
        return TimedDatabase({sums, large}, {small})(arguments)["use"]["method"];
    };
    // Running sums take 0.2375 ms if times go with pixels.
    CHECK(with_tuned(0.22) == "running sums");
    CHECK(with_tuned(0.21) == "direct");
}

TEST_CASE("a snippet takes the workgroup that was measured for its radius, and says so") {
    const TimedDatabase told({timed("row", {16, 16}, 2), timed("morton", {32, 32}, 1)});
    const auto snippet = [&](const char* radius) {
        return run({program_path(), "--db", told.path, "--json", "snippet", "--gpu", "AMD Radeon RX 6800 (RADV NAVI21)",
                    "--format", "R8G8B8A8_UNORM", "--lang", "cpp", "--radius", radius, "--explain"});
    };
    const Ended measured = snippet("4");
    CAPTURE(measured.err);
    REQUIRE(measured.code == 0);
    const std::string code = json::parse(measured.out)["code"];
    CHECK(code.find("Morton order in workgroups of 32x32") != std::string::npos);
    CHECK(code.find("2.000 times as fast as row order in 16x16") != std::string::npos);
    const std::string other = json::parse(snippet("3").out)["code"];
    CHECK(other.find("measured on") == std::string::npos);
}

TEST_CASE("what tune found is advised before what validate measured of the same method, unless it is slower") {
    const std::vector<db::ValidationFact> measured = {timed("row", {16, 16}, 2), timed("learned", {8, 32}, 1)};
    const json better = TimedDatabase(measured, {tuned(0.9)})({"--radius", "4"});
    CHECK(better["source"] == "measured");
    CHECK(better["measured"]["by"] == "tune");
    CHECK(better["direct"]["columns"] == "y0 x0 y1 y2 y3 y4 x1");
    CHECK(better["direct"]["shape"] == json::array({4, 32}));
    CHECK(better["direct"]["over_row"]["ratio"] == doctest::Approx(2 / 0.9));
    CHECK(better["direct"]["over_row"]["verdict"] == "faster");
    CHECK(better["direct"]["over_morton"] == nullptr);
    CHECK(better["gains_nothing"] == false);
    const json worse = TimedDatabase(measured, {tuned(1.1)})({"--radius", "4"});
    CHECK(worse["measured"]["by"] == "validate");
    CHECK(worse["direct"]["order"] == "learned");
    db::TuningFact vague = tuned(0.9995);
    vague.samples = 2;
    vague.interval_ms = vague.over_row_interval = {};
    CHECK(TimedDatabase(measured, {vague})({"--radius", "4"})["direct"]["by"] == "validate");
    vague.median_ms = 0.9;
    CHECK(TimedDatabase(measured, {vague})({"--radius", "4"})["direct"]["by"] == "tune");
    db::ValidationFact sums = timed("", {112, 32}, 0.2);
    sums.method = "running sums";
    const TimedDatabase both({timed("row", {16, 16}, 2), sums}, {tuned(0.9)});
    const json other = both({"--radius", "4"});
    CHECK(other["use"]["method"] == "running sums");
    CHECK(other["use"]["by"] == "validate");
    CHECK(other["direct"]["by"] == "tune");
    const Ended text =
        advise({"--gpu", "AMD Radeon RX 6800 (RADV NAVI21)", "--format", "RGBA8", "--radius", "4"}, both.path);
    CHECK(text.out.find("known     measured on AMD Radeon RX 6800") != std::string::npos);
    CHECK(text.out.find("direct: found by tune, of 1000 orders and shapes, on AMD Radeon RX 6800") !=
          std::string::npos);
    CHECK(text.out.find("direct, the order y0 x0 y1 y2 y3 y4 x1 in workgroups of 4x32: 0.9000 ms") !=
          std::string::npos);
}

TEST_CASE("tune answers its own radius alone, and for an extent the nearest one, which is said") {
    db::TuningFact small = tuned(0.1, "x0 y0 x1 y1 y2 y3 y4");
    small.extent = {1024, 1024};
    const TimedDatabase told({}, {tuned(0.9), small});
    CHECK(told({"--radius", "5"})["source"] == "predicted");
    const json near = told({"--radius", "4", "--extent", "1000x1000"});
    CHECK(near["direct"]["columns"] == small.columns);
    CHECK(near["assumed"][0] == "images of 1000x1000 were not measured: this is how it is with 1024x1024");
    CHECK(told({"--radius", "4", "--extent", "4096x4096"})["direct"]["median_ms"] == 0.9);
    db::TuningFact newer = tuned(0.8, "x1 y0 x0 y1 y2 y3 y4");
    newer.time = "2026-11-22T11:00:00Z";
    CHECK(TimedDatabase({}, {newer, tuned(0.9)})({"--radius", "4"})["direct"]["median_ms"] == 0.8);
}

TEST_CASE("what was validated with another driver answers beside what was tuned, and that is said") {
    db::ValidationFact sums = timed("row", {16, 16}, 0.2);
    sums.method = "running sums";
    const TimedDatabase told({timed("row", {16, 16}, 1), sums}, {tuned(0.9)}, "", "");
    const json own = told({"--radius", "4"}), other = told({"--radius", "4", "--driver", "no such driver"});
    CHECK(own["use"]["method"] == "running sums");
    CHECK(other["use"] == own["use"]);
    CHECK(other["source"] == own["source"]);
    REQUIRE(other["assumed"].size() == 1);
    CHECK(other["assumed"][0].get<std::string>().starts_with("nothing was measured with the driver no such driver"));
}

TEST_CASE("where only what rounds otherwise was timed, the pattern answers") {
    db::ValidationFact rounded = timed("row", {16, 16}, 0.5);
    rounded.method = "direct, approximate";
    const TimedDatabase told({rounded});
    CHECK(told({"--radius", "4"})["source"] == "predicted");
    CHECK(advise({"--gpu", "AMD Radeon RX 6800 (RADV NAVI21)", "--format", "RGBA8", "--radius", "4"}, told.path).code ==
          0);
}

TEST_CASE("what tune found with another driver, or on another device of the chip, says what it assumes") {
    const TimedDatabase old({}, {tuned(0.9)}, "", "22.0.0");
    const json other = old({"--radius", "4", "--driver", "26.1.6"});
    CHECK(other["direct"]["median_ms"] == 0.9);
    REQUIRE(other["assumed"].size() == 1);
    CHECK(
        other["assumed"][0].get<std::string>().starts_with("nothing was measured with the driver 26.1.6: this is how"));
    CHECK(old({"--radius", "4"})["assumed"] == json::array());
    const Command ask = {"snippet",
                         "--gpu",
                         "AMD Radeon RX 6800 (RADV NAVI21)",
                         "--format",
                         "R8G8B8A8_UNORM",
                         "--extent",
                         "1000x700",
                         "--lang",
                         "cpp",
                         "--radius",
                         "4"};
    const Ended assumed = run(Command{program_path(), "--db", old.path, "--quiet"} + ask);
    CAPTURE(assumed.err);
    CHECK(assumed.err.find("Assumed: radv Mesa ") != std::string::npos);
    CHECK(assumed.err.find(" runs it as radv 22.0.0 does, with which it was timed.") != std::string::npos);
    CHECK(assumed.out.find("// Assumed: radv Mesa ") != std::string::npos);
    CHECK(assumed.out.find("//   y0 x0 y1 y2 y3 y4 x1\n") != std::string::npos);

    const TimedDatabase relative({}, {tuned(0.9)}, "AMD Radeon RX 6800 XT (RADV NAVI21)");
    const json chip = advice({"--gpu", "RX 6900 XT", "--format", "RGBA8", "--radius", "4"}, relative.path);
    CHECK(chip["source"] == "measured on another device");
    CHECK(chip["device"] == "AMD Radeon RX 6800 XT (RADV NAVI21)");
}

TEST_CASE("a snippet takes the order that tune found for its radius and pattern, and says how that is known") {
    db::TuningFact in_strips = tuned(0.9);
    in_strips.group_order = "strips of 8";
    const TimedDatabase told({timed("row", {16, 16}, 2)}, {in_strips});
    const auto code_of = [&](const Command& more) {
        const Ended ended =
            run(Command{program_path(), "--db", told.path, "snippet", "--gpu", "AMD Radeon RX 6800 (RADV NAVI21)",
                        "--format", "R8G8B8A8_UNORM", "--lang", "glsl", "--extent"} +
                more);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return ended.out;
    };
    const std::string remap = code_of({"1000x700", "--radius", "4"});
    CHECK(remap.find("//   y0 x0 y1 y2 y3 y4 x1\n") != std::string::npos);
    CHECK(remap.find("// found by tune, of 1000 orders and shapes, on AMD Radeon RX 6800 (RADV NAVI21) (radv Mesa ") !=
          std::string::npos);
    CHECK(remap.find("// workgroups in strips of 8: advise --code and snippet --kind kernel print the grid") !=
          std::string::npos);
    const std::string kernel = code_of({"1000x700", "--radius", "4", "--kind", "kernel"});
    CHECK(kernel.find("// workgroups in strips of 8\n") != std::string::npos);
    CHECK(kernel.find("uvec2 box = uvec2(gl_WorkGroupID.z * 8u + gl_WorkGroupID.x, gl_WorkGroupID.y);") !=
          std::string::npos);
    CHECK(kernel.find("groups[0] = 8;") != std::string::npos);
    CHECK(code_of({"1000x700", "--radius", "4", "--explain"}).find("2.222 times as fast as row order in 16x16") !=
          std::string::npos);
    for (const Command& other : {Command{"1000x700", "--radius", "3"},
                                 {"16x16", "--radius", "4"},
                                 {"1000x700", "--radius", "4", "--shape", "16x16"}})
        CHECK(code_of(other).find("found by tune") == std::string::npos);
    Command ask = {"--gpu", "AMD Radeon RX 6800 (RADV NAVI21)", "--format", "RGBA8", "--radius", "4"};
    const std::string advised = advise(ask + Command{"--code", "glsl", "--access", "box"}, told.path).out;
    const auto body = [](const std::string& text) { return text.substr(text.find("uvec2 tilewise_remap")); };
    CHECK(body(advised) == body(kernel));
    CHECK(json::parse(advise(Command{"--json"} + ask, told.path).out)["group_order"] == "strips of 8");
}

TEST_CASE("a snippet takes what was timed of its own kernel, or of its own filter by the name of its file") {
    db::TuningFact gaussian = tuned(0.9), own = tuned(0.8, "y0 y1 x0 y2 y3 y4 x1");
    gaussian.kernel = "gaussian";
    own.kernel = "mine.glsl";
    const TimedDatabase told({}, {gaussian, own});
    write_text(told.folder / "mine.glsl", "vec4 filter_step(vec4 sum, vec4 texel, int i) { return sum + texel; }");
    const auto code_of = [&](const Command& kernel) {
        const Ended ended =
            run(Command{program_path(), "--db", told.path, "snippet", "--gpu", "AMD Radeon RX 6800 (RADV NAVI21)",
                        "--format", "RGBA8", "--extent", "1000x700", "--lang", "glsl", "--radius", "4"} +
                kernel);
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return ended.out;
    };
    CHECK(code_of({"--kernel", "gaussian"}).find("//   y0 x0 y1 y2 y3 y4 x1\n") != std::string::npos);
    CHECK(code_of({"--filter", told.folder / "mine.glsl"}).find("//   y0 y1 x0 y2 y3 y4 x1\n") != std::string::npos);
    for (const Command& other : {Command{}, {"--kernel", "box"}, {"--kernel", "bilateral"}})
        CHECK(code_of(other).find("found by tune") == std::string::npos);
}

TEST_CASE("a snippet of an image whose pattern is another one than that which was timed is derived from its own") {
    const TimedDatabase told({timed("row", {16, 16}, 2), timed("learned", {8, 32}, 1)});
    const auto code_of = [&](const char* extent) {
        const Ended ended =
            run({program_path(), "--db", told.path, "snippet", "--gpu", "AMD Radeon RX 6800 (RADV NAVI21)", "--format",
                 "R8G8B8A8_UNORM", "--extent", extent, "--lang", "cpp", "--radius", "4", "--explain"});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        return ended.out;
    };
    CHECK(code_of("1000x700").find("measured on") != std::string::npos);
    CHECK(code_of("16x16").find("measured on") == std::string::npos);
}

TEST_CASE("a GPU that nobody timed is answered by its chip's, else by its pattern, and how to measure it is said") {
    const json chip = advice({"--gpu", "H800", "--format", "RGBA8", "--radius", "4"});
    CHECK(chip["source"] == "measured on another device");
    const json pattern = advice({"--gpu", "RX 6800 XT", "--format", "RGBA8", "--radius", "4"});
    CHECK(pattern["source"] == "predicted");
    CHECK(pattern["use"]["method"] == "running sums");
    CHECK(pattern["direct"]["segments_64"]["learned"] < pattern["direct"]["segments_64"]["row"]);
    CHECK(pattern["gains_nothing"] == false);
    CHECK(pattern["measure"] == "tilewise measure --kernel box --format R8G8B8A8_UNORM --radius 4");
    const json linear = advice({"--gpu", "lavapipe", "--format", "RGBA8", "--radius", "4"});
    CHECK(linear["gains_nothing"] == true);
    const json unknown = advice({"--gpu", "H100", "--format", "G8B8G8R8_422_UNORM", "--radius", "4"});
    CHECK(unknown["source"] == "unknown");
    CHECK(unknown["use"] == nullptr);
    CHECK(unknown["gains_nothing"] == nullptr);
}

TEST_CASE("a chip that was read with several versions of a driver is advised by the newest") {
    for (const char* gpu : {"RTX 3080", "A100", "RTX 2070", "Switch 2"}) {
        CAPTURE(gpu);
        const json predicted = advice({"--gpu", gpu, "--format", "RGBA8"});
        CHECK(predicted["source"] == "predicted");
        CHECK(predicted["driver"].get<std::string>().find("26.2") != std::string::npos);
        // An H200 has blocks of 16 GOBs as well.
        CHECK(predicted["ranked"][0]["evidence"] == "same tile");
    }
    const Ended unknown = advise({"--gpu", "MI300X", "--format", "RGBA8"});
    CHECK(unknown.out.find("nobody knows whether images of") != std::string::npos);
}

TEST_CASE("what keeps float32 as halves is never the exact method of float32") {
    for (const char* gpu : {"H100", "H200", "RTX 4090"})
        for (const char* kernel : {"gaussian", "bilateral"})
            for (const char* radius : {"8", "12", "16", "24", "32"}) {
                CAPTURE(gpu);
                CAPTURE(kernel);
                CAPTURE(radius);
                const Ended told = advise({"--gpu", gpu, "--format", "RGBA32F", "--kernel", kernel, "--radius", radius,
                                           "--extent", "3840x2160", "--code", "glsl"});
                REQUIRE(told.code == 0);
                const std::string use = told.out.substr(told.out.find("// use"), 400);
                CHECK(use.substr(0, use.find('\n')).find("16 bits a channel") == std::string::npos);
                CHECK(told.out.find("#define PRECISION 16") == std::string::npos);
            }
}

TEST_CASE("a box beyond the largest radius of box blurs is a filter of equal weights, and as fast") {
    const json box = advice({"--gpu", "H100", "--format", "RGBA8", "--radius", "17"}),
               gaussian = advice({"--gpu", "H100", "--format", "RGBA8", "--radius", "17", "--kernel", "gaussian"});
    CHECK(box["use"] == gaussian["use"]);
    CHECK(box["assumed"].dump().find("a filter of equal weights") != std::string::npos);
    CHECK(box["kernel"] == "box");
    CHECK(advise({"--gpu", "H100", "--format", "RGBA8", "--radius", "17"}).out.find("at radius 16, the nearest") !=
          std::string::npos);
    const Ended code = advise({"--gpu", "H100", "--format", "RGBA8", "--radius", "17", "--code", "glsl"});
    // 35 weights, each 1/35 in float.
    CHECK(code.out.find("2.857142857e-02, 2.857142857e-02") != std::string::npos);
}

TEST_CASE("what was timed on one chip is no timing of another that answers for its driver") {
    const json nvidia = advice({"--gpu", "RTX 4090", "--driver", "nvidia", "--format", "RGBA8", "--radius", "2"});
    CHECK(nvidia["source"] == "predicted");
}

TEST_CASE("--code with --access prints the loop that snippet prints of that order, with the advice as its comment") {
    const Command asked = {"--gpu", "RX 6800 XT", "--format", "RGBA8", "--radius", "4"};
    Command with_code = asked;
    with_code.insert(with_code.end(), {"--access", "box", "--code", "GLSL"});
    const Ended code = advise(with_code);
    REQUIRE(code.code == 0);
    CHECK(code.out.find("// measure   tilewise measure --kernel box") != std::string::npos);
    const Folder empty;
    Command command = {"env",          "-u",      "TILEWISE_DB", "XDG_DATA_HOME=" + empty.path.string(),
                       program_path(), "snippet", "--kind",      "kernel",
                       "--lang",       "glsl"};
    command.insert(command.end(), asked.begin(), asked.end());
    const auto body = [](const std::string& text) { return text.substr(text.find("layout(local_size")); };
    CHECK(body(code.out) == body(run(command).out));
}

TEST_CASE("--code prints the kernel that was asked for, in every language, on cards that nobody timed, too") {
    const std::map<std::string, std::string> entries = {{"glsl", "void main() {"},
                                                        {"hlsl", "[numthreads("},
                                                        {"wgsl", "@compute @workgroup_size("},
                                                        {"msl", "kernel void tilewise_"},
                                                        {"cuda", "__global__ void"}};
    size_t number = 0;
    for (const char* gpu : {"RTX 4070", "RX 7900 XTX"})
        for (const std::string kernel : {"box", "gaussian", "bilateral", "average", "brightest"})
            for (const auto& [language, entry] : entries) {
                CAPTURE(kernel);
                CAPTURE(language);
                // Every language with every kernel, a card of each.
                if (!is_drawn(number++, 2)) continue;
                const bool has_radius = kernel != "average" && kernel != "brightest";
                const Ended code = advise(Command{"--gpu", gpu, "--format", "RGBA16F", "--kernel", kernel, "--extent",
                                                  "2560x1440", "--code", language} +
                                          (has_radius ? Command{"--radius", "5"} : Command{}));
                CAPTURE(code.err);
                REQUIRE(code.code == 0);
                CHECK(code.out.find(entry) != std::string::npos);
                CHECK(code.out.find("is the fastest of ") != std::string::npos);
                CHECK(code.out.find(", on NVIDIA H") == std::string::npos);
                CHECK(code.out.find(" on NVIDIA H") != std::string::npos);
                CHECK(code.out.find("Your code from here") == std::string::npos);
                const bool has_weights = code.out.find("0.1639672f") != std::string::npos ||
                                         code.out.find("1.639672077e-01") != std::string::npos;
                // exp(-i^2 / 2 sigma^2) of sigma 2.5, that of 0 and twice those of 1 to 5 adding up to 1.
                CHECK(has_weights == (kernel == "gaussian" || kernel == "bilateral"));
            }
}

TEST_CASE("--code prints a mip chain, whole, and a bloom and a histogram, in every language") {
    const auto code = [](const char* kernel, const char* language, const char* extent) {
        return advise(
            {"--gpu", "RTX 4070", "--format", "RGBA16F", "--kernel", kernel, "--extent", extent, "--code", language});
    };
    // 1920 can be halved ten times, 1024 as often, 1023 nine times.
    for (const auto& [extent, levels] : {std::pair("1920x1080", "10"), {"7x1024", "10"}, {"1023x511", "9"}})
        CHECK(code("mip-chain", "glsl", extent).out.find(std::string("#define LEVELS ") + levels + "\n") !=
              std::string::npos);
    CHECK(code("mip-chain", "glsl", "1x1")
              .err.ends_with("tilewise: a mip chain has 1 to 15 levels below an image: one of 1x1 has 0\n"));
    for (const char* language : {"hlsl", "wgsl", "msl", "cuda"}) {
        CHECK(code("mip-chain", language, "1920x1080").out.find("a dispatch for each level but the first") !=
              std::string::npos);
        CHECK(code("bloom", language, "1920x1080").out.find("two shaders, each dispatched once a level") !=
              std::string::npos);
        const Ended histogram = code("histogram", language, "1920x1080");
        CHECK(histogram.code == 0);
        CHECK(histogram.out.find("one dispatch needs memory that workgroups share while they run") !=
              std::string::npos);
    }
    CHECK(code("histogram", "glsl", "1920x1080").out.find("atomicAdd(bins[") != std::string::npos);
}

TEST_CASE("the code's passes are in JSON, with the workgroups over images of the extent") {
    const Command ask = {"--gpu",    "H100", "--kernel", "gaussian", "--format", "RGBA8",
                         "--radius", "4",    "--code",   "wgsl",     "--method", "direct"};
    const json passes = advice(ask + Command{"--extent", "640x360"})["passes"];
    REQUIRE(passes.size() == 2);
    CHECK(passes[0]["entry"] == "pass1");
    CHECK(passes[0]["reads"] == "R8G8B8A8_UNORM");
    CHECK(passes[0]["writes"] == "R16G16B16A16_SFLOAT");
    CHECK(passes[1]["reads"] == "R16G16B16A16_SFLOAT");
    CHECK(passes[1]["writes"] == "R8G8B8A8_UNORM");
    const uint64_t groups = passes[1]["groups"][0].get<uint64_t>() * passes[1]["groups"][1].get<uint64_t>() *
                            passes[1]["groups"][2].get<uint64_t>();
    CHECK(groups * passes[1]["invocations"].get<uint64_t>() >= uint64_t{640} * 360);
    CHECK(advice(ask)["passes"][0]["groups"] == nullptr);
}

TEST_CASE("--sigma gives the code's weights, of kernels that have some, and of code alone") {
    const Command ask = {"--gpu", "RTX 4070", "--format", "RGBA16F", "--radius", "2", "--kernel"};
    // exp(-i^2 / 2) of i = 0, 1 and 2, over 1 + 2 exp(-1/2) + 2 exp(-2).
    const std::string code = advise(ask + Command{"gaussian", "--sigma", "1", "--code", "hlsl"}).out;
    CHECK(code.find("{0.40261996f, 0.24420135f, 0.054488685f}") != std::string::npos);
    CHECK(code.find("// weights   of sigma 1 texels\n") != std::string::npos);
    const auto refused = [&](const Command& more, const char* mentions) {
        const Ended ended = advise(ask + more);
        CHECK(ended.code == 2);
        CHECK(ended.err.find(mentions) != std::string::npos);
    };
    refused({"gaussian", "--sigma", "1"}, "add --code, such as --code glsl");
    refused({"box", "--sigma", "1", "--code", "glsl"}, "--sigma: box has no Gaussian weights");
    refused({"gaussian", "--sigma", "-1", "--code", "glsl"}, "--sigma");
}

TEST_CASE("--body puts a user's statements into the loop's place, in every language") {
    const Folder folder;
    for (const auto& [language, body] : std::map<std::string, std::string>{
             {"glsl", "vec4 value = vec4(texelFetch(source, ivec2(at), 0).brga);"},
             {"hlsl", "float4 value = source.Load(int3(at, 0)).brga;"},
             {"wgsl", "let value = textureLoad(source, at, 0).brga;"},
             {"msl", "float4 value = source.read(at).brga;"},
             {"cuda", "const float4 texel = tilewise_texel(source, at.x, at.y);\n    const float4 value = texel;"}}) {
        write_text(folder / "body", "    " + body + "\n");
        const Ended code = advise({"--gpu", "RX 6800 XT", "--format", "RGBA8", "--radius", "2", "--code", language,
                                   "--body", folder / "body"});
        CAPTURE(code.err);
        REQUIRE(code.code == 0);
        CHECK(code.out.find("// ---- Your code from here.\n    " + body + "\n    // ---- To here.\n") !=
              std::string::npos);
        CHECK(code.out.find("sum") == std::string::npos);
        if (language != "glsl" && language != "hlsl") continue;
        write_text(folder / "kernel", code.out);
        const Ended compiled = run({"glslc", "-x", language, "--target-env=vulkan1.1", "-fshader-stage=compute",
                                    "-Werror", "-o", folder / "spirv", folder / "kernel"});
        CHECK(compiled.err == "");
    }
    write_text(folder / "body", " \n");
    const Ended empty = advise({"--gpu", "H100", "--format", "RGBA8", "--code", "glsl", "--body", folder / "body"});
    CHECK(empty.code == 1);
    CHECK(empty.err.find("has no code") != std::string::npos);
}

TEST_CASE("--method prints the kernel as it was timed, by each line of the advice") {
    const auto ask = [](const char* kernel, const char* radius, const Command& more) {
        const bool has_radius = *radius != 0;
        return advise(Command{"--gpu", "H100", "--format", "RGBA8", "--kernel", kernel} +
                      (has_radius ? Command{"--radius", radius} : Command{}) + more);
    };
    const auto code_of = [&](const char* kernel, const char* method, const char* radius = "8") {
        const Ended ended = ask(kernel, radius, {"--code", "glsl", "--method", method});
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        const Folder folder;
        write_text(folder / "kernel.comp", ended.out);
        for (const char* pass : {"-DPASS=1", "-DPASS=2"})
            CHECK(run({"glslc", "--target-env=vulkan1.1", "-fshader-stage=compute", pass, "-o", folder / "kernel.spv",
                       folder / "kernel.comp"})
                      .code == 0);
        return ended.out;
    };
    // The shapes and methods that `advise` shows for them.
    CHECK(code_of("box", "use").find("#define STRIP_WIDTH 144\n") != std::string::npos);
    CHECK(code_of("box", "direct").find("const uint shape_x = 4, shape_y = 32;") != std::string::npos);
    CHECK(code_of("gaussian", "use").find("#define WIDTH 108\n#define ROWS 8\n") != std::string::npos);
    CHECK(code_of("bilateral", "use").find("#define PRECISION 16\n") != std::string::npos);
    CHECK(code_of("bilateral", "rounded").find("#define MIDWAY\n") != std::string::npos);
    CHECK(code_of("average", "use", "").find("layout(local_size_x = 128) in;") != std::string::npos);
    CHECK(code_of("brightest", "use", "").find("#define SUBGROUP 32\n") != std::string::npos);

    const auto refused = [&](const Command& more, const char* radius, int code, const std::string& mentions) {
        const Ended ended = ask("gaussian", radius, more);
        CAPTURE(ended.err);
        CHECK(ended.code == code);
        CHECK(ended.out.empty());
        CHECK(ended.err.find(mentions) != std::string::npos);
    };
    refused({"--method", "use"}, "8", 2, "--method chooses the code to print: add --code, such as --code glsl");
    refused({"--method", "use", "--code", "hlsl", "--access", "box"}, "8", 2, "has no method");
    refused({"--method", "rounded", "--code", "glsl"}, "8", 1, "the advice has no such line");
    refused({"--method", "use", "--code", "glsl"}, "10", 1, "radius 10 was not timed; give --radius 12");
    const Ended untimed = advise({"--gpu", "AD102", "--format", "RGBA8", "--code", "glsl", "--method", "use"});
    CHECK(untimed.code == 1);
    CHECK(untimed.err.find("nobody has timed box there; measure it: tilewise measure --kernel box") !=
          std::string::npos);
}

TEST_CASE("what cannot be asked is refused in one line") {
    const auto refused = [](const Command& arguments, int code, const std::string& mentions) {
        const Ended ended = advise(arguments);
        CAPTURE(ended.err);
        CHECK(ended.code == code);
        CHECK(ended.out.empty());
        CHECK(ended.err.find(mentions) != std::string::npos);
    };
    refused({"--format", "RGBA8"}, 2, "which GPU? give --gpu");
    refused({"--gpu", "H100", "--format", "RGBA8", "--kernel", "sobel"}, 2, "sobel");
    refused({"--gpu", "H100", "--format", "RGBA9"}, 2, "RGBA9");
    refused({"--gpu", "H100", "--format", "RGBA8", "--extent", "64x64x64"}, 2, "without depth");
    refused({"--gpu", "no such card", "--format", "RGBA8"}, 1, "no such card");
    // Of several architectures, none is taken for the one that was meant.
    refused({"--gpu", "AMD Radeon(TM) Graphics", "--format", "RGBA8"}, 1, "name one of them");
    // No method of these is run, or printed.
    for (const char* kernel : {"gaussian", "bilateral", "box"})
        refused({"--gpu", "H100", "--format", "RGBA8", "--kernel", kernel, "--radius", "33"}, 2, "beyond radius 32");
    const Folder folder;
    write_text(folder / "broken.glsl", "struct State { vec4 sum; };\nState filter_center(vec4 texel) { return ; }\n");
    for (const char* language : {"glsl", "hlsl", "msl"})
        refused({"--gpu", "H100", "--format", "RGBA8", "--filter", folder / "broken.glsl", "--radius", "2", "--code",
                 language},
                1, "broken.glsl:2: ");
}

TEST_CASE(
    "the blocks that an advice tells are those of the order that it advises, and Morton's are fewer than row order's") {
    size_t told = 0;
    for (const char* gpu : {"H100", "RX 6800 XT", "Adreno 740"})
        for (const char* format : {"R8_UNORM", "R8G8_UNORM", "R16_SFLOAT", "R32_SFLOAT", "D32_SFLOAT"})
            for (const char* radius : {"2", "4"}) {
                const Command asked = {"--gpu", gpu, "--format", format, "--kernel", "box", "--radius", radius};
                const nlohmann::json advice = parse(advise(asked + Command{"--json"}));
                const bool is_use = advice.at("use").is_object() && advice.at("use").at("method") == "direct";
                const nlohmann::json& direct = advice.at(is_use ? "use" : "direct");
                if (!direct.is_object() || !direct.contains("segments_64") || direct.at("segments_64").is_null())
                    continue;
                CAPTURE(direct.dump());
                const nlohmann::json& segments = direct.at("segments_64");
                const std::string order = direct.at("order");
                if (order == "morton") CHECK(segments.at(order) <= segments.at("row"));
                // Row order in a shape of its own may be memory order: it is compared with row order in 16x16.
                const bool is_memory_order = order == "row" && direct.at("shape") != json::array({16, 16});
                if (order == "row" && !is_memory_order) CHECK(advice.at("gains_nothing") == true);
                const json& count = segments.at(is_memory_order ? "learned" : order.c_str());
                const std::string text = advise(asked).out;
                CHECK(text.find(fmt::format("touches   {} segments", count.get<unsigned>())) != std::string::npos);
                told++;
            }
    CHECK(told > 6);
}
