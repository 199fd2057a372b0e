// Properties of the solver over random layouts: what the model can say is recovered, what it cannot is never accepted.
#include "patterns/model/layout_json.h"
#include "patterns/solve/solution_json.h"
#include "patterns/solve/solve.h"
#include "tests/support/layout_formula.h"
#include "tests/support/random_layout.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;

namespace {

/// The layout's offsets by the formula of the JSON object, which shares no code with the solver.
bool reproduces(const Layout& layout, const Table& table) {
    const LayoutFormula formula(to_json(layout));
    for (uint64_t i = 0; i < table.offsets.size(); i++)
        if (formula(element_at_index(table.extent, i)) != table.offsets[i]) return false;
    return true;
}

std::string name_of(const Coord& at, const Coord& extent) {
    return extent[axis_z] > 1 ? fmt::format("({},{},{})", at[axis_x], at[axis_y], at[axis_z])
                              : fmt::format("({},{})", at[axis_x], at[axis_y]);
}

RandomImage image_of_at_least(uint64_t elements, std::mt19937_64& random) {
    RandomImage image = random_image(random);
    while (element_count(image.extent) < elements) image = random_image(random);
    return image;
}

}  // namespace

TEST_CASE("10,000 random layouts are recovered exactly, in a tile no larger than theirs") {
    std::mt19937_64 random(2);
    for (int i = 0; i < 10000; i++) {
        const RandomImage image = random_image(random);
        const Table table = table_of(image);
        const Solution solution = solve(table);
        INFO("case ", i, ": ", to_json(image.layout).dump(), " extent ", image.extent[0], "x", image.extent[1], "x",
             image.extent[2], ": ", solution.reason);
        REQUIRE(solution.fit == Fit::exact);
        REQUIRE(reproduces(solution.layout, table));
        const Pattern& pattern = image.layout.pattern;
        if (pattern.outer_xor.is_zero() && pattern.index_xor.is_zero())
            CHECK(element_count(solution.layout.pattern.tile) <= element_count(pattern.tile));
    }
}

TEST_CASE("the same pattern has the same id at another size, base and constant") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 100; i++) {
        RandomImage image = random_image(random);
        for (Axis a : {axis_x, axis_y, axis_z})
            if (a != axis_z || image.layout.pattern.tile[a] > 1) image.extent[a] = 5 * image.layout.pattern.tile[a] + 1;
        image.layout.pattern.outer_xor = image.layout.pattern.index_xor = {};
        image.layout.stride = {};
        auto restride = [&](uint32_t extra) {
            uint64_t span = image.layout.pattern.tile_bytes;
            for (Axis a : all_axes) {
                const uint64_t tiles = (image.extent[a] - 1) / image.layout.pattern.tile[a] + 1;
                if (tiles == 1) continue;
                image.layout.stride[a] = span + extra * image.layout.pattern.tile_bytes;
                span = image.layout.stride[a] * tiles;
            }
        };
        restride(1);
        const Solution first = solve(table_of(image));
        image.extent[axis_x] += 2 * image.layout.pattern.tile[axis_x];
        image.layout.base += 4096 * image.layout.pattern.tile_bytes;
        image.layout.constant = 0;
        restride(3);
        const Solution second = solve(table_of(image));
        INFO("case ", i, ": ", to_json(first).dump(), " and ", to_json(second).dump());
        REQUIRE(first.fit == Fit::exact);
        REQUIRE(second.fit == Fit::exact);
        CHECK(pattern_id(first.layout.pattern) == pattern_id(second.layout.pattern));
    }
}

TEST_CASE("one moved element is found and named") {
    std::mt19937_64 random(4);
    for (int i = 0; i < 100; i++) {
        const RandomImage image = image_of_at_least(256, random);
        Table table = table_of(image);
        const uint64_t victim = random() % table.offsets.size();
        table.offsets[victim] += image.layout.pattern.element.bytes * (1 + random() % 100000) * 4096 + 1;
        const Solution solution = solve(table);
        INFO("case ", i, ": ", to_json(image.layout).dump(), " victim ", victim, ": ", to_json(solution).dump());
        REQUIRE(solution.fit == Fit::no_fit);
        CHECK(solution.reason.find(name_of(element_at_index(table.extent, victim), table.extent)) != std::string::npos);
        CHECK(solution.mismatches >= 1);
    }
}

TEST_CASE("one element at the place of another is found, and both are named") {
    std::mt19937_64 random(5);
    for (int i = 0; i < 100; i++) {
        const RandomImage image = image_of_at_least(256, random);
        Table table = table_of(image);
        const uint64_t victim = random() % table.offsets.size();
        const uint64_t other = (victim + 1 + random() % (table.offsets.size() - 1)) % table.offsets.size();
        table.offsets[victim] = table.offsets[other];
        const Solution solution = solve(table);
        INFO("case ", i, ": ", to_json(image.layout).dump(), " victim ", victim, " other ", other, ": ",
             solution.reason);
        REQUIRE(solution.fit == Fit::no_fit);
        for (uint64_t index : {victim, other})
            CHECK(solution.reason.find(name_of(element_at_index(table.extent, index), table.extent)) !=
                  std::string::npos);
    }
}

