#include "patterns/model/names.h"
#include "patterns/solve/solve.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>

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
              "NVIDIA block-linear (Turing and later), 16 GOBs high: NVIDIA_BLOCK_LINEAR_2D");
    CHECK(name("nvidia_fermi-volta_bl16_32bpp") ==
          "NVIDIA block-linear (Fermi to Volta), 16 GOBs high: NVIDIA_BLOCK_LINEAR_2D");
    CHECK(name("intel_gen6-gen12_TileY0_32bpp") == "Intel TileY0: I915_FORMAT_MOD_Y_TILED");
    CHECK(name("intel_gen125plus_Tile4_32bpp") == "Intel Tile4: I915_FORMAT_MOD_4_TILED");
    CHECK(name("apple_agx_twiddled_32bpp") == "Z-order in 16 KiB tiles: APPLE_TWIDDLED");
    CHECK(name("mali_utgard-valhall_u-interleaved_32bpp") == "Mali 16x16 u-interleaved: ARM_16X16_BLOCK_U_INTERLEAVED");
    CHECK(name("lavapipe_llvmpipe_linear-37x20_96bpp") == "rows in scan order: LINEAR");
    CHECK(name("amd_gfx103-navi21_64KB-R-X_32bpp") == "");
    CHECK(name("qcom_a6xx_TILE6-3-4ch_32bpp") == "");
}
