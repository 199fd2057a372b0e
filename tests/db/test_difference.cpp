// db diff: what two sides say of the same images; and the modes by which query chooses.
#include "db/query/difference.h"
#include "db/query/query.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include <doctest/doctest.h>

using namespace tilewise;
using namespace tilewise::db;

namespace {

constexpr const char* day = "2025-03-01T12:00:00Z";

ObservationFact image(const Layout& layout, std::array<uint32_t, 3> extent, uint64_t bytes = 0) {
    ObservationFact fact = sample::observed(layout, day);
    fact.extent_px = extent;
    fact.bytes = bytes;
    return fact;
}

DriverFact other_driver() {
    DriverFact driver = sample::nvidia_580();
    driver.info = driver.version = "590.10";
    return driver;
}

TuningFact tuned(const std::string& time) {
    TuningFact fact;
    fact.kernel = "box";
    fact.method = "direct";
    fact.order = "row";
    fact.format = "R8G8B8A8_UNORM";
    fact.extent = {256, 256};
    fact.radius = 8;
    fact.shape = {16, 16};
    fact.columns = "x0 x1 x2 x3 y0 y1 y2 y3";
    fact.candidates = 200;
    fact.samples = 50;
    fact.median_ms = 1;
    fact.time = time;
    return fact;
}

/// Three images of 580's: one that 590 gives another pattern, one with other bytes, one alike; a fourth of each.
Database two_drivers(const std::filesystem::path& path) {
    Database database = sample::empty_database(path);
    const auto add = [&](const DriverFact& driver, const ObservationFact& fact) {
        add_observation(database, sample::h100(), driver, fact);
    };
    Layout narrow = sample::gob_of_16();
    narrow.stride[axis_y] = 8192 * 30;
    add(sample::nvidia_580(), image(sample::gob_of_16(), {300, 200, 1}));
    add(other_driver(), image(sample::navi21(), {300, 200, 1}));
    add(sample::nvidia_580(), image(sample::gob_of_16(), {301, 200, 1}));
    add(other_driver(), image(narrow, {301, 200, 1}));
    add(sample::nvidia_580(), image(sample::gob_of_16(), {302, 200, 1}, 4096));
    add(other_driver(), image(sample::gob_of_16(), {302, 200, 1}, 4096));
    add(sample::nvidia_580(), image(sample::gob_of_16(), {303, 200, 1}));
    add(other_driver(), sample::failed("unsupported", "", day));
    return database;
}

}  // namespace

TEST_CASE("two drivers: what is alike, what has another pattern, other strides, or is known of one alone") {
    const sample::Folder folder;
    const Database database = two_drivers(folder / "a.db");
    const Difference found =
        difference_between({database, {.driver = "580"}}, {database, {.driver = "590"}}, {.driver = false});
    CHECK(found.subresources_a == 4);
    CHECK(found.subresources_b == 3);
    CHECK(found.same == 1);
    REQUIRE(found.other_pattern.size() == 1);
    CHECK(found.other_pattern[0].of.extent == std::array<uint32_t, 3>{300, 200, 1});
    CHECK(found.other_pattern[0].of.device == sample::h100().name);
    CHECK(found.other_pattern[0].a == std::set{pattern_id(sample::gob_of_16().pattern)});
    CHECK(found.other_pattern[0].b == std::set{pattern_id(sample::navi21().pattern), std::string("unsupported")});
    REQUIRE(found.other_placement.size() == 1);
    CHECK(found.other_placement[0].of.extent[0] == 301);
    REQUIRE(found.only_a.size() == 1);
    CHECK(found.only_a[0].of.extent[0] == 303);
    CHECK(found.only_b.empty());
}

TEST_CASE("tune results: one order on both sides is the same however long it takes; the newest of each side counts") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    TuningFact fact = tuned("2026-11-23T00:00:00Z");
    const auto add = [&](const DriverFact& driver, const TuningFact& tuning) {
        add_fact(database, sample::h100(), driver, tuning);
    };
    add(sample::nvidia_580(), fact);
    fact.median_ms = 2;
    add(other_driver(), fact);
    fact.radius = 4;
    add(sample::nvidia_580(), fact);
    fact.group_order = "tiles of 2x4";
    fact.time = "2026-11-22T00:00:00Z";  // older than the next
    add(other_driver(), fact);
    fact.group_order = "tiles of 1x2";
    fact.time = "2026-11-24T00:00:00Z";
    add(other_driver(), fact);
    fact.kernel = "gaussian";
    add(other_driver(), fact);
    const Side a = {database, {.driver = "580"}}, b = {database, {.driver = "590"}};
    const TuningDifference found = tuning_difference(a, b, {.driver = false});
    CHECK(found.same == 1);
    REQUIRE(found.other.size() == 1);
    CHECK(found.other[0].a.fact.group_order == "linear");
    CHECK(found.other[0].b.fact.group_order == "tiles of 1x2");
    CHECK(found.only_a.empty());
    REQUIRE(found.only_b.size() == 1);
    CHECK(found.only_b[0].fact.kernel == "gaussian");
    const Side as_format = {database, {.driver = "590", .format = "R8_UNORM"}};
    CHECK(tuning_difference(a, as_format, {.driver = false}).only_b.empty());
    CHECK(tuning_difference(a, b, {}).same == 0);
}

