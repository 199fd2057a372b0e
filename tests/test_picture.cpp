#include "patterns/layout_json.h"
#include "patterns/picture.h"
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

Layout tile(uint32_t width, uint32_t height, nlohmann::json equation, nlohmann::json stride) {
    stride["xor"] = nlohmann::json::object();
    stride["z"] = 0;
    return layout_from_json(
        {{"element", {{"bytes", 4}, {"width", 1}, {"height", 1}}},
         {"tile", {{"width", width}, {"height", height}, {"depth", 1}, {"bytes", width * height * 4}}},
         {"equation", equation},
         {"outer_xor", nlohmann::json::object()},
         {"stride", stride},
         {"constant", 0},
         {"base", 0}});
}

}  // namespace

TEST_CASE("the 8x8 picture of an RTX 2080 is the published one") {
    // Equation: Mesa's nil GOB table for Turing. Picture: "Detect Image Z-curve (Vulkan only)", readme, RTX 2080.
    const Layout turing = tile(16, 8, {"0", "0", "x0", "x1", "y0", "y1", "x2", "y2", "x3"}, {{"x", 512}, {"y", 8192}});
    CHECK(memory_order(turing, 8, 8) ==
          "[0,0] [1,0] [2,0] [3,0] [0,1] [1,1] [2,1] [3,1]\n"
          "[0,2] [1,2] [2,2] [3,2] [0,3] [1,3] [2,3] [3,3]\n"
          "[4,0] [5,0] [6,0] [7,0] [4,1] [5,1] [6,1] [7,1]\n"
          "[4,2] [5,2] [6,2] [7,2] [4,3] [5,3] [6,3] [7,3]\n"
          "[0,4] [1,4] [2,4] [3,4] [0,5] [1,5] [2,5] [3,5]\n"
          "[0,6] [1,6] [2,6] [3,6] [0,7] [1,7] [2,7] [3,7]\n"
          "[4,4] [5,4] [6,4] [7,4] [4,5] [5,5] [6,5] [7,5]\n"
          "[4,6] [5,6] [6,6] [7,6] [4,7] [5,7] [6,7] [7,7]\n");
}

TEST_CASE("linear rows are pictured in scan order") {
    const Layout linear = tile(1, 1, {"0", "0"}, {{"x", 4}, {"y", 1216}});
    CHECK(memory_order(linear, 4, 2) == "[0,0] [1,0] [2,0] [3,0]\n[4,0] [5,0] [6,0] [7,0]\n");
    CHECK(pattern_title(linear.pattern) == "linear, 4-byte elements");
}

TEST_CASE("address bits are shown from the most significant, each with its coordinate bits") {
    const Layout mali = tile(2, 2, {"0", "0", "x0^y0", "y0"}, {{"x", 16}, {"y", 64}});
    CHECK(address_bits(mali) == "bit    3      2   1   0\nfrom  y0  x0^y0   0   0\n");
}
