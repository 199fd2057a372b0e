// Modes by their definitions, against offsets computed step by step from the texts that publish them: by divisions and
// remainders where the code has rows of bits. And against tables of other programs.
#include "patterns/convert/convert.h"
#include "patterns/model/equation_text.h"
#include "patterns/model/error.h"
#include "patterns/model/names.h"
#include "patterns/model/one_to_one.h"
#include "patterns/model/table.h"
#include "patterns/modes/amd_equations.h"
#include "patterns/modes/defined_modes.h"
#include "patterns/solve/solve.h"
#include "tests/support/program.h"
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

using namespace tilewise;

namespace {

/// Byte offset of the element at x, y of an image of that many elements.
using Published = std::function<uint64_t(uint64_t bytes, uint64_t width, uint64_t height, uint64_t x, uint64_t y)>;

uint64_t tiles_of(uint64_t size, uint64_t tile) { return (size + tile - 1) / tile; }

/// Tiles of so many bytes and rows, row by row; `inside` is the place in one, of a byte.
Published in_tiles(uint64_t tile_bytes_wide, uint64_t rows, std::function<uint64_t(uint64_t x, uint64_t y)> inside) {
    return [=](uint64_t bytes, uint64_t width, uint64_t, uint64_t x, uint64_t y) {
        const uint64_t at = x * bytes, tile = tile_bytes_wide * rows;
        return (y / rows * tiles_of(width * bytes, tile_bytes_wide) + at / tile_bytes_wide) * tile +
               inside(at % tile_bytes_wide, y % rows);
    };
}

/// The masks of D3D12's standard swizzle: the bits of x and y go to the mask's, from the lowest up.
uint64_t deposit(uint64_t value, uint64_t mask) {
    uint64_t result = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        if (mask >> bit & 1) {
            result |= (value & 1) << bit;
            value >>= 1;
        }
    return result;
}

uint64_t standard_swizzle(uint64_t bytes, uint64_t width, uint64_t, uint64_t x, uint64_t y) {
    struct Masks {
        uint64_t bytes, x, y, wide, high;
    };
    // x counts bytes in them.
    constexpr Masks masks[] = {{1, 0b1010101000001111, 0b0101010111110000, 256, 256},
                               {2, 0b1010101010001111, 0b0101010101110000, 256, 128},
                               {4, 0b1010101010001111, 0b0101010101110000, 128, 128},
                               {8, 0b1010101011001111, 0b0101010100110000, 128, 64},
                               {16, 0b1010101011001111, 0b0101010100110000, 64, 64}};
    const Masks& of = *std::ranges::find(masks, bytes, &Masks::bytes);
    return (y / of.high * tiles_of(width, of.wide) + x / of.wide) * 65536 + deposit(x % of.wide * bytes, of.x) +
           deposit(y % of.high, of.y);
}

uint64_t interleaved(uint64_t x, uint64_t y, unsigned bits) {
    uint64_t place = 0;
    for (unsigned bit = 0; bit < bits; bit++) place |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
    return place;
}

Published of_elements(uint64_t side_x, uint64_t side_y, std::function<uint64_t(uint64_t x, uint64_t y)> inside) {
    return [=](uint64_t bytes, uint64_t width, uint64_t, uint64_t x, uint64_t y) {
        return ((y / side_y * tiles_of(width, side_x) + x / side_x) * side_x * side_y +
                inside(x % side_x, y % side_y)) *
               bytes;
    };
}

/// Mesa's v3d: utiles of 64 bytes, blocks of 2x2, columns of four, padded against the cache of pages of 8 times 4 KiB.
uint64_t uif(uint64_t bytes, uint64_t, uint64_t height, uint64_t x, uint64_t y) {
    struct Utile {
        uint64_t bytes, wide, high;
    };
    constexpr Utile utiles[] = {{1, 8, 8}, {2, 8, 4}, {4, 4, 4}, {8, 4, 2}, {16, 2, 2}};
    const Utile& utile = *std::ranges::find(utiles, bytes, &Utile::bytes);
    const uint64_t block_high = 2 * utile.high, block_wide = 2 * utile.wide;
    uint64_t rows = tiles_of(height, block_high);
    const uint64_t beyond = rows % 32;
    if (beyond != 0 && beyond < 6 && rows >= 32)
        rows += 6 - beyond;
    else if (beyond > 26)
        rows += 32 - beyond;
    const uint64_t column = x / (4 * block_wide);
    uint64_t row = y / block_high;
    if (rows % 32 == 0 && column % 2 == 1) row ^= 16;
    const uint64_t block = (column * rows + row) * 4 + x / block_wide % 4;
    const uint64_t utile_in_block = y / utile.high % 2 * 2 + x / utile.wide % 2;
    return block * 256 + utile_in_block * 64 + (y % utile.high * utile.wide + x % utile.wide) * bytes;
}

struct Definition {
    ModeRequest request;
    Published offset;
};

Published gobs(uint64_t high, const std::function<uint64_t(uint64_t x, uint64_t y)>& gob) {
    return in_tiles(64, 8 * high, [=](uint64_t x, uint64_t y) { return y / 8 * 512 + gob(x, y % 8); });
}

std::vector<Definition> definitions() {
    const auto turing = [](uint64_t x, uint64_t y) {
        return x / 32 * 256 + y / 4 * 128 + x / 16 % 2 * 64 + y % 4 * 16 + x % 16;
    };
    // Chapter 20 of the Tegra X1's manual.
    const auto tegra = [](uint64_t x, uint64_t y) {
        return x / 32 * 256 + y / 2 * 64 + x / 16 % 2 * 32 + y % 2 * 16 + x % 16;
    };
    std::vector<Definition> all = {
        {{"tilex", {}}, in_tiles(512, 8, [](uint64_t x, uint64_t y) { return y * 512 + x; })},
        {{"tiley", {}}, in_tiles(128, 32, [](uint64_t x, uint64_t y) { return x / 16 * 512 + y * 16 + x % 16; })},
        {{"tile4", {}},
         in_tiles(128, 32,
                  [](uint64_t x, uint64_t y) {
                      return x / 64 * 512 + y / 8 * 1024 + y / 4 % 2 * 256 + x / 16 % 4 * 64 + y % 4 * 16 + x % 16;
                  })},
        {{"tegra_tiled", {}}, in_tiles(16, 16, [](uint64_t x, uint64_t y) { return y * 16 + x; })},
        {{"16l32s", {}}, in_tiles(16, 32, [](uint64_t x, uint64_t y) { return y * 16 + x; })},
        {{"64KB_S", {}}, standard_swizzle},
        {{"vivante_tiled", {}}, of_elements(4, 4, [](uint64_t x, uint64_t y) { return y * 4 + x; })},
        {{"vivante_super_tiled", {}},
         of_elements(64, 64,
                     [](uint64_t x, uint64_t y) {
                         return (y / 16 * 8 + x / 8) * 128 + (y / 4 % 4 * 2 + x / 4 % 2) * 16 + y % 4 * 4 + x % 4;
                     })},
        {{"16x16_tile", {}}, of_elements(16, 16, [](uint64_t x, uint64_t y) { return y * 16 + x; })},
        {{"u_interleaved", {}}, of_elements(16, 16, [](uint64_t x, uint64_t y) { return interleaved(x ^ y, y, 4); })},
        {{"u_interleaved", {{"side", "4"}}},
         of_elements(4, 4, [](uint64_t x, uint64_t y) { return interleaved(x ^ y, y, 2); })},
        {{"morton", {{"tile", "8x8"}}}, of_elements(8, 8, [](uint64_t x, uint64_t y) { return interleaved(x, y, 3); })},
        {{"morton", {{"tile", "8x8"}, {"first", "y"}}},
         of_elements(8, 8, [](uint64_t x, uint64_t y) { return interleaved(y, x, 3); })},
        // PowerVR's and Vivante's: the square part interleaved, the rest of the longer side behind it.
        {{"morton", {{"tile", "32x8"}}},
         of_elements(32, 8, [](uint64_t x, uint64_t y) { return x / 8 * 64 + interleaved(x % 8, y, 3); })},
        {{"uif", {}}, uif},
        {{"sand", {}},
         [](uint64_t bytes, uint64_t, uint64_t height, uint64_t x, uint64_t y) {
             return x * bytes / 128 * 128 * height + y * 128 + x * bytes % 128;
         }},
        {{"sand", {{"width", "64"}, {"rows", "1100"}}},
         [](uint64_t bytes, uint64_t, uint64_t, uint64_t x, uint64_t y) {
             return x * bytes / 64 * 64 * 1100 + y * 64 + x * bytes % 64;
         }},
    };
    for (const uint64_t high : {1, 2, 4, 8, 16, 32}) {
        all.push_back({{"block_linear", {{"gobs", std::to_string(high)}}}, gobs(high, turing)});
        all.push_back({{"block_linear", {{"gobs", std::to_string(high)}, {"kind", "tegra"}}}, gobs(high, tegra)});
    }
    return all;
}

/// In a canonical tile offsets of an image may begin elsewhere; no definition here has a base.
uint64_t differing(const Layout& layout, const Definition& definition, uint32_t bytes, const Coord& extent) {
    uint64_t count = 0;
    for (uint32_t y = 0; y < extent[axis_y]; y++)
        for (uint32_t x = 0; x < extent[axis_x]; x++)
            count += offset_of(layout, {x, y, 0, 0}) != definition.offset(bytes, extent[axis_x], extent[axis_y], x, y);
    return count;
}

}  // namespace

