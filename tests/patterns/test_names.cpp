#include "db/catalog.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "patterns/modes/defined_modes.h"
#include "patterns/solve/solve.h"
#include "tests/support/program.h"
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;

TEST_CASE("tilings are called what the field calls them, whatever the element's size") {
    const auto name = [](const std::string& table) {
        CAPTURE(table);
        const Solution solution = solve(parse_table_csv(layout_table(table)));
        REQUIRE(solution.fit == Fit::exact);
        return pattern_name(solution.layout.pattern);
    };
    for (const char* bits : {"8bpp", "16bpp", "32bpp", "64bpp", "128bpp"})
        CHECK(name(std::string("nvidia_turing-ada_bl16_") + bits) ==
              "NVIDIA block-linear (Turing and later), 16 GOBs high: NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)");
    CHECK(name("nvidia_fermi-volta_bl16_32bpp") ==
          "NVIDIA block-linear (Fermi to Volta), 16 GOBs high: NVIDIA_BLOCK_LINEAR_2D(0,1,0,0xfe,4)");
    CHECK(name("intel_gen6-gen12_TileY0_32bpp") == "Intel TileY0: I915_FORMAT_MOD_Y_TILED");
    CHECK(name("intel_gen125plus_Tile4_32bpp") == "Intel Tile4: I915_FORMAT_MOD_4_TILED");
    CHECK(name("apple_agx_twiddled_32bpp") == "Z-order (Morton), in 16 KiB tiles: APPLE_GPU_TILED");
    CHECK(name("mali_utgard-valhall_u-interleaved_32bpp") == "Mali 16x16 u-interleaved: ARM_16X16_BLOCK_U_INTERLEAVED");
    CHECK(name("lavapipe_llvmpipe_linear-37x20_96bpp") == "rows in scan order: LINEAR");
    // The tables' own names say which modes they are.
    CHECK(name("amd_gfx103-navi21_64KB-R-X_32bpp") ==
          "AMD 64KB_R_X: AMD(TILE_VERSION=GFX10_RBPLUS,TILE=64KB_R_X,PIPE_XOR_BITS=4,PACKERS=4)");
    CHECK(name("amd_gfx12-gfx1201_64KB-2D_32bpp") ==
          "AMD 64KB_D (GFX12: 2D): AMD(TILE_VERSION=GFX12,TILE=64KB_2D) or AMD(TILE_VERSION=GFX11,TILE=64KB_D)");
    CHECK(name("amd_gfx8-polaris10_2DTHIN1_32bpp") == "AMD 2D_TILED_THIN1 (GFX6 to 8)");
    CHECK(name("qcom_a6xx_TILE6-3-4ch_32bpp") == "Qualcomm TILE6_3: QCOM_TILED3");
    CHECK(name("broadcom_v3d42-71_UIF-XOR_32bpp") == "Broadcom UIF: BROADCOM_UIF");
}

TEST_CASE("a modifier's number is the one that drm_fourcc.h computes, and none where a field is not known") {
    // As a C compiler prints them from the header.
    struct NumberedName {
        const char *modifier, *number;
    };
    const NumberedName numbers[] = {
        {"LINEAR", "0x0000000000000000"},
        {"I915_FORMAT_MOD_Y_TILED", "0x0100000000000002"},
        {"I915_FORMAT_MOD_4_TILED", "0x0100000000000009"},
        {"ARM_16X16_BLOCK_U_INTERLEAVED", "0x0810000000000001"},
        {"BROADCOM_UIF", "0x0700000000000006"},
        {"QCOM_TILED3", "0x0500000000000003"},
        {"APPLE_GPU_TILED", "0x0c00000000000001"},
        {"NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)", "0x0300000000606014"},
        {"NVIDIA_BLOCK_LINEAR_2D(0,1,0,0xfe,4)", "0x03000000004fe014"},
        {"NVIDIA_BLOCK_LINEAR_2D(0,0,0,0xfe,0)", "0x03000000000fe010"},
        {"NVIDIA_BLOCK_LINEAR_2D(0,2,2,0x06,5)", "0x0300000004206015"},
        {"NVIDIA_BLOCK_LINEAR_2D(0,3,2,0x06,5)", "0x0300000004606015"},
        {"NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,h)", ""},
        {"NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06)", ""},
        {"", ""},
    };
    for (const NumberedName& each : numbers) {
        CAPTURE(std::string(each.modifier));
        CHECK(drm_modifier_text(each.modifier) == std::string(each.number));
    }
}

