// The C functions on one layout of which every answer is known by hand: 4x2 elements of 4 bytes in tiles of 2x2, row
// after row.
#include "patterns/c_api.h"
#include <array>
#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

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

TEST_CASE("C: of a whole image's JSON the error says where its layouts are") {
    const char* text = R"({"format":"R8G8B8A8_UNORM","subresources":[{"level":0,"layout":{}}]})";
    CHECK(tilewise_layout_from_json(text, std::strlen(text)) == nullptr);
    CHECK(std::string(tilewise_error()).find("each of its \"subresources\" has a \"layout\"") != std::string::npos);
}

TEST_CASE("C: a workgroup that is none, and a texel that has no place, are said so") {
    tilewise_workgroup workgroup = {{2, 2, 1}, 13, {}};
    uint32_t texel[3] = {9, 9, 9};
    tilewise_workgroup_texel(&workgroup, 3, texel);
    CHECK(std::array{texel[0], texel[1], texel[2]} == std::array{0u, 0u, 0u});
    CHECK(std::string(tilewise_error()) == "a workgroup has at most 12 bits");
    tilewise_workgroup_texel(nullptr, 3, texel);
    CHECK(std::string(tilewise_error()) == "a pointer that must be given is NULL");
    tilewise_workgroup_texel(&workgroup, 3, nullptr);
    CHECK(std::string(tilewise_error()) == "a pointer that must be given is NULL");
}

