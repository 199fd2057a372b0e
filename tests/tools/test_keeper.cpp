// No driver here is known to answer two routes differently, so the disagreement is provoked: real tables, one element
// moved.
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "tests/support/program.h"
#include "tools/runs/probe/keeper.h"
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

constexpr uint32_t r8g8b8a8_unorm = 37, sampled = 4, storage = 8;

probe::DeviceInfo navi21() {
    probe::DeviceInfo device;
    device.name = "AMD Radeon RX 6800 (RADV NAVI21)";
    device.memory_types.resize(2);
    return device;
}

probe::Reading reading(const Table& table, probe::Route route, int memory_type, uint32_t usage) {
    probe::Reading read;
    read.probed.image.format = r8g8b8a8_unorm;
    read.probed.image.extent_px = {table.extent[axis_x], table.extent[axis_y], 1};
    read.probed.image.usage = usage;
    read.probed.route = route;
    read.memory_type = memory_type;
    read.outcome = probe::Outcome::read;
    read.table = table;
    return read;
}

}  // namespace

TEST_CASE("routes that disagree are both kept, with the element in which they differ") {
    const Folder folder;
    db::Database database = db::open_database(folder / "t.db", db::Access::read_write, {});
    const Table table = parse_table_csv(layout_table("amd_gfx103-navi21_64KB-R-X_32bpp"));
    Table moved = table;
    std::swap(moved.offsets[element_index(table.extent, {7, 9, 0, 0})],
              moved.offsets[element_index(table.extent, {8, 9, 0, 0})]);
    ProbedDevice out;
    out.device = navi21();
    {
        Keeper keeper(database, {&out, 1}, 1);
        keeper.add(reading(table, probe::Route::alias, 0, sampled));
        keeper.add(reading(table, probe::Route::alias, 1, sampled));
        keeper.add(reading(moved, probe::Route::host_copy, 1, sampled));
        keeper.finish();
    }
    REQUIRE(out.results.size() == 3);
    CHECK(out.results[0].observation.fact.result == "exact");
    CHECK(out.results[1].observation.pattern == out.results[0].observation.pattern);
    CHECK(out.results[2].observation.fact.result == "no-fit");
    CHECK(out.usage_differences.empty());
    REQUIRE(out.disagreements.size() == 1);
    CHECK(out.disagreements[0].first == 0);
    CHECK(out.disagreements[0].second == 2);
    CHECK(out.disagreements[0].difference.differing == 2);
    const auto kept = db::find_disagreements(database);
    REQUIRE(kept.size() == 1);
    CHECK(kept[0].fact.element == Coord{7, 9, 0, 0});
    CHECK(kept[0].fact.first_offset == table.offsets[element_index(table.extent, {7, 9, 0, 0})]);
    CHECK(kept[0].first.fact.route == "alias");
    CHECK(kept[0].second.fact.route == "host-copy");
    CHECK(db::find_observations(database, {}).size() == 3);
}

TEST_CASE("another layout under another usage is no disagreement, but it is told") {
    const Folder folder;
    db::Database database = db::open_database(folder / "t.db", db::Access::read_write, {});
    ProbedDevice out;
    out.device = navi21();
    {
        Keeper keeper(database, {&out, 1}, 1);
        keeper.add(reading(parse_table_csv(layout_table("amd_gfx103-navi21_64KB-R-X_32bpp")), probe::Route::alias, 0,
                           sampled));
        keeper.add(
            reading(parse_table_csv(layout_table("amd_gfx12-gfx1201_64KB-2D_32bpp")), probe::Route::alias, 0, storage));
        keeper.finish();
    }
    CHECK(out.disagreements.empty());
    REQUIRE(out.usage_differences.size() == 1);
    CHECK(db::find_disagreements(database).empty());
    CHECK(db::find_observations(database, {}).size() == 2);
}

// NVIDIA's host copy (580.159.04, H100) writes plane 1 over plane 0: that is what is given here, with a real table.
TEST_CASE("no route that puts one plane over another is exact, and it is no disagreement") {
    const Folder folder;
    db::Database database = db::open_database(folder / "t.db", db::Access::read_write, {});
    const Table table = parse_table_csv(layout_table("amd_gfx103-navi21_64KB-R-X_32bpp"));
    constexpr uint32_t g8_b8r8_2plane_444_unorm = 1000330000, plane_0 = 0x10, plane_1 = 0x20;
    const auto plane = [&](uint32_t aspect, uint64_t base, probe::Route route) {
        probe::Reading read = reading(table, route, 0, sampled);
        read.probed.image.format = g8_b8r8_2plane_444_unorm;
        read.probed.aspect = aspect;
        for (uint64_t& offset : read.table.offsets) offset += base;
        return read;
    };
    ProbedDevice out;
    out.device = navi21();
    const uint64_t beyond = uint64_t{1} << 20;
    {
        Keeper keeper(database, {&out, 1}, 1);
        keeper.add(plane(plane_0, 0, probe::Route::alias));
        keeper.add(plane(plane_1, beyond, probe::Route::alias));
        keeper.add(plane(plane_0, 0, probe::Route::host_copy));
        keeper.add(plane(plane_1, 0, probe::Route::host_copy));
        // Half of plane 1 alone is written where plane 0 is.
        keeper.add(plane(plane_0, 0, probe::Route::alias_map));
        probe::Reading half = plane(plane_1, 0, probe::Route::alias_map);
        std::fill_n(half.table.offsets.begin(), half.table.offsets.size() / 2, Table::missing_offset);
        keeper.add(std::move(half));
        keeper.finish();
    }
    REQUIRE(out.results.size() == 6);
    for (const Probed& result : out.results) {
        const db::ObservationFact& fact = result.observation.fact;
        CAPTURE(fact.reason);
        CHECK(fact.result == std::string(fact.route == "alias" ? "exact" : "no-fit"));
        if (fact.route == "host-copy") CHECK(fact.reason.find("share the byte at 0x0") != std::string::npos);
        if (fact.route == "alias-map") CHECK(fact.reason.find("share a byte") != std::string::npos);
    }
    CHECK(out.disagreements.empty());
    CHECK(db::find_observations(database, {}).size() == 6);
}

TEST_CASE("parts of an image that was not read whole are kept all the same") {
    const Folder folder;
    db::Database database = db::open_database(folder / "t.db", db::Access::read_write, {});
    ProbedDevice out;
    out.device = navi21();
    {
        Keeper keeper(database, {&out, 1}, 1);
        probe::Reading read =
            reading(parse_table_csv(layout_table("amd_gfx103-navi21_64KB-R-X_32bpp")), probe::Route::alias, 0, sampled);
        read.probed.image.layers = 2;
        keeper.add(std::move(read));
        keeper.finish();
    }
    REQUIRE(db::find_observations(database, {}).size() == 1);
    CHECK(db::find_observations(database, {}).front().fact.result == "exact");
}