namespace {

Pattern pattern_of(unsigned bytes, std::array<unsigned, 2> tile, const std::string& equation,
                   const std::string& outer = "{}", unsigned samples = 1) {
    nlohmann::json json = {{"element", {{"bytes", bytes}, {"width", 1}, {"height", 1}}},
                           {"tile",
                            {{"width", tile[0]},
                             {"height", tile[1]},
                             {"depth", 1},
                             {"bytes", uint64_t{1} << split(equation, ' ').size()}}},
                           {"outer_xor", nlohmann::json::parse(outer)},
                           {"stride", {{"x", 1 << 20}, {"y", 1 << 24}, {"z", 0}, {"xor", nlohmann::json::object()}}},
                           {"constant", 0},
                           {"base", 0}};
    if (samples > 1) json["tile"]["samples"] = samples;
    for (const std::string& row : split(equation, ' ')) json["equation"].push_back(row);
    return layout_from_json(json).pattern;
}

}  // namespace

TEST_CASE("AMD's modes of one block of 256 bytes are told apart by the order behind it") {
    // As RADV lays RGBA8 out on Navi 21: 64x64, then 256x256, then a depth buffer.
    const auto name = [](const Pattern& pattern) { return mode_of(pattern).name; };
    CHECK(name(pattern_of(4, {32, 32}, "0 0 x0 x1 y0 y1 x2 y2 y3 x3 y4 x4", R"({"10":"tx0","11":"ty0"})")) ==
          "AMD 4KB_D_X");
    CHECK(name(pattern_of(4, {128, 128}, "0 0 x0 x1 y0 y1 x2 y2 y4 x4^y4 y5 x5 x3 y3 x6 x6^y6",
                          R"({"10":"tx0","11":"ty0","14":"ty0"})")) == "AMD 64KB_R_X");
    CHECK(name(pattern_of(4, {128, 128}, "0 0 x0 y0 x1 y1 x2 y2 y4 x4^y4 y5 x5 x3 y3 x6 x6^y6",
                          R"({"10":"tx0","11":"ty0","14":"ty0"})")) == "AMD 64KB_Z_X (RDNA3: R)");
}

TEST_CASE("D3D12's and Vulkan's standard swizzle is AMD's 64KB_S") {
    // The masks of the D3D documents, 32 bits a texel: x 1010101010001111, y 0101010101110000.
    std::string equation;
    unsigned x = 0, y = 0;
    for (unsigned bit = 0; bit < 16; ++bit) {
        const bool of_x = (0b1010101010001111 >> bit & 1) != 0;
        equation += bit < 2 ? "0" : of_x ? fmt::format("x{}", x++) : fmt::format("y{}", y++);
        if (bit < 15) equation += ' ';
    }
    CHECK(mode_of(pattern_of(4, {128, 128}, equation)).name == "AMD 64KB_S, the standard swizzle of Vulkan and D3D12");
}

TEST_CASE("blocks of 1 to 32 GOBs are one mode, and their modifiers tell the height") {
    const auto mode = [](unsigned log2_high) {
        std::string equation = "0 0 x0 x1 y0 y1 x2 y2 x3";
        for (unsigned bit = 0; bit < log2_high; ++bit) equation += fmt::format(" y{}", 3 + bit);
        return mode_of(pattern_of(4, {16, 8U << log2_high}, equation));
    };
    for (unsigned log2_high = 1; log2_high <= 5; ++log2_high) {
        CHECK(mode(log2_high).name == mode(0).name);
        CHECK(mode(log2_high).size == fmt::format("{} GOBs high", 1U << log2_high));
        // What an H100 lists for RGBA8: 0x0300000000606010 to ..15.
        CHECK(mode(log2_high).modifier == fmt::format("NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,{})", log2_high));
    }
}

TEST_CASE("of NVIDIA's block-linear, two samples are two texels side by side, and four a square") {
    // As read from an H100, RGBA8 and RGBA32F.
    for (const Pattern& pattern : {pattern_of(4, {8, 128}, "0 0 s0 x0 y0 y1 x1 y2 x2 y3 y4 y5 y6", "{}", 2),
                                   pattern_of(4, {8, 64}, "0 0 s0 x0 s1 y0 x1 y1 x2 y2 y3 y4 y5", "{}", 4),
                                   pattern_of(16, {2, 64}, "0 0 0 0 s1 y0 s0 y1 x0 y2 y3 y4 y5", "{}", 4)}) {
        const Mode seen = mode_of(pattern);
        CHECK(seen.name == "NVIDIA block-linear (Turing and later)");
        CHECK(seen.size == "16 GOBs high");
    }
}

TEST_CASE("depth that lies beside its stencil is no mode of AMD's, whose blocks begin alike") {
    // As read from an H100, D32_SFLOAT_S8_UINT with 1, 2 and 4 samples; then its corner, which Navi 10 has as well.
    for (const Pattern& pattern : {pattern_of(4, {8, 128}, "0 0 x0 x1 y0 y1 y2 x2 y3 0 y4 y5 y6"),
                                   pattern_of(4, {4, 128}, "0 0 s0 x0 y0 y1 y2 x1 y3 0 y4 y5 y6", "{}", 2),
                                   pattern_of(4, {4, 64}, "0 0 s0 x0 s1 y0 y1 x1 y2 0 y3 y4 y5", "{}", 4)})
        CHECK(mode_of(pattern).name == "NVIDIA block-linear, depth beside stencil (ZF32_X24S8)");
    CHECK(mode_of(pattern_of(4, {8, 8}, "0 0 x0 x1 y0 y1 y2 x2")).name == "corner of a block");
}

