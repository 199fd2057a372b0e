#include "patterns/model/error.h"
#include "patterns/model/gf2.h"
#include "patterns/model/layout_json.h"
#include "patterns/remap/remap.h"
#include "patterns/solve/solve.h"
#include "tests/support/random_layout.h"
#include "tests/support/table_files.h"
#include <bit>
#include <doctest/doctest.h>
#include <set>

using namespace tilewise;

namespace {

std::vector<Layout> tiled_tables() {
    std::vector<Layout> layouts;
    for (const auto& path : table_paths()) {
        const Solution solution = solve(parse_table_csv(unpacked(path)));
        if (!solution.layout.pattern.is_linear()) layouts.push_back(solution.layout);
    }
    return layouts;
}

/// As a probe of an H200 found it for R32G32B32A32_SFLOAT, 4096 x 4096.
Layout h200_rgba32f() {
    return layout_from_json(nlohmann::json::parse(R"({"element": {"bytes": 16, "width": 1, "height": 1},
        "tile": {"width": 4, "height": 128, "depth": 1, "bytes": 8192},
        "equation": ["0", "0", "0", "0", "y0", "y1", "x0", "y2", "x1", "y3", "y4", "y5", "y6"],
        "outer_xor": {}, "stride": {"x": 8192, "y": 8388608, "z": 0, "xor": {}}, "constant": 0, "base": 0})"));
}

std::string order_of(const Remap& remap) {
    std::string text;
    for (const Coord& column : remap.columns) text += (text.empty() ? "" : " ") + coordinate_bits(column);
    return text;
}

Derivation derived(const Pattern& pattern, uint32_t invocations = 256, uint32_t subgroup = 32, uint32_t radius = 0) {
    return derive_remap(pattern, {invocations, subgroup, radius, {}});
}

const OrderCost& cost_of(const Derivation& derivation, const std::string& name) {
    const auto found = std::ranges::find(derivation.orders, name, &OrderCost::name);
    REQUIRE(found != derivation.orders.end());
    return *found;
}

bool covers_its_shape(const Remap& remap) {
    std::set<Coord> texels;
    for (uint32_t i = 0; i < element_count(remap.shape); i++) {
        const Coord at = remap(i);
        for (Axis a : all_axes)
            if (at[a] >= remap.shape[a]) return false;
        texels.insert(at);
    }
    return texels.size() == element_count(remap.shape);
}

/// Segments counted byte by byte, in the layout as it is, for the workgroup whose first texel is `origin`.
uint64_t counted(const Layout& layout, const Remap& remap, const Coord& origin, uint32_t run, uint64_t segment) {
    uint64_t count = 0;
    for (uint32_t first = 0; first < element_count(remap.shape); first += run) {
        std::set<uint64_t> touched;
        for (uint32_t i = first; i < first + run; i++) {
            Coord at = remap(i);
            for (Axis a : all_axes) at[a] += origin[a];
            const uint64_t offset = offset_of(layout, at);
            for (uint32_t byte = 0; byte < layout.pattern.element.bytes; byte++)
                touched.insert((offset + byte) / segment);
        }
        count += touched.size();
    }
    return count;
}

std::array<uint64_t, 4> counts(const OrderCost& cost) {
    return {cost.segments_32, cost.segments_64, cost.segments_128, cost.quad_segments};
}

bool no_worse(const OrderCost& a, const OrderCost& b) {
    for (size_t i = 0; i < 4; i++)
        if (counts(a)[i] > counts(b)[i]) return false;
    return true;
}

LaneMatrix random_matrix(std::mt19937_64& random, unsigned bits) {
    LaneMatrix rows(bits);
    do
        for (uint64_t& row : rows) row = random() & ((uint64_t{1} << bits) - 1);
    while (!gf2::is_injective(rows));
    return rows;
}

/// A random order of the same shape: the texel of row order at a random linear place.
Remap random_order(std::mt19937_64& random, const Coord& shape) {
    Remap remap = row_order(shape);
    const LaneMatrix rows = random_matrix(random, static_cast<unsigned>(remap.columns.size()));
    for (size_t bit = 0; bit < rows.size(); bit++)
        remap.columns[bit] = element_at_index(shape, lane_slot_of(rows, uint32_t{1} << bit));
    return remap;
}

/// Read back from JSON, which puts the axes in the order of their strides.
Pattern tiled_pattern(std::mt19937_64& random) {
    for (;;) {
        const Layout layout = random_image(random).layout;
        if (!layout.pattern.is_linear()) return layout_from_json(to_json(layout)).pattern;
    }
}

RemapRequest random_request(std::mt19937_64& random) {
    RemapRequest request;
    request.invocations = uint32_t{1} << random() % 9;
    request.subgroup_size = uint32_t{1} << random() % 8;
    request.radius = random() % 2 ? 0 : static_cast<uint32_t>(random() % 9);
    return request;
}

}  // namespace

