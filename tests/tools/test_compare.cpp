#include "patterns/solve/solve.h"
#include "tests/support/program.h"
#include "tools/runs/probe/compare.h"
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

Placement solved(const std::string& name) {
    const Table table = parse_table_csv(layout_table(name));
    return {table.extent, solve(table).layout, {}};
}

}  // namespace

TEST_CASE("a layout agrees with the table that it was solved from, and not with that of another GPU") {
    const Table table = parse_table_csv(layout_table("amd_gfx103-navi21_64KB-R-X_32bpp"));
    const Placement navi21 = solved("amd_gfx103-navi21_64KB-R-X_32bpp"),
                    turing = solved("nvidia_turing-ada_bl16_32bpp");
    REQUIRE(navi21.extent == turing.extent);
    CHECK(!compare(navi21, {table.extent, {}, table.offsets}));
    // The first bits are alike: x0 and x1 at 4 and 8 bytes in both. x2 as well; x3 is not (0x1000 and 0x100).
    const auto difference = compare(navi21, turing);
    REQUIRE(difference);
    CHECK(difference->element == Coord{8, 0, 0, 0});
    CHECK(difference->first == 0x1000);
    CHECK(difference->second == 0x100);
}

TEST_CASE("one element that moved or is missing is found and named") {
    const Table table = parse_table_csv(layout_table("intel_gen125plus_Tile4_32bpp"));
    const Placement layout = solved("intel_gen125plus_Tile4_32bpp");
    Placement read = {table.extent, {}, table.offsets};
    const uint64_t index = element_index(table.extent, {3, 5, 0, 0});
    read.offsets[index] += 64;
    auto difference = compare(layout, read);
    REQUIRE(difference);
    CHECK(difference->differing == 1);
    CHECK(difference->element == Coord{3, 5, 0, 0});
    CHECK(difference->second == table.offsets[index] + 64);
    read.offsets[index] = Table::missing_offset;
    difference = compare(layout, read);
    REQUIRE(difference);
    CHECK(difference->differing == 1);
    CHECK(difference->first == table.offsets[index]);
    CHECK(!difference->second);
}
