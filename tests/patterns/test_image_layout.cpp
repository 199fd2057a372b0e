// Image layouts: addresses, proof that no two subresources share a byte, JSON, and the same from C.
#include "patterns/c_api.h"
#include "patterns/convert/image.h"
#include "patterns/model/error.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/layout_json.h"
#include "tests/support/layout_formula.h"
#include "tests/support/table_files.h"
#include <doctest/doctest.h>
#include <memory>
#include <random>
#include <set>

using namespace tilewise;
using nlohmann::json;

namespace {

/// Tiles of 128x128 and, from level 1 on, rows; the levels lie from the smallest to the largest, layers inside levels.
ImageLayout sample_image() {
    ImageLayout image;
    image.format = "R8G8B8A8_UNORM";
    image.usage = "sampled,storage";
    image.extent_px = {300, 200, 1};
    image.levels = 9;
    image.layers = 3;
    image.bytes = 2 << 20;
    image.alignment = 65536;
    image.source = LayoutSource::probed;
    image.evidence = "a test";
    const Pattern tiled = table_layout("amd_gfx103-navi21_64KB-R-X_32bpp").pattern;
    Pattern rows;
    rows.element = {4, 1, 1};
    rows.tile_bytes = 4;
    uint64_t end = 0;
    for (uint32_t level = image.levels; level-- > 0;)
        for (uint32_t layer = 0; layer < image.layers; layer++) {
            Subresource part = {Aspect::color, level, layer, 1, 0, level_extent_px(image.extent_px, level), {}};
            part.layout = dense_layout(level == 0 ? tiled : rows, extent_el(image, part));
            end = (end + 65535) / 65536 * 65536;
            part.layout.base = end;
            end = tiled_bytes(part.layout, {{}, extent_el(image, part)});
            image.subresources.push_back(part);
        }
    image.subresources = join_layers(std::move(image.subresources));
    return image;
}

/// Two entries of one level: rows of 16 bytes, an element of 4 bytes each, 4x4 of them.
ImageLayout two_aspects(uint32_t depth_bytes, uint64_t stencil_base, uint64_t stencil_stride) {
    ImageLayout image;
    image.format = "D24_UNORM_S8_UINT";
    image.extent_px = {4, 4, 1};
    Subresource depth = {Aspect::depth, 0, 0, 1, 0, {4, 4, 1}, {}};
    depth.layout.pattern.element = {depth_bytes, 1, 1};
    depth.layout.pattern.tile_bytes = depth_bytes;
    depth.layout.stride = {4, 16, 0, 0};
    Subresource stencil = depth;
    stencil.aspect = Aspect::stencil;
    stencil.layout.pattern.element = {1, 1, 1};
    stencil.layout.pattern.tile_bytes = 1;
    stencil.layout.stride = {stencil_stride, 4 * stencil_stride, 0, 0};
    stencil.layout.base = stencil_base;
    image.subresources = {depth, stencil};
    return image;
}

std::string complaint(const ImageLayout& image) {
    try {
        require_consistent(image);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::string image_refusal(const json& patch) {
    json object = to_json(sample_image());
    object.merge_patch(patch);
    try {
        (void)image_layout_from_json(object);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("layers at a constant distance are one entry, and each texel of each has its own byte") {
    const ImageLayout image = sample_image();
    CHECK(complaint(image) == "");
    CHECK(image.subresources.size() == 9);
    std::set<uint64_t> offsets;
    size_t texels = 0;
    for (uint32_t layer = 0; layer < 3; layer++)
        for (uint32_t level = 0; level < 9; level++) {
            const Extent_px extent = level_extent_px(image.extent_px, level);
            const Subresource* part = find_subresource(image, Aspect::color, level, layer);
            REQUIRE(part);
            const LayoutFormula formula(to_json(layout_of_layer(*part, layer)));
            for (uint32_t y = 0; y < extent[1]; y++)
                for (uint32_t x = 0; x < extent[0]; x++) {
                    const uint64_t offset = address_of(image, {Aspect::color, level, layer, {x, y, 0, 0}});
                    if (offset != formula({x, y, 0, 0})) FAIL("elsewhere: level ", level, " texel ", x, ",", y);
                    offsets.insert(offset);
                    texels++;
                }
        }
    CHECK(offsets.size() == texels);
}

TEST_CASE("layers whose distances or layouts differ stand alone") {
    std::vector<Subresource> parts = sample_image().subresources;
    std::vector<Subresource> single;
    for (uint32_t layer : {2U, 0U, 1U}) {
        Subresource one = parts[0];
        one.layout = layout_of_layer(parts[0], layer);
        one.layer = layer;
        one.layers = 1;
        one.layer_stride_B = 0;
        single.push_back(one);
    }
    CHECK(join_layers(single).size() == 1);
    single[0].layout.base += 65536;  // layer 2: further away
    CHECK(join_layers(single).size() == 2);
    single[0].layout.base -= 65536;
    single[2].layout.constant = 256;  // layer 1: another constant
    CHECK(join_layers(single).size() == 3);
}

TEST_CASE("what an image does not have is a wrong question, told in one line") {
    const ImageLayout image = sample_image();
    const auto asked = [&](const TexelAt& texel) -> std::string {
        try {
            address_of(image, texel);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "answered";
    };
    CHECK(asked({Aspect::color, 1, 2, {149, 99, 0, 0}}) == "answered");
    CHECK(asked({Aspect::color, 1, 2, {150, 99, 0, 0}}) ==
          "(150,99,0) is outside of level 1, which has 150x100x1 texels");
    CHECK(asked({Aspect::color, 9, 0, {}}) == "there is no level 9, layer 0: the image has 9 levels and 3 layers");
    CHECK(asked({Aspect::color, 0, 3, {}}) == "there is no level 0, layer 3: the image has 9 levels and 3 layers");
    CHECK(asked({Aspect::depth, 0, 0, {}}) == "the image has no aspect depth; it has: color");
    CHECK(asked({Aspect::color, 0, 0, {0, 0, 0, 1}}) == "there is no sample 1: the image has 1");
}

TEST_CASE("a texel of a compressed format lies where its block does") {
    ImageLayout image;
    image.format = "BC1_RGBA_UNORM_BLOCK";
    image.extent_px = {10, 7, 1};
    Subresource part = {Aspect::color, 0, 0, 1, 0, {10, 7, 1}, {}};
    part.layout.pattern.element = {8, 4, 4};
    part.layout.pattern.tile_bytes = 8;
    part.layout.stride = {8, 24, 0, 0};
    image.subresources = {part};
    CHECK(complaint(image) == "");
    CHECK(address_of(image, {Aspect::color, 0, 0, {9, 6, 0, 0}}) == 24 + 16);
}

TEST_CASE("mip tails may share a tile, but no byte") {
    for (const uint32_t bytes : {1u, 4u}) {
        CAPTURE(bytes);
        ImageLayout image;
        image.format = bytes == 1 ? "R8_UNORM" : "R8G8B8A8_UNORM";
        image.extent_px = {2, 2, 1};
        image.levels = 2;
        // A tile of 4x4 elements, of which level 0 takes the left half of two rows, and level 1 a place in the right
        // half.
        Pattern pattern;
        pattern.element = {bytes, 1, 1};
        pattern.tile = {4, 4, 1, 1};
        pattern.tile_bytes = 16 * bytes;
        pattern.equation.columns[axis_x] = {1 * bytes, 2 * bytes};
        pattern.equation.columns[axis_y] = {4 * bytes, 8 * bytes};
        Subresource large = {Aspect::color, 0, 0, 1, 0, {2, 2, 1}, {pattern, {}, 0, 0}};
        Subresource small = {Aspect::color, 1, 0, 1, 0, {1, 1, 1}, {pattern, {}, 2 * bytes, 0}};
        image.subresources = {large, small};
        CHECK(complaint(image) == "");
        image.subresources[1].layout.constant = 5 * bytes;
        CHECK(complaint(image).find(bytes == 1 ? "would share the byte at 0x5," : "would share the byte at 0x14,") !=
              std::string::npos);
    }
}

TEST_CASE("stencil bytes may lie in the depth words of their own texels, not of others") {
    CHECK(complaint(two_aspects(4, 3, 4)) == "");   // packed: the fourth byte of each word
    CHECK(complaint(two_aspects(4, 64, 1)) == "");  // apart
    CHECK(complaint(two_aspects(4, 16, 1)).find("share the byte") != std::string::npos);
    CHECK(complaint(two_aspects(4, 7, 4)).find("share the byte") != std::string::npos);
}

TEST_CASE("planes of a disjoint image lie in memory of their own") {
    ImageLayout image = two_aspects(4, 0, 1);
    image.format = "G8_B8R8_2PLANE_420_UNORM";
    image.subresources[0].aspect = Aspect::plane0;
    image.subresources[1].aspect = Aspect::plane1;
    image.subresources[1].extent_px = {2, 2, 1};
    CHECK(complaint(image).find("share the byte") != std::string::npos);
    image.flags = "disjoint,mutable-format";
    image.subresources[1].bytes = 64;
    image.subresources[1].alignment = 16;
    CHECK(complaint(image) == "");
    const json object = to_json(image);
    CHECK(object["subresources"][1]["bytes"] == 64);
    CHECK(json(to_json(image_layout_from_json(object))) == object);
    CHECK_THROWS_AS(parts_of(image), Error);
    CHECK(parts_of(only_aspect(image, Aspect::plane1)).size() == 1);
}

TEST_CASE("samples are coordinates, and the JSON's stride has an s") {
    ImageLayout image;
    image.format = "R8G8B8A8_UNORM";
    image.extent_px = {8, 4, 1};
    image.samples = 4;
    Subresource part = {Aspect::color, 0, 0, 1, 0, {8, 4, 1}, {}};
    part.layout.pattern.element = {4, 1, 1};
    part.layout.pattern.tile_bytes = 4;
    part.layout.stride = {16, 128, 0, 4};
    part.layout.pattern.order = {axis_s, axis_x, axis_z, axis_y};
    image.subresources = {part};
    CHECK(complaint(image) == "");
    const json object = to_json(image);
    CHECK(object["samples"] == 4);
    CHECK(object["subresources"][0]["layout"]["stride"]["s"] == 4);
    const ImageLayout back = image_layout_from_json(object);
    CHECK(json(to_json(back)) == object);
    CHECK(address_of(back, {Aspect::color, 0, 0, {3, 2, 0, 1}}) == 2 * 128 + 3 * 16 + 4);
}

TEST_CASE("an image layout survives the way to JSON and back") {
    const ImageLayout image = sample_image();
    const json object = to_json(image);
    CHECK(object["bytes"] == 2 << 20);
    CHECK(object["source"] == "probed");
    CHECK(object["subresources"].size() == 9);
    CHECK(json(to_json(image_layout_from_json(object))) == object);
}

TEST_CASE("sparse blocks of each aspect survive the way to JSON and back, and what is none is refused by its name") {
    ImageLayout image = sample_image();
    CHECK_FALSE(to_json(image).contains("sparse"));
    SparseBlocks blocks = {.granularity_px = {128, 128, 1}, .mip_tail_first_level = 2, .mip_tail_bytes = 65536};
    blocks.mip_tail_offset = uint64_t{1} << 40;
    image.sparse = {{Aspect::color, blocks}};
    const json object = to_json(image);
    CHECK(object["sparse"][0]["granularity"] == json{128, 128, 1});
    const ImageLayout back = image_layout_from_json(object);
    REQUIRE(back.sparse.size() == 1);
    CHECK(back.sparse[0].aspect == Aspect::color);
    CHECK(back.sparse[0].blocks == blocks);
    CHECK(describe(blocks) ==
          "blocks of 128x128x1 texels; mip tail from level 2 on: 65536 bytes at 1099511627776, 0 to the next layer's");

    const auto with = [&](const json& patch) {
        json sparse = object["sparse"];
        sparse[0].merge_patch(patch);
        return image_refusal({{"sparse", sparse}});
    };
    CHECK(with(json::object()) == "accepted");
    CHECK(with({{"granularity", {0, 128, 1}}}) ==
          "image layout: \"sparse[0].\": \"granularity\" must be a whole number from 1 to 16777216");
    CHECK(with({{"granularity", 128}}).find("\"granularity\" must be three numbers") != std::string::npos);
    CHECK(with({{"standard", 1}}).find("\"standard\" must be true or false") != std::string::npos);
    CHECK(with({{"mip_tail_bytes", -1}}).find("\"mip_tail_bytes\" must be") != std::string::npos);
    CHECK(with({{"mip_tail_offset", nullptr}}).find("\"mip_tail_offset\" is missing") != std::string::npos);
    CHECK(with({{"aspect", "taste"}}).find("sparse[0].aspect") != std::string::npos);
    CHECK(image_refusal({{"sparse", 7}}) == "image layout: \"sparse\" must be a list of aspects");
}

TEST_CASE("an image layout that cannot be is refused, and the member is named") {
    CHECK(image_refusal(json::object()) == "accepted");
    CHECK(image_refusal({{"levels", nullptr}}) == "image layout: \"levels\" is missing");
    CHECK(image_refusal({{"levels", 10}}) == "image layout: 300x200x1 has 1 to 9 levels, not 10");
    CHECK(image_refusal({{"levels", 8}}).find("is not in an image of 8 levels") != std::string::npos);
    CHECK(image_refusal({{"layers", 4}}) == "image layout: 27 of its 9 levels and 4 layers an aspect are there");
    CHECK(image_refusal({{"samples", 3}}) == "image layout: 3 samples");
    CHECK(image_refusal({{"extent", {300, 200}}}) == "image layout: \"extent\" must be three numbers");
    CHECK(image_refusal({{"extent", {0, 1, 1}}}) ==
          "image layout: \"extent\" must be a whole number from 1 to 4294967295");
    CHECK(image_refusal({{"extent", {1 << 25, 1, 1}}}) == "image layout: no image is 33554432x1x1");
    CHECK(image_refusal({{"extent", {301, 200, 1}}}).find("has 300x200x1 texels, and the level 301x200x1") !=
          std::string::npos);
    CHECK(image_refusal({{"source", "hearsay"}}).find("\"source\" is wrong") != std::string::npos);
    CHECK(image_refusal({{"image_type", "4D"}}) == "image layout: \"image_type\" must be 1D, 2D or 3D");
    json parts = to_json(sample_image())["subresources"];
    const auto with = [&](const json& patch) {
        json changed = parts;
        changed[0].merge_patch(patch);
        return image_refusal({{"subresources", changed}});
    };
    CHECK(with({{"aspect", "taste"}}).find("subresources[0].aspect") != std::string::npos);
    CHECK(with({{"layout", nullptr}}).find("\"subresources[0].layout\" is missing") != std::string::npos);
    CHECK(with({{"level", 1}}).find("has 300x200x1 texels") != std::string::npos);
    CHECK(with({{"layer_stride", 65536}}).find("share the byte") != std::string::npos);
    CHECK(with({{"layer_stride", uint64_t{1} << 63}}).find("64 bits of address") != std::string::npos);
    parts[1] = parts[0];
    CHECK(image_refusal({{"subresources", parts}}).find("is there twice") != std::string::npos);
}

TEST_CASE("C reads an image layout, writes it, and says where texels lie") {
    const ImageLayout image = sample_image();
    const std::string text = to_json(image).dump();
    const std::unique_ptr<tilewise_image, void (*)(tilewise_image*)> read(
        tilewise_image_from_json(text.data(), text.size()), tilewise_image_free);
    REQUIRE(read);
    const std::unique_ptr<char, void (*)(char*)> written(tilewise_image_to_json(read.get()), tilewise_text_free);
    CHECK(json::parse(written.get()) == json::parse(text));
    tilewise_image_info info;
    REQUIRE(tilewise_image_describe(read.get(), &info) == TILEWISE_OK);
    CHECK(info.extent[0] == 300);
    CHECK(info.levels == 9);
    CHECK(info.aspects == 1);
    CHECK(info.bytes == 2 << 20);
    uint64_t offset = 0;
    tilewise_texel texel = {TILEWISE_COLOR, 2, 1, {70, 40, 0}, 0};
    REQUIRE(tilewise_image_address(read.get(), &texel, &offset) == TILEWISE_OK);
    CHECK(offset == address_of(image, {Aspect::color, 2, 1, {70, 40, 0, 0}}));
    uint32_t extent[3];
    const std::unique_ptr<tilewise_layout, void (*)(tilewise_layout*)> level(
        tilewise_image_layout(read.get(), TILEWISE_COLOR, 2, 1, extent), tilewise_layout_free);
    REQUIRE(level);
    CHECK(extent[0] == 75);
    uint64_t again = 0;
    CHECK(tilewise_offset_of(level.get(), texel.at, &again) == TILEWISE_OK);
    CHECK(again == offset);
    texel.at[0] = 75;
    CHECK(tilewise_image_address(read.get(), &texel, &offset) == TILEWISE_ERROR);
    CHECK(std::string(tilewise_error()).find("outside of level 2") != std::string::npos);
    CHECK(tilewise_image_from_json("{}", 2) == nullptr);
    CHECK(tilewise_image_layout(read.get(), TILEWISE_DEPTH, 0, 0, extent) == nullptr);
}