TEST_CASE("a mode has the offsets that its published definition computes, for every element size, at odd extents") {
    size_t compared = 0;
    for (const Definition& definition : definitions())
        for (const uint32_t bytes : {1U, 2U, 4U, 8U, 16U})
            for (const Coord& extent :
                 {Coord{1, 1, 1, 1}, Coord{5, 3, 1, 1}, Coord{97, 61, 1, 1}, Coord{130, 259, 1, 1},
                  Coord{65, 1030, 1, 1}, Coord{65, 208, 1, 1}, Coord{65, 232, 1, 1}}) {
                CAPTURE(describe(definition.request));
                CAPTURE(bytes);
                CAPTURE(extent);
                const Layout layout = defined_layout(definition.request, {bytes, 1, 1}, extent);
                CHECK(differing(layout, definition, bytes, extent) == 0);
                CHECK(why_not_one_to_one(layout, extent) == nullptr);
                compared += element_count(extent);
            }
    CHECK(compared > 1'000'000);
}

TEST_CASE("a mode has the offsets of the tables that other programs made") {
    struct Tabled {
        const char* table;
        ModeRequest request;
    };
    const Tabled tables[] = {
        {"nvidia_turing-ada_bl16_8bpp", {"block_linear", {}}},
        {"nvidia_turing-ada_bl16_16bpp", {"block_linear", {}}},
        {"nvidia_turing-ada_bl16_32bpp", {"block_linear", {}}},
        {"nvidia_turing-ada_bl16_64bpp", {"block_linear", {}}},
        {"nvidia_turing-ada_bl16_128bpp", {"block_linear", {}}},
        {"nvidia_fermi-volta_bl16_32bpp", {"block_linear", {{"kind", "fermi"}}}},
        {"intel_gen6-gen12_TileY0_32bpp", {"TileY", {}}},
        {"intel_gen125plus_Tile4_32bpp", {"Tile-4", {}}},
        {"apple_agx_twiddled_32bpp", {"gpu_tiled", {}}},
        {"mali_utgard-valhall_u-interleaved_32bpp", {"u_interleaved", {}}},
        {"mali_utgard-valhall_u-interleaved-300x200_32bpp", {"u_interleaved", {}}},
        {"broadcom_v3d42-71_UIF-XOR_32bpp", {"UIF", {}}},
        {"amd_gfx103-navi21_64KB-R-X_32bpp", {"64KB_R_X", {{"gfx", "10.3"}, {"pipes", "4"}, {"packers", "4"}}}},
        {"amd_gfx12-gfx1201_64KB-2D_32bpp", {"64KB_2D", {}}},
    };
    for (const Tabled& each : tables) {
        CAPTURE(std::string(each.table));
        const Table table = parse_table_csv(layout_table(each.table));
        const Layout layout = defined_layout(each.request, table.element, table.extent);
        uint64_t differ = 0;
        for (uint64_t i = 0; i < table.offsets.size(); i++)
            differ += offset_of(layout, element_at_index(table.extent, i)) != table.offsets[i];
        CHECK(differ == 0);
    }
}