TEST_CASE("row order is x, then y, then z") {
    const Remap remap = row_order({8, 4, 2, 1});
    CHECK(order_of(remap) == "x0 x1 x2 y0 y1 z0");
    CHECK(remap.is_row_order());
    for (uint32_t i = 0; i < 64; i++) CHECK(remap(i) == element_at_index({8, 4, 2, 1}, i));
    CHECK(!morton_order({8, 4, 2, 1}).is_row_order());
    CHECK(row_order(unit_extent)(0) == Coord{});
}

TEST_CASE("the Morton order is the one that blur shaders write by hand") {
    auto even_bits = [](uint32_t value) {
        value &= 0x55555555;
        value |= value >> 1;
        value &= 0x33333333;
        value |= value >> 2;
        return value & 0xf;
    };
    const Remap remap = morton_order({16, 16, 1, 1});
    for (uint32_t i = 0; i < 256; i++) CHECK(remap(i) == Coord{even_bits(i), even_bits(i >> 1), 0, 0});
    CHECK(order_of(morton_order({16, 4, 2, 1})) == "x0 y0 z0 x1 y1 x2 x3");
}

TEST_CASE("the RDNA order is the published one: an 8x8 Z that turns at each level") {
    const Remap remap = rdna_order();
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t x = (i >> 2 & 7 & ~1U) | (i & 1), y = (i >> 1 & 3) | (i >> 3 & 7 & ~3U);
        CHECK(remap(i) == Coord{x, y, 0, 0});
    }
}

TEST_CASE("NVIDIA's orders are those that were fastest on an H100: coordinate bits as the equation has them") {
    for (uint32_t radius : {0U, 1U, 3U, 8U}) {
        auto order = [&](const std::string& bits) {
            const Remap remap = derived(table_layout("nvidia_turing-ada_bl16_" + bits).pattern, 256, 32, radius).remap;
            CHECK(remap.shape == Coord{16, 16, 1, 1});
            return order_of(remap);
        };
        CHECK(order("128bpp") == "y0 y1 x0 y2 x1 y3 x2 x3");
        CHECK(order("64bpp") == "x0 y0 y1 x1 y2 x2 y3 x3");
        CHECK(order("32bpp") == "x0 x1 y0 y1 x2 y2 x3 y3");
    }
    CHECK(order_of(derived(h200_rgba32f().pattern).remap) == "y0 y1 x0 y2 x1 y3 x2 x3");
}

TEST_CASE("where the equation XORs, successive invocations take successive elements of the tile") {
    const Layout mali = table_layout("mali_utgard-valhall_u-interleaved_32bpp");
    const Remap remap = derived(mali.pattern).remap;
    CHECK(order_of(remap) == "x0 x0^y0 x1 x1^y1 x2 x2^y2 x3 x3^y3");
    for (uint32_t i = 0; i < 256; i++) CHECK(offset_of(mali, remap(i)) == 4 * i);

    Layout fermi = table_layout("nvidia_fermi-volta_bl16_32bpp");
    fermi.constant = 0;
    const Remap inverse = derived(fermi.pattern).remap;
    for (uint32_t i = 0; i < 256; i++) CHECK(offset_of(fermi, inverse(i)) == 4 * i);

    const Layout navi = table_layout("amd_gfx103-navi21_64KB-R-X_32bpp");
    CHECK(order_of(derived(navi.pattern).remap) == "x0 x1 y0 y1 x2 y2 x3 y3");
    const Remap wide = derived(navi.pattern, 4096).remap;
    CHECK(wide.shape == Coord{64, 64, 1, 1});
    for (uint32_t bit = 0; bit < 12; bit++) CHECK(std::has_single_bit(offset_of(navi, wide.columns[bit])));
}

