// The C functions on one layout of which every answer is known by hand: 4x2 elements of 4 bytes in tiles of 2x2, row
// after row.
#include "patterns/c_api.h"
#include <array>
#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <string>

namespace {

using OwnedLayout = std::unique_ptr<tilewise_layout, void (*)(tilewise_layout*)>;

OwnedLayout two_tiles() {
    const char* text =
        R"({"element":{"bytes":4,"width":1,"height":1},"tile":{"width":2,"height":2,"depth":1,"bytes":16},
        "equation":["0","0","x0","y0"],"outer_xor":{},"stride":{"x":16,"y":0,"z":0,"xor":{}},"constant":0,"base":0})";
    OwnedLayout layout(tilewise_layout_from_json(text, std::strlen(text)), tilewise_layout_free);
    REQUIRE(layout);
    return layout;
}

/// Nothing beside these three may be read: what follows them is no 0 where they have none, and one where they end.
struct Sides {
    uint32_t sides[3];
    uint32_t next;
};

}  // namespace

TEST_CASE("C: where an element lies, and which one lies there") {
    const OwnedLayout layout = two_tiles();
    const Sides image = {{4, 2, 1}, 7};
    for (uint32_t y = 0; y < 2; y++)
        for (uint32_t x = 0; x < 4; x++) {
            const Sides element = {{x, y, 0}, 0};
            uint64_t offset = 0;
            REQUIRE(tilewise_offset_of(layout.get(), element.sides, &offset) == TILEWISE_OK);
            CHECK(offset == x / 2 * 16 + y * 8 + x % 2 * 4);
            uint32_t found[3] = {9, 9, 9};
            REQUIRE(tilewise_element_of(layout.get(), image.sides, offset + 3, found) == TILEWISE_OK);
            CHECK(std::array{found[0], found[1], found[2]} == std::array{x, y, 0u});
        }
    uint32_t found[3];
    CHECK(tilewise_element_of(layout.get(), image.sides, 32, found) == TILEWISE_NOTHING);
    const Sides flat = {{4, 2, 0}, 7};
    CHECK(tilewise_element_of(layout.get(), flat.sides, 0, found) == TILEWISE_ERROR);
    CHECK(std::string(tilewise_error()) == "an extent has a side of 0");
    CHECK(tilewise_element_of(layout.get(), nullptr, 0, found) == TILEWISE_ERROR);
}

TEST_CASE("C: many elements and offsets at once, and nothing beside them") {
    const OwnedLayout layout = two_tiles();
    const std::array<uint32_t, 6> elements = {3, 1, 0, 0, 1, 0};
    std::array<uint64_t, 3> offsets = {7, 7, 7};
    REQUIRE(tilewise_offsets_of(layout.get(), elements.data(), 2, offsets.data()) == TILEWISE_OK);
    CHECK(offsets == std::array<uint64_t, 3>{28, 8, 7});
    const Sides image = {{4, 2, 1}, 7};
    offsets = {31, 32, 8};
    std::array<uint32_t, 9> found{};
    REQUIRE(tilewise_elements_of(layout.get(), image.sides, offsets.data(), 2, found.data()) == TILEWISE_OK);
    constexpr uint32_t no = TILEWISE_NOWHERE;
    CHECK(found == std::array<uint32_t, 9>{3, 1, 0, no, no, no, 0, 0, 0});
    CHECK(tilewise_offsets_of(layout.get(), nullptr, 0, offsets.data()) == TILEWISE_ERROR);
}

TEST_CASE("C: many texels of an image at once, up to the first that it does not have") {
    const char* text = R"({"format":"R8G8B8A8_UNORM","usage":"sampled","image_type":"2D","extent":[4,2,1],"levels":1,
        "layers":3,"samples":1,"flags":"","bytes":96,"alignment":1,"source":"given","evidence":"",
        "subresources":[{"aspect":"color","level":0,"layer":0,"layers":3,"layer_stride":32,"extent":[4,2,1],"layout":
        {"element":{"bytes":4,"width":1,"height":1},"tile":{"width":2,"height":2,"depth":1,"bytes":16},
        "equation":["0","0","x0","y0"],"outer_xor":{},"stride":{"x":16,"y":0,"z":0,"xor":{}},"constant":0,"base":0}}]})";
    const std::unique_ptr<tilewise_image, void (*)(tilewise_image*)> image(
        tilewise_image_from_json(text, std::strlen(text)), tilewise_image_free);
    REQUIRE_MESSAGE(image, tilewise_error());
    std::array<tilewise_texel, 3> texels = {
        {{TILEWISE_COLOR, 0, 2, {3, 1, 0}, 0}, {TILEWISE_COLOR, 0, 1, {0, 1, 0}, 0}}};
    std::array<uint64_t, 3> offsets = {7, 7, 7};
    REQUIRE(tilewise_image_addresses(image.get(), texels.data(), 2, offsets.data()) == TILEWISE_OK);
    CHECK(offsets == std::array<uint64_t, 3>{92, 40, 7});
    texels[1].layer = 3;
    offsets = {7, 7, 7};
    CHECK(tilewise_image_addresses(image.get(), texels.data(), 3, offsets.data()) == TILEWISE_ERROR);
    CHECK(offsets == std::array<uint64_t, 3>{92, 7, 7});
    CHECK(std::string(tilewise_error()) == "there is no level 0, layer 3: the image has 1 level and 3 layers");
}

