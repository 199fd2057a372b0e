#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "tests/support/random_layout.h"
#include <doctest/doctest.h>

using namespace tilewise;
using nlohmann::json;

namespace {

/// The example of the design document: RADV navi21, RGBA8 (64KB_R_X).
const char* const navi21_json = R"({ "element": {"bytes": 4, "width": 1, "height": 1},
  "tile": {"width": 128, "height": 128, "depth": 1, "bytes": 65536},
  "equation": ["0","0","x0","x1","y0","y1","x2","y2","y4","x4^y4","y5","x5","x3","y3","x6","x6^y6"],
  "outer_xor": {"10": "tx0", "11": "ty0", "14": "ty0"},
  "stride": {"x": 65536, "y": 131072, "z": 0, "xor": {}},
  "constant": 0, "base": 0 })";

std::string layout_refusal(const json& patch) {
    json object = json::parse(navi21_json);
    object.merge_patch(patch);
    try {
        (void)layout_from_json(object);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("the design's example reads and writes unchanged") {
    CHECK(json(to_json(layout_from_json(json::parse(navi21_json)))) == json::parse(navi21_json));
}

TEST_CASE("any layout survives the way to JSON and back, and keeps its pattern's id") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 3000; i++) {
        RandomImage image = random_image(random);
        const json object = to_json(image.layout);
        const Layout back = layout_from_json(object);
        CAPTURE(object.dump());
        CHECK(json(to_json(back)) == object);
        for (int j = 0; j < 10; j++) {
            const Coord at = element_at_index(image.extent, random() % element_count(image.extent));
            REQUIRE(offset_of(back, at) == offset_of(image.layout, at));
        }
    }
}

TEST_CASE("base, constant and stride values are no part of the pattern, its equation is") {
    const Layout layout = layout_from_json(json::parse(navi21_json));
    Layout other = layout;
    other.base = 4096;
    other.constant = 0x100;
    other.stride[axis_y] *= 2;
    CHECK(pattern_id(other.pattern) == pattern_id(layout.pattern));
    other.pattern.equation.columns[axis_x][0] ^= 8;
    CHECK(pattern_id(other.pattern) != pattern_id(layout.pattern));
}

TEST_CASE("XORs into the tile index that no stride of 64 bits leaves room for are refused") {
    for (const char* bit : {"40", "47", "48", "60", "63"})
        CHECK(layout_refusal({{"stride", {{"xor", {{bit, "tx0"}}}}}}) ==
              "layout: \"stride.xor\" gives two tiles the same place");
}

TEST_CASE("of a whole image the complaint says where its layouts are") {
    CHECK(layout_refusal({{"subresources", json::array()}}).find("each of its \"subresources\" has a \"layout\"") !=
          std::string::npos);
}

TEST_CASE("a wrong member is named") {
    CHECK(layout_refusal({{"tile", nullptr}}) == "layout: \"tile\" is missing");
    CHECK(layout_refusal({{"tile", {{"width", 100}}}}) == "layout: \"tile\" must have a power of two along each axis");
    CHECK(layout_refusal({{"tile", {{"bytes", 65535}}}}) ==
          "layout: \"tile.bytes\" must be the bytes of the tile's elements, or that times a power of two");
    CHECK(layout_refusal({{"tile", {{"width", -1}}}}) == "layout: \"tile.width\" must be a whole number of 0 or more");
    CHECK(layout_refusal({{"base", "0"}}) == "layout: \"base\" must be a whole number of 0 or more");
    CHECK(layout_refusal({{"equation", {"x0"}}}) == "layout: \"equation\" must have one row a bit of tile.bytes");
    json equation = json::parse(navi21_json)["equation"];
    equation[2] = "x1";
    CHECK(layout_refusal({{"equation", equation}}) == "layout: \"equation\" gives two elements the same offset");
    equation[2] = "q0";
    CHECK(layout_refusal({{"equation", equation}}) ==
          "layout: \"equation[2]\" names a coordinate other than x, y, z, s");
    equation[2] = "x7";
    CHECK(layout_refusal({{"equation", equation}}) == "layout: \"equation\" uses coordinate bits beyond the tile");
    CHECK(layout_refusal({{"outer_xor", {{"20", "tx0"}}}}) ==
          "layout: \"outer_xor\" or \"constant\" reaches beyond the tile");
    CHECK(layout_refusal({{"outer_xor", {{"10", "x0"}}}}) == "layout: \"outer_xor.10\" has a term of another kind");
    CHECK(layout_refusal({{"stride", {{"xor", {{"0", "tx0"}}}}}}) ==
          "layout: \"stride.xor\" gives two tiles the same place");
}

TEST_CASE("a tile larger than any memory, and elements that share bytes, are refused") {
    constexpr uint64_t side = uint64_t{1} << 31;
    CHECK(layout_refusal({{"tile", {{"width", side}, {"height", side}, {"bytes", 0}}}}) ==
          "layout: \"tile\" has more bytes than 2^48");
    CHECK(layout_refusal({{"tile", {{"width", side}, {"height", side}, {"depth", side}, {"bytes", 0}}}}) ==
          "layout: \"tile\" has more bytes than 2^48");
    CHECK(layout_refusal({{"tile", {{"bytes", uint64_t{1} << 63}}}}) == "layout: \"tile.bytes\" is more than 2^48");
    CHECK(layout_refusal({{"element", {{"bytes", 8192}}}}) == "layout: \"element.bytes\" is out of range");
    CHECK(layout_refusal({{"constant", 2}}) == "layout: two elements of a tile would share bytes");
    CHECK(layout_refusal({{"outer_xor", {{"1", "tx0"}}}}) == "layout: two elements of a tile would share bytes");
    json equation = json::parse(navi21_json)["equation"];
    std::swap(equation[0], equation[2]);
    CHECK(layout_refusal({{"equation", equation}}) == "layout: two elements of a tile would share bytes");
    CHECK(layout_refusal({{"base", ~uint64_t{0}}}) == "layout: it reaches beyond 64 bits of address");
}