TEST_CASE("bits that only texels outside the shape could part are moved together, and the reason says so") {
    const Derivation tile6 = derived(table_layout("qcom_a6xx_TILE6-3-4ch_32bpp").pattern);
    CHECK(order_of(tile6.remap) == "x0 y0 x1 y1 x2 x3 y3 y2");
    CHECK(tile6.reason.find("outside the shape: y3 (8-9), y2 (9-10).") != std::string::npos);
}

TEST_CASE("a 3D tile gives a 3D workgroup") {
    Pattern pattern;  // an H100's, R8G8B8A8, 64x64x32
    pattern.element.bytes = 4;
    pattern.tile = {16, 8, 16, 1};
    pattern.tile_bytes = 8192;
    pattern.equation.columns = {{{4, 8, 0x40, 0x100}, {0x10, 0x20, 0x80}, {0x200, 0x400, 0x800, 0x1000}, {}}};
    const Derivation derivation = derived(pattern, 256, 32, 1);
    CHECK(derivation.remap.shape == Coord{8, 8, 4, 1});
    CHECK(order_of(derivation.remap) == "x0 x1 y0 y1 x2 y2 z0 z1");
    CHECK(cost_of(derivation, "learned").halo_texels == 10 * 10 * 6);
    CHECK(cost_of(derivation, "row").remap == row_order({8, 8, 4, 1}));
}

TEST_CASE("a shape is less compact only where that covers fewer segments, and the halo sets a limit") {
    const Pattern r8 = table_layout("nvidia_turing-ada_bl16_8bpp").pattern;
    CHECK(derived(r8, 64).remap.shape == Coord{16, 4, 1, 1});
    CHECK(derived(r8, 256).remap.shape == Coord{16, 16, 1, 1});
    const Pattern tile_y = table_layout("intel_gen6-gen12_TileY0_32bpp").pattern;
    for (uint32_t radius : {0U, 1U, 8U}) CHECK(derived(tile_y, 256, 128, radius).remap.shape == Coord{16, 16, 1, 1});

    // Rows of 64 texels that lie 4096 bytes apart: a subgroup of 64 wants 64x1, which the halo forbids.
    Pattern rows;
    rows.element.bytes = 1;
    rows.tile = {64, 64, 1, 1};
    rows.tile_bytes = 4096;
    rows.equation.columns[axis_y] = {1, 2, 4, 8, 16, 32};
    rows.equation.columns[axis_x] = {64, 128, 256, 512, 1024, 2048};
    CHECK(derived(rows, 64, 64, 0).remap.shape == Coord{1, 64, 1, 1});
    const Coord near = derived(rows, 64, 64, 2).remap.shape;
    CHECK(near[axis_y] <= 16);
    CHECK(derived(rows, 64, 64, 2).orders.back().halo_texels * 8 <= 12 * 12 * 9);
}

TEST_CASE("column-major rows are followed along y, row-major rows have nothing to follow") {
    Pattern linear;
    linear.element.bytes = 4;
    linear.tile_bytes = 4;
    CHECK_THROWS_WITH_AS(derived(linear), doctest::Contains("row order is already memory order"), Error);
    linear.order = {axis_y, axis_x, axis_z, axis_s};
    CHECK(order_of(derived(linear, 64, 8, 1).remap) == "y0 y1 y2 x0 x1 x2");
}

TEST_CASE("a request that is no workgroup is refused") {
    const Pattern pattern = h200_rgba32f().pattern;
    CHECK_THROWS_AS(derived(pattern, 100), UsageError);
    CHECK_THROWS_AS(derived(pattern, 0), UsageError);
    CHECK_THROWS_AS(derived(pattern, 8192), UsageError);
    CHECK_THROWS_AS(derived(pattern, 64, 12), UsageError);
    CHECK_THROWS_AS(derive_remap(pattern, {4, 4, 0, {1}}), UsageError);
    CHECK_THROWS_AS(derive_remap(pattern, {4, 4, 0, {1, 4}}), UsageError);
    CHECK_THROWS_AS(derive_remap(pattern, {4, 4, 0, {3, 3}}), UsageError);
    CHECK_THROWS_AS(order_cost(pattern, row_order({8, 8, 1, 1}), {256, 32, 0, {}}), UsageError);
}