TEST_CASE("figures: intervals that meet are the same, a value without one must be the very same; the newest counts") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    const auto add = [&](const DriverFact& driver, const char* name, double value, std::array<double, 2> interval,
                         const char* format = "", const char* time = "2026-11-23T00:00:00Z") {
        const FigureFact fact = {
            .name = name, .format = format, .value = value, .interval = interval, .time = time, .tool_version = "1"};
        add_fact(database, sample::h100(), driver, fact);
    };
    add(sample::nvidia_580(), "first_level_ns", 20, {19, 21});
    add(other_driver(), "first_level_ns", 21.5, {20.5, 22});
    add(sample::nvidia_580(), "second_level_ns", 148, {147, 149});
    add(other_driver(), "second_level_ns", 148, {147, 149}, "", "2026-11-22T00:00:00Z");
    add(other_driver(), "second_level_ns", 151, {150, 152});
    add(sample::nvidia_580(), "miss_bytes", 32, {});
    add(other_driver(), "miss_bytes", 64, {60, 70});
    add(sample::nvidia_580(), "texels_2x2_per_us", 9, {8, 10}, "R8_UNORM");
    add(other_driver(), "texels_2x2_per_us", 9, {8, 10}, "R8G8B8A8_UNORM");
    const Side a = {database, {.driver = "580"}}, b = {database, {.driver = "590"}};
    const FigureDifference found = figure_difference(a, b, {.driver = false});
    CHECK(found.same == 1);
    REQUIRE(found.other.size() == 2);
    CHECK(found.other[0].a.fact.name == "miss_bytes");
    CHECK(found.other[1].b.fact.value == 151);
    REQUIRE(found.only_a.size() == 1);
    CHECK(found.only_a[0].fact.format == "R8_UNORM");
    REQUIRE(found.only_b.size() == 1);
    CHECK(found.only_b[0].fact.format == "R8G8B8A8_UNORM");
}

TEST_CASE("a size in bytes that one side does not know is no difference, and another constant is none") {
    const sample::Folder folder;
    Database a = sample::empty_database(folder / "a.db"), b = sample::empty_database(folder / "b.db");
    Layout layout = sample::navi21();
    add_observation(a, sample::radeon(), sample::radv(), image(layout, {300, 200, 1}));
    layout.constant = 0x400;
    add_observation(b, sample::radeon(), sample::radv(), image(layout, {300, 200, 1}, 1 << 20));
    CHECK(difference_between({a, {}}, {b, {}}, {}).same == 1);
    add_observation(a, sample::radeon(), sample::radv(), image(layout, {300, 200, 1}, 1 << 21));
    CHECK(difference_between({a, {}}, {b, {}}, {}).other_placement.size() == 1);
}

TEST_CASE("of two databases the same device and driver are compared, unless the sides say otherwise") {
    const sample::Folder folder;
    Database a = sample::empty_database(folder / "a.db"), b = sample::empty_database(folder / "b.db");
    add_observation(a, sample::h100(), sample::nvidia_580(), image(sample::gob_of_16(), {300, 200, 1}));
    add_observation(b, sample::h100(), other_driver(), image(sample::gob_of_16(), {300, 200, 1}));
    const Difference apart = difference_between({a, {}}, {b, {}}, {});
    CHECK(apart.only_a.size() == 1);
    CHECK(apart.only_b.size() == 1);
    CHECK(difference_between({a, {}}, {b, {}}, {.driver = false}).same == 1);
}

TEST_CASE("patterns are found by a part of their mode's name or modifier, and a mode that is not there by what is") {
    const sample::Folder folder;
    const Database database = two_drivers(folder / "a.db");
    for (const char* mode : {"NVIDIA block-linear", "block-LINEAR", "BLOCK_LINEAR_2D", "16 GOBs"}) {
        CAPTURE(mode);
        const std::vector<PatternSummary> found = find_patterns(database, {.mode = mode});
        REQUIRE(found.size() == 1);
        CHECK(found[0].id == pattern_id(sample::gob_of_16().pattern));
    }
    CHECK(find_patterns(database, {.format = "R8_UNORM", .mode = "block"}).empty());
    CHECK(find_patterns(database, {.mode = "Tile4"}).empty());
    CHECK(why_nothing(database, {.mode = "Tile4"}).starts_with("no observation of the mode \"Tile4\"; there are: "));
}