TEST_CASE("the pattern of a mode is the one that the solver finds in an image of it") {
    for (const ModeRequest& request :
         {ModeRequest{"tiley", {}}, ModeRequest{"64KB_S", {}}, ModeRequest{"tile4", {}}, ModeRequest{"64KB_D", {}},
          ModeRequest{"block_linear", {{"gobs", "1"}}}, ModeRequest{"u_interleaved", {}}})
        for (const uint32_t bytes : {1U, 4U, 16U}) {
            CAPTURE(describe(request));
            CAPTURE(bytes);
            Table table;
            table.element = {bytes, 1, 1};
            table.extent = {700, 900, 1, 1};
            const Layout layout = defined_layout(request, table.element, table.extent);
            for (uint64_t i = 0; i < element_count(table.extent); i++)
                table.offsets.push_back(offset_of(layout, element_at_index(table.extent, i)));
            const Solution solution = solve(table);
            REQUIRE(solution.fit == Fit::exact);
            CHECK(pattern_id(solution.layout.pattern) == pattern_id(layout.pattern));
        }
}

TEST_CASE("each of AMD's equations has the modifier of its address configuration, or that of others which share it") {
    for (const AmdEquation& each : amd_equations()) {
        CAPTURE(std::string(each.equation));
        const Layout layout = layout_by_equation(each.equation, {each.element_bytes, 1, 1});
        // Modifiers are named for the configurations that chips have.
        if (each.chips.empty()) continue;
        const std::string modifier = mode_of(layout.pattern).modifier;
        CHECK(modifier.find(fmt::format("PIPE_XOR_BITS={}", each.pipes)) != std::string::npos);
    }
}