TEST_CASE("known counts: RGBA32F on NVIDIA, 16x16, by subgroups of 32 and by fours") {
    const Derivation derivation = derived(h200_rgba32f().pattern, 256, 32, 3);
    CHECK(counts(cost_of(derivation, "row")) == std::array<uint64_t, 4>{128, 128, 64, 256});
    CHECK(counts(cost_of(derivation, "morton")) == std::array<uint64_t, 4>{128, 64, 32, 128});
    CHECK(counts(cost_of(derivation, "learned")) == std::array<uint64_t, 4>{128, 64, 32, 64});
    CHECK(cost_of(derivation, "learned").halo_texels == 22 * 22);
    CHECK(derivation.subgroup_bits == "0-8");
    CHECK(derived(h200_rgba32f().pattern, 64).orders.size() == 4);
}

TEST_CASE("all tables: the remap covers its shape and touches no more segments than row, Morton or RDNA order") {
    for (const Layout& layout : tiled_tables())
        for (uint32_t invocations : {1U, 2U, 32U, 64U, 128U, 256U, 512U, 1024U})
            for (uint32_t subgroup : {4U, 32U, 64U})
                for (uint32_t radius : {0U, 2U}) {
                    const Derivation derivation = derived(layout.pattern, invocations, subgroup, radius);
                    INFO(to_json(layout).dump(), "\n", explain(derivation));
                    CHECK(element_count(derivation.remap.shape) == invocations);
                    CHECK(covers_its_shape(derivation.remap));
                    CHECK(derivation.orders.back().remap == derivation.remap);
                    for (const OrderCost& other : derivation.orders) CHECK(no_worse(derivation.orders.back(), other));
                }
}

TEST_CASE("all tables: every workgroup of the real image touches what is counted for the first") {
    for (const Layout& layout : tiled_tables()) {
        const Derivation derivation = derived(layout.pattern);
        INFO(to_json(layout).dump(), "\n", explain(derivation));
        for (const OrderCost& order : derivation.orders)
            for (uint32_t y : {0U, 3U, 7U})
                for (uint32_t x : {0U, 1U, 6U}) {
                    const Coord origin = {x * order.remap.shape[0], y * order.remap.shape[1], 0, 0};
                    CHECK(counted(layout, order.remap, origin, 32, 32) == order.segments_32);
                    CHECK(counted(layout, order.remap, origin, 32, 64) == order.segments_64);
                    CHECK(counted(layout, order.remap, origin, 32, 128) == order.segments_128);
                    CHECK(counted(layout, order.remap, origin, 4, 64) == order.quad_segments);
                }
    }
}

TEST_CASE("random patterns: one-to-one, and no linear order of the compact shape touches less") {
    std::mt19937_64 random(31);
    for (int i = 0; i < 1500; i++) {
        const Pattern pattern = tiled_pattern(random);
        const RemapRequest request = random_request(random);
        const Derivation derivation = derive_remap(pattern, request);
        INFO("case ", i, ": ", to_json(Layout{pattern, {}, 0, 0}).dump(), "\n", explain(derivation));
        REQUIRE(covers_its_shape(derivation.remap));
        const OrderCost& learned = derivation.orders.back();
        for (const OrderCost& other : derivation.orders) REQUIRE(no_worse(learned, other));
        if (pattern.counts_elements()) continue;
        const Coord compact = derivation.orders.front().remap.shape;
        for (int j = 0; j < 5; j++)
            REQUIRE(no_worse(learned, order_cost(pattern, random_order(random, compact), request)));
    }
}

