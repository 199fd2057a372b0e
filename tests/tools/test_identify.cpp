// The search of identify, without its command: layouts that others published, found again in pictures that have them.
#include "db/facts/observation.h"
#include "db/sqlite/open.h"
#include "patterns/convert/convert.h"
#include "patterns/model/one_to_one.h"
#include "tests/support/db_sample.h"
#include "tests/support/pictures.h"
#include "tests/support/soak.h"
#include "tests/support/table_files.h"
#include "tools/answers/identify/identify.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <map>

using namespace tilewise;

namespace {

Identified identified(const db::Database& database, const std::string& dump, const std::vector<Channel>& channels,
                      const Element& element, const Coord& extent) {
    PossibleLayouts possible = possible_layouts(database, element, extent, 0, dump.size());
    REQUIRE(!possible.fitting.empty());
    return identify_dump({std::as_bytes(std::span(dump)), extent, channels}, std::move(possible.fitting),
                         [](const char*) { return Advance(); });
}

}  // namespace

TEST_CASE(
    "identify finds the layouts of every fourth table of tests/data/layouts, at the table's size, and some at "
    "another") {
    const sample::Folder folder;
    db::Database database = db::open_database(folder / "t.db", db::Access::read_write);
    std::map<std::string, Layout> layouts;
    std::map<std::string, Coord> extents;
    for (const std::filesystem::path& path : table_paths()) {
        const std::string name = path.stem().stem().string();
        const Table table = parse_table_csv(table_text(name));
        layouts[name] = solve(table).layout;
        extents[name] = table.extent;
        db::ObservationFact fact;
        fact.format = "FORMAT_OF_" + std::to_string(table.element.bytes);
        fact.usage = "sampled";
        fact.extent_px = {table.extent[axis_x], table.extent[axis_y], 1};
        fact.route = "table";
        fact.result = "exact";
        fact.layout = layouts[name];
        fact.elements = table.offsets.size();
        fact.time = "2026-01-01T00:00:00Z";
        fact.provenance = "published table";
        db::add_observation(database, {.vendor_id = 1, .name = name}, {.name = "table"}, fact);
    }
    REQUIRE(layouts.size() == 19);
    const auto check_found = [&](const Layout& layout, const Coord& extent) {
        const uint32_t bytes = layout.pattern.element.bytes;
        const std::string dump = tiled_by(layout, extent, picture(extent[axis_x], extent[axis_y], bytes));
        const Identified found = identified(database, dump, byte_channels(bytes), {bytes, 1, 1}, extent);
        CHECK(found.verdict.found);
        // By another name, perhaps: patterns that are equal at this size are one picture.
        const Layout& winner = found.ranking.front().layout();
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < element_count(extent); i++)
            wrong += offset_of(winner, element_at_index(extent, i)) != offset_of(layout, element_at_index(extent, i));
        CHECK(wrong == 0);
    };
    size_t number = 0;
    for (const auto& named : layouts) {
        const auto& [name, layout] = named;
        CAPTURE(named.first);
        if (!is_drawn(number++, 4)) continue;
        check_found(layout, extents[name]);
        if (!is_drawn(number, 3)) continue;
        Layout dense = dense_layout(layout.pattern, {333, 215, 1, 1});
        dense.constant = layout.constant;
        check_found(dense, {333, 215, 1, 1});
    }
}

TEST_CASE("identify does not take a layout that nobody knows for the known one that is most like it") {
    const db::Database database = db::open_catalog();
    const Coord extent = {333, 215, 1, 1};
    const std::string rows = picture(extent[axis_x], extent[axis_y], 4);
    const probe::Format& rgba8 = probe::format_named("R8G8B8A8_UNORM");
    for (const char* name :
         {"nvidia_turing-ada_bl16_32bpp", "amd_gfx103-navi21_64KB-R-X_32bpp", "apple_agx_twiddled_32bpp"}) {
        const Pattern known = table_layout(name).pattern;
        const auto bits = static_cast<unsigned>(std::bit_width(known.tile_bytes - 1));
        for (unsigned low = 4; low + 1 < bits; low += soaking() ? 4 : 16) {
            CAPTURE(name);
            CAPTURE(low);
            // The same but for one address bit, which has changed places with the highest.
            Pattern unknown = known;
            for (std::vector<uint64_t>& columns : unknown.equation.columns)
                for (uint64_t& column : columns) {
                    const uint64_t differs = (column >> low ^ column >> (bits - 1)) & 1;
                    column ^= differs << low ^ differs << (bits - 1);
                }
            const std::string dump = tiled_by(dense_layout(unknown, extent), extent, rows);
            CHECK(!identified(database, dump, channels_of(rgba8), rgba8.element, extent).verdict.found);
        }
    }
}

TEST_CASE("modes that texts define are found, of devices that nobody read") {
    const db::Database database = db::open_catalog();
    const Coord extent = {333, 215, 1, 1};
    const std::string rows = picture(extent[axis_x], extent[axis_y], 4);
    const probe::Format& rgba8 = probe::format_named("R8G8B8A8_UNORM");
    const std::vector<ModeRequest> requests = {{"tilex", {}},
                                               {"64KB_S", {}},
                                               {"4KB_S", {}},
                                               {"vivante_super_tiled", {}},
                                               {"block_linear", {{"gobs", "2"}, {"kind", "tegra"}}},
                                               {"block_linear", {{"gobs", "4"}, {"kind", "turing"}}},
                                               {"block_linear", {{"gobs", "8"}, {"kind", "fermi"}}}};
    for (const ModeRequest& request : requests) {
        CAPTURE(describe(request));
        const Layout layout = defined_layout(request, rgba8.element, extent);
        const auto found =
            identified(database, tiled_by(layout, extent, rows), channels_of(rgba8), rgba8.element, extent);
        CHECK(found.verdict.found);
        CHECK(found.ranking.front().layout().pattern == layout.pattern);
    }
}