TEST_CASE("C: a layout of another extent, and what it is made of") {
    const OwnedLayout layout = two_tiles();
    const Sides image = {{5, 4, 1}, 7};
    const OwnedLayout larger(tilewise_layout_dense(layout.get(), image.sides), tilewise_layout_free);
    REQUIRE(larger);
    tilewise_layout_info info;
    REQUIRE(tilewise_layout_describe(larger.get(), &info) == TILEWISE_OK);
    CHECK(info.element_bytes == 4);
    CHECK(info.tile[0] == 2);
    CHECK(info.tile[1] == 2);
    CHECK(info.tile[2] == 1);
    CHECK(info.tile_bytes == 16);
    CHECK(info.stride[0] == 16);
    CHECK(info.stride[1] == 48);  // three tiles a row
    CHECK(info.base == 0);
    char id[17], other[17];
    CHECK(tilewise_pattern_id(layout.get(), id) == TILEWISE_OK);
    CHECK(tilewise_pattern_id(larger.get(), other) == TILEWISE_OK);
    CHECK(std::strlen(id) == 16);
    const Sides none = {{0, 4, 1}, 7};
    CHECK(tilewise_layout_dense(layout.get(), none.sides) == nullptr);
}

TEST_CASE("C: boxes are converted both ways, and what is too short is refused untouched") {
    const OwnedLayout layout = two_tiles();
    const tilewise_box box = {{1, 0, 0}, {3, 2, 1}};
    uint64_t tiled_bytes = 0, rows_bytes = 0;
    REQUIRE(tilewise_tiled_bytes(layout.get(), &box, &tiled_bytes) == TILEWISE_OK);
    CHECK(tiled_bytes == 32);
    REQUIRE(tilewise_rows_bytes(layout.get(), &box, nullptr, &rows_bytes) == TILEWISE_OK);
    CHECK(rows_bytes == 24);
    const tilewise_pitch pitch = {16, 0};
    REQUIRE(tilewise_rows_bytes(layout.get(), &box, &pitch, &rows_bytes) == TILEWISE_OK);
    CHECK(rows_bytes == 28);  // the last row ends with its last element

    std::array<uint32_t, 8> tiled{};
    std::iota(tiled.begin(), tiled.end(), 0u);
    std::array<uint32_t, 6> rows{};
    REQUIRE(tilewise_detile(layout.get(), &box, tiled.data(), sizeof tiled, rows.data(), sizeof rows, nullptr) ==
            TILEWISE_OK);
    CHECK(rows == std::array<uint32_t, 6>{1, 4, 5, 3, 6, 7});
    std::array<uint32_t, 8> again{};
    REQUIRE(tilewise_tile(layout.get(), &box, rows.data(), sizeof rows, nullptr, again.data(), sizeof again) ==
            TILEWISE_OK);
    CHECK(again == std::array<uint32_t, 8>{0, 1, 0, 3, 4, 5, 6, 7});
    rows = {};
    CHECK(tilewise_detile(layout.get(), &box, tiled.data(), sizeof tiled - 1, rows.data(), sizeof rows, nullptr) ==
          TILEWISE_ERROR);
    CHECK(tilewise_detile(layout.get(), &box, tiled.data(), sizeof tiled, rows.data(), sizeof rows - 1, nullptr) ==
          TILEWISE_ERROR);
    CHECK(rows == std::array<uint32_t, 6>{});
    const tilewise_box beyond = {{4'294'967'295u, 0, 0}, {2, 1, 1}};
    CHECK(tilewise_tiled_bytes(layout.get(), &beyond, &tiled_bytes) == TILEWISE_ERROR);
    CHECK(std::string(tilewise_error()) == "a box reaches beyond 32 bits of coordinates");
}