TEST_CASE("of all boxes that touch no more than the most compact one, the choice touches the fewest bytes") {
    std::mt19937_64 random(24);
    const auto fewer_first = [](const OrderCost& cost) {
        const Coord& shape = cost.remap.shape;
        const uint64_t bytes =
            32 * cost.segments_32 + 64 * cost.segments_64 + 64 * cost.quad_segments + 128 * cost.segments_128;
        return std::pair(bytes, (shape[axis_x] + 2) * (shape[axis_y] + 2));
    };
    for (int round = 0; round < 200; round++) {
        const Pattern pattern = tiled_pattern(random);
        if (pattern.tile[axis_z] > 1 || pattern.tile[axis_s] > 1) continue;
        const OrderCost chosen = derived(pattern).orders.back();
        const Coord square = derived(pattern).orders.front().remap.shape;
        const OrderCost compact = derive_remap_in(pattern, square, derived(pattern).request).orders.back();
        for (uint32_t width = 1; width <= 256; width *= 2) {
            const OrderCost box =
                derive_remap_in(pattern, {width, 256 / width, 1, 1}, derived(pattern).request).orders.back();
            const bool touches_no_more =
                box.segments_32 <= compact.segments_32 && box.segments_64 <= compact.segments_64 &&
                box.segments_128 <= compact.segments_128 && box.quad_segments <= compact.quad_segments;
            CAPTURE(round);
            CAPTURE(width);
            if (touches_no_more) CHECK(fewer_first(chosen) <= fewer_first(box));
        }
    }
}

TEST_CASE("where lanes are not in the invocations' order, it is the lanes that follow memory") {
    std::mt19937_64 random(32);
    for (int i = 0; i < 300; i++) {
        const Pattern pattern = tiled_pattern(random);
        RemapRequest request = random_request(random);
        const Derivation straight = derive_remap(pattern, request);
        request.lane_order = random_matrix(random, static_cast<unsigned>(straight.remap.columns.size()));
        const Derivation composed = derive_remap(pattern, request);
        REQUIRE(composed.remap.shape == straight.remap.shape);
        for (uint32_t invocation = 0; invocation < request.invocations; invocation++)
            REQUIRE(composed.remap(invocation) ==
                    straight.remap(static_cast<uint32_t>(lane_slot_of(request.lane_order, invocation))));
        CHECK(counts(composed.orders.back()) == counts(straight.orders.back()));
        CHECK(composed.subgroup_bits == straight.subgroup_bits);
    }
}

TEST_CASE("column strips and tiles: known walks") {
    auto walk = [](const GroupOrder& order, const Coord& groups) {
        std::string text;
        for (uint64_t id = 0; id < element_count(groups); id++) {
            const Coord at = group_position(order, groups, id);
            text +=
                std::to_string(at[axis_x]) + std::to_string(at[axis_y]) + (id + 1 < element_count(groups) ? " " : "");
        }
        return text;
    };
    GroupOrder order;
    CHECK(walk(order, {3, 2, 1, 1}) == "00 10 20 01 11 21");
    order.kind = GroupOrderKind::strips;
    order.strip_width = 2;
    CHECK(walk(order, {5, 2, 1, 1}) == "00 10 01 11 20 30 21 31 40 41");
    order.kind = GroupOrderKind::tiles;
    order.tile_groups = {2, 2, 1, 1};
    CHECK(walk(order, {3, 3, 1, 1}) == "00 10 01 11 20 21 02 12 22");
    order.tile_order = {axis_y, axis_x, axis_z, axis_s};
    CHECK(walk(order, {3, 3, 1, 1}) == "00 10 01 11 02 12 20 21 22");
}