TEST_CASE("AMD's equations are of configurations that its address library accepts, in blocks of 64 KiB") {
    for (const AmdEquation& each : amd_equations()) {
        CAPTURE(std::string(each.equation));
        // gfx10addrlib.cpp and gfx11addrlib.cpp assert this of all chips with packers.
        CHECK(each.packers <= each.pipes);
        CHECK((each.version == 2 || each.pipes - each.packers <= 2));
        const Layout layout = layout_by_equation(each.equation, {each.element_bytes, 1, 1});
        CHECK(65536 % layout.pattern.tile_bytes == 0);
    }
    // addrlib's address; the block is 256x256 bytes.
    const Layout bytes =
        defined_layout({"64KB_R_X", {{"gfx", "11"}, {"pipes", "5"}, {"packers", "3"}}}, {1, 1, 1}, {600, 1000, 1, 1});
    CHECK(offset_of(bytes, {0, 256, 0, 0}) == 196608);
}

TEST_CASE("AMD's slices change the address bits that its address library changes") {
    struct Slices {
        const char *gfx, *pipes, *packers;
        uint32_t bytes;
        std::vector<uint64_t> constants;  ///< of slices 0, 1, 2 ..: addrlib's address of texel 0,0 less whole slices
    };
    const Slices all[] = {
        {"10", "4", "0", 4, {0, 2048, 1024, 3072, 512, 2560, 1536, 3584, 256}},
        {"10", "5", "0", 8, {0, 4096, 2048, 6144, 1024, 5120, 3072, 7168, 512}},
        {"10", "5", "0", 16, {0, 2048, 1024, 3072, 512, 2560, 1536, 3584, 256}},
        {"10.3", "1", "0", 4, {0, 256, 0, 256}},
        {"10.3", "2", "1", 4, {0, 512, 0, 512}},
        {"10.3", "4", "4", 4, {0, 32768, 2048, 34816, 1024, 33792, 3072, 35840, 512}},
        {"10.3", "4", "4", 16, {0, 2048, 1024, 3072, 512, 2560, 1536, 3584, 0}},
        {"11", "5", "5", 4, {0, 1024, 512, 1536, 0}},
        {"11", "5", "5", 8, {0, 32768, 2048, 34816, 1024, 33792, 3072, 35840, 512}},
    };
    for (const Slices& each : all) {
        const ModeRequest request = {"64KB_R_X", {{"gfx", each.gfx}, {"pipes", each.pipes}, {"packers", each.packers}}};
        CAPTURE(describe(request));
        CAPTURE(each.bytes);
        const PartMemory memory = defined_memory(request, {each.bytes, 1, 1}, {320, 210, 1, 1});
        for (size_t slice = 0; slice < each.constants.size(); slice++)
            CHECK(gf2::apply(memory.layer_xor, slice) == each.constants[slice]);
    }
    CHECK(defined_memory({"64KB_S", {}}, {4, 1, 1}, {320, 210, 1, 1}).layer_xor.empty());
}

