// Exact means one-to-one, bytes included: what tables and layouts may claim otherwise is refused.
#include "patterns/convert/convert.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/one_to_one.h"
#include "patterns/solve/solve.h"
#include "tests/support/random_layout.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <functional>

using namespace tilewise;

namespace {

/// By sorting, which shares nothing with the proof.
bool shares_bytes(const Table& table) {
    std::vector<uint64_t> offsets = table.offsets;
    std::ranges::sort(offsets);
    for (size_t i = 1; i < offsets.size(); i++)
        if (offsets[i] - offsets[i - 1] < table.element.bytes) return true;
    return offsets.back() > ~uint64_t{0} - table.element.bytes;
}

Table table_by(const Coord& extent, uint32_t bytes, const std::function<uint64_t(const Coord&)>& offset) {
    Table table;
    table.element.bytes = bytes;
    table.extent = extent;
    for (uint64_t i = 0; i < element_count(extent); i++) table.offsets.push_back(offset(element_at_index(extent, i)));
    return table;
}

bool is_exact(const Table& table) {
    const Solution solution = solve(table);
    CHECK((solution.fit == Fit::exact || !solution.reason.empty()));
    return solution.fit == Fit::exact;
}

uint64_t morton(const Coord& at, unsigned bits) {
    uint64_t code = 0;
    for (unsigned bit = 0; bit < bits; bit++)
        code |= uint64_t{at[axis_x] >> bit & 1} << 2 * bit | uint64_t{at[axis_y] >> bit & 1} << (2 * bit + 1);
    return code;
}

}  // namespace

TEST_CASE("a table in which an axis moves nothing has no layout") {
    for (const Coord& extent : {Coord{8, 8, 1, 1}, Coord{7, 5, 1, 1}, Coord{32, 32, 1, 1}, Coord{4, 4, 4, 1}}) {
        CAPTURE(extent[axis_x]);
        CHECK(!is_exact(table_by(extent, 4, [](const Coord&) { return 0; })));
        CHECK(!is_exact(table_by(extent, 4, [](const Coord& at) { return at[axis_y] * 4; })));
        CHECK(!is_exact(table_by(extent, 4, [](const Coord& at) { return at[axis_x] * 4; })));
        CHECK(!is_exact(table_by(extent, 4, [](const Coord& at) { return at[axis_y] * 256 + at[axis_z] * 4096; })));
    }
    CHECK(!is_exact(table_by({4, 4, 4, 1}, 4, [](const Coord& at) { return at[axis_y] * 16 + at[axis_x] * 4; })));
}

TEST_CASE("tiles, or rows of them, that lie on one another have no layout, whatever their equation") {
    const auto tile = [](const Coord& at, uint64_t x, uint64_t y) {
        return morton({at[axis_x] % 8, at[axis_y] % 8, 0, 0}, 3) * 4 + at[axis_x] / 8 * x + at[axis_y] / 8 * y;
    };
    for (const auto& [x, y] : {std::pair{256U, 0U}, {0U, 256U}, {256U, 256U}, {256U, 512U}, {128U, 1024U}, {0U, 0U}}) {
        CAPTURE(x);
        CAPTURE(y);
        CHECK(!is_exact(table_by({32, 32, 1, 1}, 4, [&](const Coord& at) { return tile(at, x, y); })));
    }
    CHECK(is_exact(table_by({32, 32, 1, 1}, 4, [&](const Coord& at) { return tile(at, 256, 1024); })));
}

TEST_CASE("offsets that wrap at 64 bits, or elements that end beyond, have no layout") {
    for (const uint64_t base : {~uint64_t{0} - 63, ~uint64_t{0} - 255 + 4, ~uint64_t{0} - 15})
        CHECK(!is_exact(
            table_by({8, 8, 1, 1}, 4, [&](const Coord& at) { return base + at[axis_y] * 32 + at[axis_x] * 4; })));
    for (const uint64_t stride : {~uint64_t{0} - 31, uint64_t{1} << 62, uint64_t{1} << 63})
        CHECK(!is_exact(
            table_by({8, 8, 1, 1}, 4, [&](const Coord& at) { return at[axis_y] * stride + at[axis_x] * 4; })));
}

TEST_CASE("elements that overlap in part have no layout") {
    for (const uint32_t step : {1U, 2U, 3U})
        CHECK(!is_exact(
            table_by({16, 16, 1, 1}, 4, [&](const Coord& at) { return (at[axis_y] * 16 + at[axis_x]) * step; })));
    CHECK(!is_exact(table_by({8, 8, 1, 1}, 12, [](const Coord& at) { return at[axis_y] * 96 + at[axis_x] * 8; })));
}

TEST_CASE("300 random layouts, bent until elements share bytes or not, are exact only where they share none") {
    std::mt19937_64 random(12);
    int shared = 0, exact = 0;
    for (int i = 0; i < 300; i++) {
        RandomImage image = random_image(random);
        Layout& layout = image.layout;
        const Axis axis = all_axes[random() % 3];
        switch (random() % 6) {
            case 0:
                layout.stride[axis] = 0;
                break;
            case 1:
                layout.stride[axis] = layout.stride[(axis + 1) % 3];
                break;
            case 2:
                layout.stride[axis] /= 2;
                break;
            case 3:
                layout.base = ~uint64_t{0} - random() % 4096;
                break;
            case 4:
                for (uint64_t& column : layout.pattern.equation.columns[axis])
                    if (random() % 2) column = 0;
                break;
            case 5:
                if (auto& columns = layout.pattern.equation.columns[axis]; !columns.empty())
                    columns.back() = columns.front();
        }
        const Table table = table_of(image);
        if (std::ranges::count(table.offsets, Table::missing_offset)) continue;
        const bool bad = shares_bytes(table);
        CAPTURE(i);
        CAPTURE(to_json(layout).dump());
        const bool fits = is_exact(table);
        if (bad) REQUIRE(!fits);
        if (why_not_one_to_one(layout, image.extent) == nullptr) CHECK(!bad);
        shared += bad;
        exact += fits;
    }
    CHECK(shared > 50);
    CHECK(exact > 50);
}

TEST_CASE("any random layout is proved for its image, and what is proved shares no byte") {
    std::mt19937_64 random(13);
    for (int i = 0; i < 2000; i++) {
        const RandomImage image = random_image(random);
        CAPTURE(to_json(image.layout).dump());
        CHECK(why_not_one_to_one(image.layout, image.extent) == nullptr);
        CHECK(!shares_bytes(table_of(image)));
    }
}

TEST_CASE("neither detile nor tile works by a layout in which tiles overlap") {
    Layout layout;
    layout.pattern.element.bytes = 4;
    layout.pattern.tile_bytes = 4;
    layout.stride = {4, 16, 0, 0};  // rows of 8 elements, 4 elements apart
    std::vector<std::byte> memory(4096), rows(4096);
    const Box box = {{}, {8, 8, 1, 1}};
    CHECK_THROWS_WITH_AS(detile(layout, box, memory, rows), doctest::Contains("two tiles would overlap"), Error);
    CHECK_THROWS_WITH_AS(tile(layout, box, rows, memory), doctest::Contains("two tiles would overlap"), Error);
    layout.stride[axis_y] = 32;
    CHECK_NOTHROW(detile(layout, box, memory, rows));
}