TEST_CASE("what lies otherwise than a mode, or like several, has no name of one") {
    const auto name = [](const Pattern& pattern) { return mode_of(pattern).name; };
    // etnaviv's super-tile and tails that no table has: behind 256 bytes of AMD's, and no XOR of channels.
    for (const char* tail : {"y3 x3 x4 x5 y4 y5", "x3 x4 y3 y4 x5 y5", "x5 y5 x4 y4 x3 y3"}) {
        CHECK(name(pattern_of(4, {64, 64}, std::string("0 0 x0 x1 y0 y1 x2 y2 ") + tail)) == "");
        CHECK(name(pattern_of(4, {64, 64}, std::string("0 0 x0 y0 x1 y1 x2 y2 ") + tail)) == "");
    }
    // Blocks of 16 bytes x 8 rows side by side, as a PSP's; 16x16 bytes, as Samsung's.
    CHECK(name(pattern_of(1, {16, 8}, "x0 x1 x2 x3 y0 y1 y2")) == "corner of a block");
    CHECK(name(pattern_of(1, {16, 16}, "x0 x1 x2 x3 y0 y1 y2 y3")) == "corner of a block");
    // A Tegra's blocks of one GOB are GFX6's micro tiles.
    CHECK(name(pattern_of(4, {8, 8}, "0 0 x0 x1 y0 x2 y1 y2")).ends_with("or NVIDIA block-linear (Tegra K1 to X2)"));
    CHECK(mode_of(pattern_of(4, {8, 8}, "0 0 x0 x1 y0 y1 x2 y2")).size == "one GOB high or wide");
    // Nobody lays such corners out.
    CHECK(name(pattern_of(1, {4, 4}, "y1 x1 x0 y0")) == "");
    CHECK(name(pattern_of(1, {8, 1}, "x2 x1 x0")) == "");
    CHECK(name(pattern_of(1, {4, 4}, "y1 y0 x1^y0 x0^y1")) == "");
}

TEST_CASE("columns are no rows, and tiles of one element that are XORed are neither") {
    const auto solved = [](const auto& offset) {
        std::string table = "x,y,byte_offset\n";
        for (unsigned y = 0; y < 32; ++y)
            for (unsigned x = 0; x < 32; ++x) table += fmt::format("{},{},{}\n", x, y, offset(x, y));
        const Solution solution = solve(parse_table_csv(table, 2));
        REQUIRE(solution.fit == Fit::exact);
        return mode_of(solution.layout.pattern);
    };
    CHECK(solved([](unsigned x, unsigned y) { return 2 * (y * 32 + x); }).modifier == "LINEAR");
    CHECK(solved([](unsigned x, unsigned y) { return 2 * (x * 32 + y); }) == Mode{"columns in scan order", "", ""});
    // Every other row backwards.
    CHECK(solved([](unsigned x, unsigned y) { return 2 * (y * 32 + (y % 2 ? 31 - x : x)); }).modifier.empty());
}

TEST_CASE("Broadcom's UIF is called so, whatever the element's size") {
    for (const uint32_t bytes : {1U, 2U, 4U, 8U, 16U})
        CHECK(mode_of(defined_layout({"uif", {}}, {bytes, 1, 1}, {300, 200, 1, 1}).pattern).name == "Broadcom UIF");
}

TEST_CASE(
    "every pattern of the catalog has a mode, but for those of stencil alone, and some of AMD's GPUs before RDNA and "
    "of "
    "Raspberry Pi, which have no name yet") {
    const auto is_of_unnamed = [](const db::ObservationRow& row) {
        return std::ranges::any_of(std::array{"RADV VEGA", "RADV RAVEN", "RADV RENOIR", "RADV POLARIS", "V3D"},
                                   [&](const char* part) { return row.device.name.find(part) != std::string::npos; });
    };
    const db::Database catalog = db::open_catalog(db::embedded_catalog());
    size_t patterns = 0;
    for (const db::PatternSummary& pattern : db::find_patterns(catalog, {})) {
        CAPTURE(pattern.id);
        const auto seen = db::find_observations(catalog, {.pattern = pattern.id});
        if (std::ranges::all_of(seen, [](const auto& row) { return row.fact.aspect == "stencil"; })) continue;
        const bool is_named = !mode_of(pattern.layout.pattern).name.empty();
        CHECK((is_named || std::ranges::all_of(seen, is_of_unnamed)));
        patterns += is_named;
    }
    CHECK(patterns > 400);
}