TEST_CASE("an image in a mode takes whole blocks of the mode, of which the pattern's tile may be a part") {
    struct Taken {
        ModeRequest request;
        uint32_t bytes;
        Coord extent;
        uint64_t memory;
    };
    const Taken all[] = {
        {{"tiley", {}}, 4, {7, 5, 1, 1}, 4096},
        {{"tiley", {}}, 1, {333, 217, 1, 1}, 86016},
        {{"block_linear", {{"gobs", "1"}}}, 1, {7, 5, 1, 1}, 512},
        {{"morton", {{"first", "y"}}}, 4, {333, 217, 1, 1}, 524288},
        {{"morton", {}}, 1, {129, 1, 1, 1}, 256},
        {{"morton", {}}, 1, {1, 1, 1, 1}, 1},
        {{"uif", {}}, 4, {333, 217, 1, 1}, 360448},
        {{"sand", {{"width", "256"}, {"rows", "2304"}}}, 1, {333, 217, 1, 1}, 1179648},
        {{"sand", {{"width", "256"}, {"rows", "2304"}}}, 1, {333, 1, 1, 1}, 1179648},
        // addrlib's surface sizes.
        {{"64KB_S", {}}, 1, {77, 45, 1, 1}, 65536},
        {{"4KB_S", {}}, 4, {1, 1, 1, 1}, 4096},
        {{"256B_D", {}}, 4, {77, 45, 1, 1}, 15360},
        {{"64KB_R_X", {{"gfx", "10"}, {"pipes", "4"}, {"packers", "0"}}}, 4, {320, 210, 1, 1}, 393216},
        {{"64KB_R_X", {{"gfx", "10"}, {"pipes", "1"}, {"packers", "0"}}}, 4, {320, 210, 1, 1}, 393216},
        // Mesa's ail, of an image that can be written.
        {{"gpu_tiled", {}}, 4, {1920, 20, 1, 1}, 262144},
        {{"gpu_tiled", {}}, 4, {100, 5, 1, 1}, 16384},
    };
    for (const Taken& each : all) {
        CAPTURE(describe(each.request));
        CAPTURE(each.extent);
        const PartMemory memory = defined_memory(each.request, {each.bytes, 1, 1}, each.extent);
        const uint64_t dense = element_count(memory.whole) * each.bytes;
        CHECK((dense + memory.unit_bytes - 1) / memory.unit_bytes * memory.unit_bytes == each.memory);
    }
}

TEST_CASE("Apple's tiles are no larger than the image's shorter side, rounded up to a power of two") {
    // Mesa's ail.
    const auto offset = [](uint32_t bytes, const Coord& extent, uint32_t x, uint32_t y) {
        return offset_of(defined_layout({"gpu_tiled", {}}, {bytes, 1, 1}, extent), {x, y, 0, 0});
    };
    CHECK(offset(4, {1920, 20, 1, 1}, 64, 0) == 8192);
    CHECK(offset(4, {100, 5, 1, 1}, 16, 0) == 512);
    CHECK(offset(4, {5, 100, 1, 1}, 0, 16) == 512);
    CHECK(offset(2, {100, 100, 1, 1}, 0, 64) == 16384);  // a tile of 128x128
    CHECK(offset(2, {128, 100, 1, 1}, 0, 64) == 16384);  // tiles of 128x64
    CHECK(offset(4, {64, 64, 1, 1}, 63, 63) == 16380);
    CHECK(offset(16, {1, 1, 1, 1}, 0, 0) == 0);
}

TEST_CASE("a modifier's blocks are no higher than its image, and those of a mode are as they are said") {
    // Mesa's nil: 20 rows are in blocks of 4 GOBs.
    const ModeRequest turing = request_of_modifier(0x0300000000606014);
    const auto offset = [](const ModeRequest& request, uint32_t height, uint32_t x, uint32_t y) {
        return offset_of(defined_layout(request, {4, 1, 1}, {300, height, 1, 1}), {x, y, 0, 0});
    };
    CHECK(offset(turing, 20, 16, 0) == 2048);
    CHECK(offset(turing, 8, 16, 0) == 512);
    CHECK(offset(turing, 65, 16, 0) == 8192);
    CHECK(offset(turing, 1000, 16, 0) == 8192);
    CHECK(offset({"block_linear", {{"gobs", "16"}}}, 20, 16, 0) == 8192);
}