TEST_CASE("what only small levels of mip chains show is no reading of a larger image") {
    const db::Database database = db::open_catalog();
    const Element element = {4, 1, 1};
    const auto is_tried = [&](const Coord& extent) {
        const uint64_t bytes = element_count(extent) * element.bytes;
        const PossibleLayouts possible = possible_layouts(database, element, extent, 0, 2 * bytes);
        return std::ranges::any_of(possible.fitting, [](const PossibleLayout& choice) {
            return choice.pattern == "50088af83adb4ff7" && !choice.mode;
        });
    };
    CHECK(is_tried({4, 4, 1, 1}));
    CHECK(!is_tried({200, 300, 1, 1}));
    CHECK(!is_tried({1080, 1920, 1, 1}));
}

TEST_CASE("an image in a part of its block is found, whatever fills the rest of the block") {
    const db::Database database = db::open_catalog();
    const Coord extent = {60, 60, 1, 1};
    const std::string rows = picture(extent[axis_x], extent[axis_y], 4);
    const probe::Format& rgba8 = probe::format_named("R8G8B8A8_UNORM");
    const Layout layout = dense_layout(table_layout("amd_gfx103-navi21_64KB-R-X_32bpp").pattern, extent);
    std::string tiled = tiled_by(layout, extent, rows);
    tiled.resize(layout.pattern.tile_bytes);
    const Identified found = identified(database, tiled, channels_of(rgba8), rgba8.element, extent);
    CHECK(found.verdict.found);
    CHECK(offset_of(found.ranking.front().layout(), {59, 59, 0, 0}) == offset_of(layout, {59, 59, 0, 0}));
}

TEST_CASE("identify tries no reading whose elements would overlap") {
    const sample::Folder folder;
    db::Database database = sample::empty_database(folder / "t.db");
    // Blocks of 4x4 texels: the strides of so many texels, and too small for so many elements.
    Layout layout = sample::layout_of(16, {0x10, 0x20}, {0x40, 0x80});
    layout.pattern.element.width = layout.pattern.element.height = 4;
    layout.stride = {256, 5 * 256, 0, 0};
    db::ObservationFact fact = sample::observed(layout, "2025-03-01T12:00:00Z");
    fact.format = "BC7_UNORM_BLOCK";
    fact.extent_px = {75, 50, 1};
    db::add_observation(database, sample::h100(), sample::nvidia_580(), fact);
    const auto tried = [&](const Element& element, const Coord& extent) {
        const auto fitting = possible_layouts(database, element, extent, 0, 1 << 20).fitting;
        for (const PossibleLayout& choice : fitting) CHECK(why_not_one_to_one(choice.layout, extent) == nullptr);
        return std::ranges::count_if(fitting,
                                     [](const PossibleLayout& choice) { return choice.placed.starts_with("as seen"); });
    };
    CHECK(tried({16, 4, 4}, {19, 13, 1, 1}) == 1);
    CHECK(tried({16, 1, 1}, {75, 50, 1, 1}) == 0);
}

TEST_CASE("ramps of 8 bits, and a channel of cells beside finer ones, are no broken picture; swapped blocks are") {
    const auto border_of = [](const std::string& rows, uint32_t width, uint32_t height, const auto& from) {
        std::string read;
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) read += rows.substr((size_t{y} * width + from(x)) * 4, 4);
        const std::vector<Channel> channels = byte_channels(4);
        const Element element = {4, 1, 1};
        Pattern linear;
        linear.element = element;
        linear.tile_bytes = element.bytes;
        const Coord extent = {width, height, 1, 1};
        return roughest_border({std::as_bytes(std::span(read)), extent, channels, dense_layout(linear, extent)},
                               min_standard_errors);
    };
    const auto as_it_is = [](uint32_t x) { return x; };
    for (const uint32_t width : {200U, 300U, 640U, 1280U, 1366U, 1920U}) {
        CAPTURE(width);
        constexpr uint32_t height = 120;
        std::string ramps, cells;
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                const auto along_x = static_cast<char>(x * 255 / width), along_y = static_cast<char>(y * 255 / height);
                const auto waves = static_cast<char>(127 + 120 * std::sin(x / 17.0) * std::cos(y / 23.0));
                ramps += {along_x, along_y, along_x, '\xff'};
                cells += {static_cast<char>(along_x & 0xf0), waves, along_y, '\xff'};
            }
        CHECK(border_of(ramps, width, height, as_it_is).rough == 0);
        CHECK(border_of(cells, width, height, as_it_is).rough == 0);
        for (const uint32_t step : {32U, 64U}) {
            CAPTURE(step);
            // Two blocks of each pair change places.
            const auto swapped = [&](uint32_t x) { return (x ^ step) < width ? x ^ step : x; };
            CHECK(border_of(ramps, width, height, swapped).rough > 0.9);
            CHECK(border_of(cells, width, height, swapped).rough > 0.6);
        }
    }
}