TEST_CASE("a remap is read back from its columns, and a group order from its words, and other text is neither") {
    for (const Remap& remap :
         {row_order({16, 16, 1, 1}), morton_order({4, 64, 1, 1}), rdna_order(), row_order({1, 1, 1, 1}),
          Remap{{4, 2, 1, 1}, {{3, 1, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}}}})
        CHECK(remap_from_columns(columns_text(remap)) == remap);
    CHECK(columns_text(Remap{{4, 2, 1, 1}, {{3, 1, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}}}) == "x0^x1^y0 x0 x1");
    for (const char* text :
         {"x0 x1 x0^x1", "x0 y", "x0,y0", "x0 z0", "x-1", "x1", "X0", "x1 x1", " x0", "x0^", "x99"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(remap_from_columns(text), Error);
    }
    for (const char* text : {"linear", "strips of 8", "tiles of 2x16", "tiles of 1x8 by columns"}) {
        const GroupOrder order = group_order_from_text(text);
        CHECK(group_order_text(order) == text);
    }
    const Coord grid = {6, 9, 1, 1};
    const GroupOrder columns = {GroupOrderKind::tiles, 0, {2, 4, 1, 1}, {axis_y, axis_x, axis_z, axis_s}};
    const GroupOrder read = group_order_from_text(group_order_text(columns));
    for (uint64_t id = 0; id < element_count(grid); id++)
        CHECK(group_position(read, grid, id) == group_position(columns, grid, id));
    for (const char* text : {"", "strips", "strips of 0", "strips of -1", "tiles of 2", "tiles of 0x2",
                             "tiles of 2x2 by rows", "linear ", "strips of 99999999999"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(group_order_from_text(text), Error);
    }
}

TEST_CASE("group orders follow the pattern's tiles") {
    const Pattern rgba32f = h200_rgba32f().pattern;
    const Remap remap = derived(rgba32f).remap;
    CHECK(derive_group_order(rgba32f, remap, GroupOrderKind::tiles).tile_groups == Coord{1, 8, 1, 1});
    CHECK(derive_group_order(rgba32f, remap, GroupOrderKind::strips, 16).strip_width == 16);
    CHECK(derive_group_order(rgba32f, remap, GroupOrderKind::linear) == GroupOrder{});
    CHECK_THROWS_AS(derive_group_order(rgba32f, remap, GroupOrderKind::strips, 0), UsageError);

    const Pattern uif = table_layout("broadcom_v3d42-71_UIF-XOR_32bpp").pattern;
    const GroupOrder columns = derive_group_order(uif, derived(uif, 64).remap, GroupOrderKind::tiles);
    CHECK(columns.tile_order[0] == axis_y);
}

TEST_CASE("every group order visits every workgroup of any grid once") {
    std::mt19937_64 random(33);
    auto upto = [&](uint64_t n) { return static_cast<uint32_t>(1 + random() % n); };
    for (int i = 0; i < 2000; i++) {
        GroupOrder order;
        order.kind = std::array{GroupOrderKind::linear, GroupOrderKind::strips, GroupOrderKind::tiles}[random() % 3];
        order.strip_width = random() % 20 == 0 ? ~0U : upto(12);
        order.tile_groups = {upto(6), upto(6), upto(4), 1};
        std::ranges::shuffle(order.tile_order, random);
        const Coord groups = {upto(17), upto(13), random() % 2 ? 1 : upto(5), 1};
        std::set<Coord> seen;
        for (uint64_t id = 0; id < element_count(groups); id++) {
            const Coord at = group_position(order, groups, id);
            for (Axis a : all_axes) REQUIRE(at[a] < groups[a]);
            seen.insert(at);
        }
        REQUIRE(seen.size() == element_count(groups));
    }
}

TEST_CASE("the explanation names shape, order, address bits, counts and reasons") {
    CHECK(explain(derived(h200_rgba32f().pattern, 256, 32, 3)) ==
          R"(workgroup  16x16 of 256 invocations, subgroups of 32, radius 3
order      y0 y1 x0 y2 x1 | y3 x2 x3   (invocation bit 0 first)
subgroup   covers address bits 0-8

                      segments that one load touches      texels
order    shape       32 B    64 B   128 B 64 B, by fours    read
row      16x16        128     128      64            256     484
morton   16x16        128      64      32            128     484
learned  16x16        128      64      32             64     484

Shape 16x16: the most compact for 256 invocations; no other with so small a halo touches fewer segments.
Order: invocation bits take the coordinate bits in the order of the address bits that they move.
Beyond the tile, to the next one: x2 x3.
One load by a subgroup of 32 touches 16 segments of 32 bytes, 8 of 64, 4 of 128, and by four lanes at a time 8 of 64; in row order, 16x16: 16, 16, 8, 32.
)");
}