TEST_CASE("a modifier of GFX11 with the standard swizzle, which its 2D images cannot have, is refused") {
    for (const uint64_t modifier : {0x0200000000000904, 0x0200000000000504})
        CHECK_THROWS_WITH_AS(request_of_modifier(modifier), doctest::Contains("from GFX11 on"), Error);
    for (const uint64_t modifier : {0x0200000000000901, 0x0200000000000903}) {
        CAPTURE(modifier);
        CHECK(request_of_modifier(modifier).mode == "64KB_S");
    }
    CHECK(request_of_modifier(0x0200000000000204).mode == "256B_D");
}

TEST_CASE("AMD's D modes have the equations that its address library computes for each version") {
    struct Display {
        ModeRequest request;
        uint32_t bytes;
        const char* equation;
    };
    const Display all[] = {
        {{"64KB_D", {{"gfx", "9"}}}, 1, "x0 x1 x2 y1 y0 y2 x3 y3 y4 x4 y5 x5 y6 x6 y7 x7"},
        {{"64KB_D", {{"gfx", "10"}}}, 2, "0 x0 x1 x2 y0 y1 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7"},
        {{"64KB_D", {{"gfx", "9"}}}, 4, "0 0 x0 x1 y0 x2 y1 y2 y3 x3 y4 x4 y5 x5 y6 x6"},
        {{"64KB_D", {{"gfx", "10"}}}, 4, "0 0 x0 x1 y0 y1 y2 x2 y3 x3 y4 x4 y5 x5 y6 x6"},
        {{"64KB_D", {{"gfx", "10.3"}}}, 4, "0 0 x0 x1 y0 y1 x2 y2 y3 x3 y4 x4 y5 x5 y6 x6"},
        {{"64KB_D", {{"gfx", "11"}}}, 4, "0 0 x0 y0 x1 y1 x2 y2 y3 x3 y4 x4 y5 x5 y6 x6"},
        {{"64KB_D", {{"gfx", "10.3"}}}, 8, "0 0 0 x0 y0 x1 x2 y1 y2 x3 y3 x4 y4 x5 y5 x6"},
        {{"4KB_D", {{"gfx", "9"}}}, 16, "0 0 0 0 x0 y0 x1 y1 y2 x2 y3 x3"},
        {{"256B_D", {{"gfx", "10"}}}, 4, "0 0 x0 x1 y0 y1 y2 x2"},
        // drm_fourcc.h: GFX9's number stands for GFX9's order.
        {request_of_modifier(0x0200000000000a01), 4, "0 0 x0 x1 y0 x2 y1 y2 y3 x3 y4 x4 y5 x5 y6 x6"},
    };
    for (const Display& each : all) {
        CAPTURE(describe(each.request));
        CAPTURE(each.bytes);
        const Coord extent = {300, 200, 1, 1};
        const Layout layout = defined_layout(each.request, {each.bytes, 1, 1}, extent);
        const Layout wanted = dense_layout(layout_by_equation(each.equation, {each.bytes, 1, 1}).pattern, extent);
        uint64_t differ = 0;
        for (uint64_t i = 0; i < element_count(extent); i++) {
            const Coord at = element_at_index(extent, i);
            differ += offset_of(layout, at) != offset_of(wanted, at);
        }
        CHECK(differ == 0);
    }
}

TEST_CASE("an image of one element is a tile of Z-order, for every element size") {
    for (const char* first : {"x", "y"})
        for (const uint32_t bytes : {1U, 2U, 4U, 8U, 16U}) {
            const Layout layout = defined_layout({"morton", {{"first", first}}}, {bytes, 1, 1}, unit_extent);
            CHECK(offset_of(layout, {}) == 0);
            CHECK(layout.pattern.tile_bytes == bytes);
        }
}