TEST_CASE("C: each function says so where any one pointer that it needs is missing") {
    const OwnedLayout owned = two_tiles();
    const tilewise_layout* layout = owned.get();
    const uint32_t sides[3] = {4, 2, 1};
    const tilewise_box box = {{0, 0, 0}, {4, 2, 1}};
    const tilewise_texel texel = {TILEWISE_COLOR, 0, 0, {0, 0, 0}, 0};
    uint32_t coords[3] = {};
    uint64_t number = 0;
    char bytes[64] = {}, id[17] = {};
    tilewise_layout_info info = {};
    tilewise_image_info image_info = {};
    tilewise_workgroup workgroup = {};
    std::vector<std::pair<const char*, tilewise_result>> results = {
        {"pattern_id", tilewise_pattern_id(nullptr, id)},
        {"pattern_id", tilewise_pattern_id(layout, nullptr)},
        {"describe", tilewise_layout_describe(nullptr, &info)},
        {"describe", tilewise_layout_describe(layout, nullptr)},
        {"offset_of", tilewise_offset_of(nullptr, coords, &number)},
        {"offset_of", tilewise_offset_of(layout, nullptr, &number)},
        {"offset_of", tilewise_offset_of(layout, coords, nullptr)},
        {"element_of", tilewise_element_of(nullptr, sides, 0, coords)},
        {"element_of", tilewise_element_of(layout, nullptr, 0, coords)},
        {"element_of", tilewise_element_of(layout, sides, 0, nullptr)},
        {"offsets_of", tilewise_offsets_of(nullptr, coords, 1, &number)},
        {"offsets_of", tilewise_offsets_of(layout, nullptr, 1, &number)},
        {"offsets_of", tilewise_offsets_of(layout, coords, 1, nullptr)},
        {"elements_of", tilewise_elements_of(nullptr, sides, &number, 1, coords)},
        {"elements_of", tilewise_elements_of(layout, nullptr, &number, 1, coords)},
        {"elements_of", tilewise_elements_of(layout, sides, nullptr, 1, coords)},
        {"elements_of", tilewise_elements_of(layout, sides, &number, 1, nullptr)},
        {"tiled_bytes", tilewise_tiled_bytes(nullptr, &box, &number)},
        {"tiled_bytes", tilewise_tiled_bytes(layout, nullptr, &number)},
        {"tiled_bytes", tilewise_tiled_bytes(layout, &box, nullptr)},
        {"rows_bytes", tilewise_rows_bytes(nullptr, &box, nullptr, &number)},
        {"rows_bytes", tilewise_rows_bytes(layout, nullptr, nullptr, &number)},
        {"rows_bytes", tilewise_rows_bytes(layout, &box, nullptr, nullptr)},
        {"detile", tilewise_detile(nullptr, &box, bytes, 32, bytes + 32, 32, nullptr)},
        {"detile", tilewise_detile(layout, nullptr, bytes, 32, bytes + 32, 32, nullptr)},
        {"detile", tilewise_detile(layout, &box, nullptr, 32, bytes, 32, nullptr)},
        {"detile", tilewise_detile(layout, &box, bytes, 32, nullptr, 32, nullptr)},
        {"tile", tilewise_tile(nullptr, &box, bytes, 32, nullptr, bytes + 32, 32)},
        {"tile", tilewise_tile(layout, nullptr, bytes, 32, nullptr, bytes + 32, 32)},
        {"tile", tilewise_tile(layout, &box, nullptr, 32, nullptr, bytes, 32)},
        {"tile", tilewise_tile(layout, &box, bytes, 32, nullptr, nullptr, 32)},
        {"image_describe", tilewise_image_describe(nullptr, &image_info)},
        {"image_address", tilewise_image_address(nullptr, &texel, &number)},
        {"image_addresses", tilewise_image_addresses(nullptr, &texel, 1, &number)},
        {"derive_workgroup", tilewise_derive_workgroup(nullptr, 64, 32, 1, &workgroup)},
        {"derive_workgroup", tilewise_derive_workgroup(layout, 64, 32, 1, nullptr)},
        {"derive_workgroup", tilewise_derive_workgroup(layout, 0, 32, 1, &workgroup)},
        {"derive_workgroup", tilewise_derive_workgroup(layout, ~0U, ~0U, ~0U, &workgroup)},
    };
    for (const auto& [name, result] : results) {
        CAPTURE(name);
        CHECK(result == TILEWISE_ERROR);
    }
    CHECK(tilewise_layout_from_json(nullptr, 5) == nullptr);
    CHECK(tilewise_layout_dense(nullptr, sides) == nullptr);
    CHECK(tilewise_layout_dense(layout, nullptr) == nullptr);
    CHECK(tilewise_image_from_json(nullptr, 5) == nullptr);
    CHECK(tilewise_image_to_json(nullptr) == nullptr);
    CHECK(tilewise_image_layout(nullptr, TILEWISE_COLOR, 0, 0, coords) == nullptr);
    tilewise_layout_free(nullptr);
    tilewise_image_free(nullptr);
    tilewise_text_free(nullptr);
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
    CHECK(tilewise_offsets_of(layout.get(), nullptr, 1, offsets.data()) == TILEWISE_ERROR);
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
    // As on NVIDIA's GPUs before Turing, the constant is that of the layout, whatever the extent.
    const char* text =
        R"({"element":{"bytes":4,"width":1,"height":1},"tile":{"width":2,"height":2,"depth":1,"bytes":16},
        "equation":["0","0","x0","y0"],"outer_xor":{},"stride":{"x":16,"y":0,"z":0,"xor":{}},"constant":8,"base":0})";
    const OwnedLayout with_constant(tilewise_layout_from_json(text, std::strlen(text)), tilewise_layout_free);
    const OwnedLayout dense(tilewise_layout_dense(with_constant.get(), image.sides), tilewise_layout_free);
    REQUIRE(tilewise_layout_describe(dense.get(), &info) == TILEWISE_OK);
    CHECK(info.constant == 8);
    const Sides last = {{4, 3, 0}, 7};
    uint64_t offset = 0;
    REQUIRE(tilewise_offset_of(dense.get(), last.sides, &offset) == TILEWISE_OK);
    CHECK(offset == 48 + 2 * 16 + (8 ^ 8));
}

TEST_CASE("C: of no elements, the arrays may be missing") {
    const OwnedLayout layout = two_tiles();
    const Sides image = {{4, 2, 1}, 7};
    CHECK(tilewise_offsets_of(layout.get(), nullptr, 0, nullptr) == TILEWISE_OK);
    CHECK(tilewise_elements_of(layout.get(), image.sides, nullptr, 0, nullptr) == TILEWISE_OK);
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