TEST_CASE("a missing element is named") {
    std::mt19937_64 random(6);
    for (int i = 0; i < 500; i++) {
        Table table = table_of(random_image(random));
        const uint64_t victim = random() % table.offsets.size();
        table.offsets[victim] = Table::missing_offset;
        const Solution solution = solve(table);
        REQUIRE(solution.fit == Fit::no_fit);
        CHECK(solution.reason.find(name_of(element_at_index(table.extent, victim), table.extent) + " is missing") !=
              std::string::npos);
    }
}

TEST_CASE("a foreign row in the table is named") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 100; i++) {
        const RandomImage image = image_of_at_least(64, random);
        std::string csv;
        const Table table = table_of(image);
        for (uint64_t j = 0; j < table.offsets.size(); j++) {
            Coord at = element_at_index(table.extent, j);
            csv += fmt::format("{},{},{},{}\n", at[0], at[1], at[2], table.offsets[j]);
        }
        const uint32_t x = 2 * table.extent[axis_x] + 3 + static_cast<uint32_t>(random() % 100000);
        csv += fmt::format("{},0,0,{}\n", x, uint64_t{1} << 40);
        const Solution solution = solve(parse_table_csv(csv, table.element.bytes));
        REQUIRE(solution.fit == Fit::no_fit);
        CHECK(solution.reason.find(fmt::format("({},0,0) is foreign", x)) != std::string::npos);
    }
}

TEST_CASE("offsets that follow no rule are refused") {
    std::mt19937_64 random(8);
    Table table;
    table.element.bytes = 4;
    table.extent = {64, 64, 1, 1};
    for (uint64_t i = 0; i < 4096; i++) table.offsets.push_back(i * 4);
    std::ranges::shuffle(table.offsets, random);
    const Solution solution = solve(table);
    CHECK(solution.fit == Fit::no_fit);
    CHECK(!solution.reason.empty());
}

TEST_CASE("every element's offset leads back to the element, and padding to none") {
    std::mt19937_64 random(9);
    for (int i = 0; i < 2000; i++) {
        const RandomImage image = random_image(random);
        const Table table = table_of(image);
        const uint32_t bytes = table.element.bytes;
        INFO("case ", i, ": ", to_json(image.layout).dump(), " extent ", image.extent[0], "x", image.extent[1], "x",
             image.extent[2]);
        for (int j = 0; j < 20; j++) {
            const uint64_t index = random() % table.offsets.size();
            const Coord at = element_at_index(table.extent, index);
            REQUIRE(element_of(image.layout, image.extent, table.offsets[index] + random() % bytes) == at);
        }
        const uint64_t elsewhere = random() % (1 << 20);
        const std::optional<Coord> found = element_of(image.layout, image.extent, elsewhere);
        const bool inside =
            std::ranges::any_of(table.offsets, [&](uint64_t o) { return elsewhere >= o && elsewhere - o < bytes; });
        CHECK(found.has_value() == inside);
    }
}

TEST_CASE("an image one element wide shows few of its tile's bits, and is solved however many tiles deep it is") {
    // Level 1 of BC1, 1x1x1217 texels, RADV (Mesa 26.1.6) of a Navi 31: tiles of 8 slices in 4 KiB, 28672 bytes apart.
    Table table = {{8, 1, 1}, {1, 1, 608, 1}, {}, {}};
    for (uint64_t z = 0; z < 608; z++) {
        const uint64_t tile = z / 8, within = (z & 1) << 5 | (z & 2) << 6 | (z & 4) << 8;
        const uint64_t swizzle = (tile & 1) << 11 | (tile & 2) << 8 | (tile & 4) << 6;
        table.offsets.push_back(20480 + tile * 28672 + (within ^ swizzle));
    }
    REQUIRE(table.offsets[1] == 20512);
    REQUIRE(table.offsets[24] == 20480 + 88576);
    for (const uint32_t depth : {608u, 152u}) {
        table.extent[axis_z] = depth;
        table.offsets.resize(depth);
        const Solution solution = solve(table);
        INFO(depth, ": ", solution.reason);
        REQUIRE(solution.fit == Fit::exact);
        CHECK(reproduces(solution.layout, table));
        CHECK(solution.layout.pattern.tile == Coord{1, 1, 8, 1});
        CHECK(solution.layout.pattern.tile_bytes == 4096);
    }
}

TEST_CASE("where each sample has an equation, and nothing leads from one to the next, the reason says so") {
    constexpr uint64_t place_of_sample[] = {0, 1, 2, 4, 3, 5, 6, 7};  // 3 ought to be 1 ^ 2
    Table table = {{4, 1, 1}, {16, 16, 1, 8}, {}, {}};
    for (uint64_t i = 0; i < element_count(table.extent); i++) {
        const Coord at = element_at_index(table.extent, i);
        table.offsets.push_back(place_of_sample[at[axis_s]] * 1024 + at[axis_y] * 64 + at[axis_x] * 4);
    }
    const Solution solution = solve(table);
    CHECK(solution.fit == Fit::no_fit);
    CHECK(solution.reason ==
          "each sample alone follows an equation, but no stride and no XOR leads from one sample to the next");
}