TEST_CASE("u-interleaved elements of 3, 6 and 12 bytes lie in the order of those of one byte") {
    // Mesa's pan_tiling.c: the place in the tile, times the size.
    const Coord extent = {40, 33, 1, 1};
    const Layout bytes = defined_layout({"u_interleaved", {}}, {1, 1, 1}, extent);
    for (const uint32_t size : {3U, 6U, 12U}) {
        const Layout layout = defined_layout({"u_interleaved", {}}, {size, 1, 1}, extent);
        uint64_t differ = 0;
        for (uint64_t i = 0; i < element_count(extent); i++) {
            const Coord at = element_at_index(extent, i);
            differ += offset_of(layout, at) != offset_of(bytes, at) * size;
        }
        CHECK(differ == 0);
    }
}

TEST_CASE("Blackwell's blocks are Turing's but for small elements") {
    // drm_fourcc.h: a sector layout of its own for elements of 8 bits, another for 16.
    for (const uint32_t bytes : {1, 2, 4, 8, 16}) {
        const auto of = [&](const char* kind) {
            return defined_layout({"block_linear", {{"kind", kind}}}, {bytes, 1, 1}, {300, 200, 1, 1});
        };
        CHECK((of("blackwell") == of("turing")) == (bytes > 2));
        CHECK(of("blackwell").constant == 0);
    }
}

TEST_CASE("an address configuration that has a layout has one for each size of elements") {
    std::map<std::array<uint32_t, 4>, std::set<uint32_t>> sizes;
    for (const AmdEquation& each : amd_equations())
        sizes[{each.version, each.tile, each.pipes, each.packers}].insert(each.element_bytes);
    CHECK(sizes.size() > 20);
    // With one pipe bytes lie in blocks whose equation nobody has read.
    for (const auto& [configuration, of] : sizes)
        for (const uint32_t bytes : {1, 2, 4, 8, 16})
            CHECK((of.contains(bytes) || (bytes == 1 && configuration[2] == 1)));
}

TEST_CASE("what no mode has is refused by the name of the thing") {
    const auto why = [](const ModeRequest& request, uint32_t bytes = 4, const Coord& extent = {64, 64, 1, 1}) {
        try {
            defined_layout(request, {bytes, 1, 1}, extent);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto names = [](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
    CHECK(names(why({"tile5", {}}), "tile4"));
    CHECK(names(why({"block_linear", {{"gobs", "3"}}}), "power of two from 1 to 32"));
    CHECK(names(why({"block_linear", {{"gobs", "64"}}}), "32"));
    CHECK(names(why({"block_linear", {{"gob", "4"}}}), "gobs=1..32"));
    CHECK(names(why({"tiley", {{"gobs", "4"}}}), "no parameters"));
    CHECK(names(why({"tiley", {}}, 12), "not 12"));
    CHECK(names(why({"64KB_R_X", {}}), "pipes=4 packers=4"));
    CHECK(names(why({"morton", {{"tile", "3x8"}}}), "8x8"));
    CHECK(why({"morton", {}}, 4, {1 << 19, 1 << 19, 1, 1}) == "");  // 2^40 bytes
    CHECK(names(why({"morton", {}}, 4, {(1 << 19) + 1, 1 << 19, 1, 1}), "524289x524288 has 41 address bits"));
    CHECK(names(why({"sand", {{"rows", "10"}}}), "64"));
}

TEST_CASE("an equation that is typed is the layout that it says, and a wrong one is refused by its bit") {
    const Layout layout = layout_by_equation("0 0 x0 y0 x1 y1^x0^ty0", {4, 1, 1});
    CHECK(layout.pattern.tile == Coord{4, 4, 1, 1});
    CHECK(layout == layout_by_equation("x0,y0 x1 x0^y1^ty0", {4, 1, 1}));
    CHECK(offset_of(layout, {1, 2, 0, 0}) == (1 << 2));
    CHECK(offset_of(layout, {1, 6, 0, 0}) == layout.stride[axis_y] + (1 << 2 | 1 << 5));
    const auto why = [](const char* equation, uint32_t bytes = 4) {
        try {
            layout_by_equation(equation, {bytes, 1, 1});
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    for (const auto& [equation, words] : {std::pair{"", "empty"},
                                          {"x0 q1", "q1"},
                                          {"x0^y0 x0^y0", "same offset"},
                                          {"0 x0 y0", "2 bits"},
                                          {"x0 y0^", "bit 3"},
                                          {"x0 x99", "x99"},
                                          {"x0 x2", "x1 is missing"}}) {
        CAPTURE(std::string(equation));
        CHECK(why(equation).find(words) != std::string::npos);
    }
}
