// Rules: what drivers with known formulas show is learned back, and predicts what they would do with other images.
#include "patterns/model/error.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/rules/learn.h"
#include "patterns/rules/learn/placing.h"
#include "patterns/rules/rule_json.h"
#include "tests/support/table_files.h"
#include <bit>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace tilewise;

namespace {

/// A block of 4-byte elements: so many columns and rows, x fastest.
Pattern block_of(uint32_t width, uint32_t height) {
    Pattern pattern;
    pattern.element.bytes = 4;
    pattern.tile = {width, height, 1, 1};
    pattern.tile_bytes = uint64_t{4} * width * height;
    uint64_t column = 4;
    for (uint32_t x = 1; x < width; x *= 2, column *= 2) pattern.equation.columns[axis_x].push_back(column);
    for (uint32_t y = 1; y < height; y *= 2, column *= 2) pattern.equation.columns[axis_y].push_back(column);
    return pattern;
}

BlockMode mode_of(uint32_t width, uint32_t height, Minify minify, uint64_t alignment) {
    BlockMode mode;
    mode.pattern = block_of(width, height);
    mode.row = mode.span = {minify, 1, uint64_t{4} * width};
    mode.rows = {minify, 1, height};
    mode.slices = {Minify::floor, 1, 1};
    mode.alignment = mode.layer_unit = mode.image_unit = alignment;
    return mode;
}

Rule rule_of(std::vector<BlockMode> modes) {
    Rule rule;
    rule.element.bytes = 4;
    rule.modes = std::move(modes);
    rule.max_extent_px = {4096, 4096, 1};
    rule.max_levels = 13;
    rule.max_layers = 16;
    return rule;
}

/// Blocks 16 wide, 8 to 64 high; small levels have lower ones.
Rule stacked() {
    Rule rule = rule_of({mode_of(16, 64, Minify::floor, 4096), mode_of(16, 32, Minify::floor, 2048),
                         mode_of(16, 16, Minify::floor, 1024), mode_of(16, 8, Minify::floor, 512)});
    rule.choices = {{0, {{Feature::height, 40, UINT64_MAX}}},
                    {1, {{Feature::height, 17, UINT64_MAX}}},
                    {2, {{Feature::height, 9, UINT64_MAX}}},
                    {3, {}}};
    return rule;
}

/// The smallest level first, in a tail; large blocks where they waste less than half.
Rule with_tails() {
    Rule rule = rule_of({mode_of(64, 64, Minify::ceil, 16384), mode_of(16, 16, Minify::ceil, 1024)});
    for (BlockMode& mode : rule.modes) {
        const uint64_t half = mode.pattern.tile_bytes / 2;
        const uint64_t side = mode.pattern.tile[axis_x] / 2;
        mode.tail =
            Tail{{{Feature::ceil_width, 0, side}, {Feature::ceil_height, 0, side}, {Feature::levels, 2, UINT64_MAX}},
                 {half, half / 4, half / 8, half / 16, half / 32, half / 64}};
    }
    rule.budget.candidates = {{1, 1, 1}, {0, 3, 2}};
    rule.smallest_first = true;
    return rule;
}

/// Rows of a multiple of 4 blocks are mixed with those below.
Rule with_row_xor() {
    Rule rule = rule_of({mode_of(16, 16, Minify::floor, 1024), mode_of(16, 16, Minify::floor, 1024)});
    rule.modes[1].pattern.index_xor.columns[axis_y] = {2};
    rule.choices = {{0, {{Feature::row_multiple, 0, 3}}}, {1, {}}};
    return rule;
}

/// As AMD's GFX12: three sizes of blocks and rows, by what an image would take against its texels.
Rule estimated() {
    BlockMode rows = mode_of(1, 1, Minify::ceil, 256);
    rows.row.unit = 128;
    rows.span.unit = 256;
    rows.level_unit = 256;
    Rule rule = rule_of({mode_of(128, 128, Minify::ceil, 65536), mode_of(32, 32, Minify::ceil, 4096),
                         mode_of(8, 8, Minify::ceil, 256), rows});
    for (size_t m = 0; m < 2; m++) {
        BlockMode& mode = rule.modes[m];
        const uint64_t half = mode.pattern.tile_bytes / 2, side = mode.pattern.tile[axis_x] / 2;
        mode.tail =
            Tail{{{Feature::ceil_width, 0, side}, {Feature::ceil_height, 0, side}, {Feature::levels, 2, UINT64_MAX}},
                 {half, half / 4, half / 8, half / 16, half / 32, half / 64, half / 128}};
    }
    rule.budget.candidates = {{3, 1, 1}, {2, 3, 1}, {1, 2, 1, {}, true}, {0, 13, 10, {}, true}};
    rule.budget.halved = true;
    rule.bare_end = true;
    rule.smallest_first = true;
    return rule;
}

/// As AMD's address library does on GFX6 to GFX8 (addrlib1.cpp, Lib::DegradeTo1D): an image has the large blocks if it is
/// no smaller than one of them, and they take at most half more than its texels.
Rule degraded() {
    Rule rule = rule_of({mode_of(256, 128, Minify::floor, 131072), mode_of(8, 8, Minify::floor, 256)});
    rule.budget.candidates = {
        {1, 1, 1}, {0, 3, 2, {{Feature::width0, 256, UINT64_MAX}, {Feature::height0, 128, UINT64_MAX}}, true}};
    rule.max_levels = 1;
    return rule;
}

/// As AMD's address library does on GFX8 with elements of one byte: a row of tiles grows until a slice is a multiple of
/// 256 bytes, and layers in large blocks lie in other banks: the layer times three is XORed to the bank.
Rule grown_and_turned() {
    Rule rule = degraded();
    rule.element.bytes = 1;
    for (BlockMode& mode : rule.modes) {
        mode.pattern.element.bytes = 1;
        mode.pattern.tile_bytes /= 4;
        for (auto& columns : mode.pattern.equation.columns)
            for (uint64_t& column : columns) column /= 4;
        mode.row.unit /= 4;
        mode.span.unit /= 4;
    }
    rule.modes[0].layer_xor = {4096, 8192, 0};
    rule.modes[0].layer_factor = 3;
    rule.modes[1].grown_slice = 256;
    rule.max_layers = 8;
    return rule;
}

ImageLayout drawn(std::mt19937& random, uint32_t max_side) {
    ImageLayout image;
    image.format = "R8G8B8A8_UNORM";
    const auto side = [&] { return std::max(3U, max_side >> (random() % 9)) - static_cast<uint32_t>(random() % 3); };
    image.extent_px = {side(), side(), 1};
    const uint32_t chain = static_cast<uint32_t>(std::bit_width(std::max(image.extent_px[0], image.extent_px[1])));
    image.levels = random() % 3 == 0 ? 1 : 1 + static_cast<uint32_t>(random() % chain);
    image.layers = random() % 3 == 0 ? 2 + static_cast<uint32_t>(random() % 4) : 1;
    return image;
}

/// What the driver does with such images; those that it has no tail for are left out.
std::vector<ImageLayout> images_of(const Rule& driver, unsigned seed, size_t count) {
    std::mt19937 random(seed);
    std::vector<ImageLayout> images;
    while (images.size() < count) {
        Prediction made = predict(driver, drawn(random, 1024));
        if (!made.image) continue;
        made.image->source = LayoutSource::probed;
        images.push_back(std::move(*made.image));
    }
    return images;
}

size_t missed(const Rule& learned, const std::vector<ImageLayout>& images) {
    size_t count = 0;
    for (const ImageLayout& image : images) {
        const Prediction p = predict(learned, image);
        count += !p.image || !difference(*p.image, image).empty();
    }
    return count;
}

}  // namespace

TEST_CASE("blocks whose height follows the level's are learned back, and other images predicted byte by byte") {
    const std::vector<ImageLayout> images = images_of(stacked(), 1, 300);
    const Learned learned = learn(images);
    CHECK(learned.unexplained.empty());
    CHECK(learned.rule.modes.size() == 4);
    CHECK(missed(learned.rule, images_of(stacked(), 2, 200)) <= 4);  // heights that no image had part the modes
}

TEST_CASE("rows that grow until a slice is whole, and layers that turn by thrice their index, are learned back") {
    const std::vector<ImageLayout> images = images_of(grown_and_turned(), 1, 300);
    const Learned learned = learn(images);
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    CHECK(missed(learned.rule, images_of(grown_and_turned(), 2, 200)) <= 4);
    CHECK(rule_from_json(to_json(learned.rule)) == learned.rule);
}

TEST_CASE("tails, the order of levels and a choice by bytes are learned back") {
    const std::vector<ImageLayout> images = images_of(with_tails(), 1, 300);
    const Learned learned = learn(images);
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    CHECK(learned.rule.smallest_first);
    CHECK(missed(learned.rule, images_of(with_tails(), 2, 200)) <= 4);
}

TEST_CASE(
    "the XOR of a row's blocks that only rows of many blocks have is parted by how many those are, not by the width") {
    const std::vector<ImageLayout> images = images_of(with_row_xor(), 1, 400);
    const Learned learned = learn(images);
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    for (const Choice& choice : learned.rule.choices)
        for (const Bound& bound : choice.bounds) CHECK(bound.feature == Feature::row_multiple);
    CHECK(missed(learned.rule, images_of(with_row_xor(), 2, 200)) == 0);
}

TEST_CASE(
    "an image that takes just the bytes at which the large blocks are still chosen is one of those that have them") {
    Rule driver = with_tails();
    driver.budget.candidates = {{1, 1, 1}, {0, 2, 1}};
    std::vector<ImageLayout> images = images_of(driver, 1, 300);
    ImageLayout twice;  // two rows of four small blocks: half of a large one
    twice.format = "R8G8B8A8_UNORM";
    twice.extent_px = {64, 32, 1};
    images.push_back(*predict(driver, twice).image);
    REQUIRE(images.back().subresources.front().layout.pattern.tile[axis_x] == 64);
    images.back().source = LayoutSource::probed;
    const Learned learned = learn(images);
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    REQUIRE(learned.rule.budget.candidates.size() == 2);
    CHECK(learned.rule.budget.candidates[1].numerator == 2);
    CHECK(learned.rule.budget.candidates[1].denominator == 1);
    CHECK(fraction_of(driver, 1, images.back()) == 2.0);
    CHECK_FALSE(fraction_of(driver, 0, images.back()));
    REQUIRE(learned.fraction_gaps.size() == 1);
    CHECK(learned.fraction_gaps[0].taken == 2.0);
    CHECK(learned.fraction_gaps[0].refused > 2.0);
}

TEST_CASE("a choice by an image's estimated bytes against its texels', and ends without padding, are learned back") {
    std::vector<ImageLayout> images = images_of(estimated(), 1, 400);
    for (uint32_t width = 20; width < 1200; width += 17)  // in rows
        for (const uint32_t layers : {1U, 3U}) {
            ImageLayout image;
            image.format = "R8G8B8A8_UNORM";
            image.extent_px = {width, 1 + width % 2, 1};
            image.levels = width % 3 == 0 ? 1 : static_cast<uint32_t>(std::bit_width(width));
            image.layers = layers;
            images.push_back(*predict(estimated(), image).image);
            images.back().source = LayoutSource::probed;
        }
    const Learned learned = learn(images);
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    CHECK(learned.rule.budget.halved);
    CHECK(learned.rule.bare_end);
    REQUIRE(learned.fraction_gaps.size() == 3);
    const Rule driver = estimated();
    for (const Learned::FractionGap& gap : learned.fraction_gaps) {
        const Candidate& truth = driver.budget.candidates[gap.candidate];
        const double fraction = static_cast<double>(truth.numerator) / static_cast<double>(truth.denominator);
        CHECK(gap.taken <= fraction);
        CHECK(gap.refused > fraction);
    }
    CHECK(missed(learned.rule, images_of(estimated(), 2, 200)) <= 4);
}

TEST_CASE(
    "a choice by two sides and by bytes against the texels' is learned back, though padded bytes explain it too") {
    std::mt19937 random(5);
    std::vector<ImageLayout> images;
    const auto add = [&](uint32_t width, uint32_t height) {
        ImageLayout image;
        image.format = "R8G8B8A8_UNORM";
        image.extent_px = {width, height, 1};
        images.push_back(*predict(degraded(), image).image);
        images.back().source = LayoutSource::probed;
    };
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random()) % limit; };
    for (int i = 0; i < 500; i++) add(1 + (below(8) << below(8)), 1 + (below(8) << below(8)));
    for (int i = 0; i < 1500; i++) add(250 + below(1000), 120 + below(500));  // about as many of each kind
    const Learned learned = learn(images);
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    REQUIRE(learned.rule.budget.candidates.size() == 2);
    const Candidate& large = learned.rule.budget.candidates[1];
    CHECK(large.of_texels);
    CHECK(large.numerator == 3);
    CHECK(large.denominator == 2);
    CHECK(large.bounds.size() == 2);
}

TEST_CASE("images near the bytes at which GFX12 takes larger blocks have those that RADV gives them") {
    struct Sighting {
        Extent_px extent;
        uint32_t levels, layers;
        uint64_t alignment;
    };
    // As `radv:gfx1201` of Mesa 26.1.6 lays R8G8B8A8_UNORM out.
    for (const Sighting& seen : {Sighting{{66, 124, 1}, 7, 1, 4096},
                                 {{202, 162, 1}, 8, 1, 256},
                                 {{200, 164, 1}, 8, 1, 4096},
                                 {{654, 401, 1}, 10, 1, 256},
                                 {{548, 479, 1}, 10, 1, 4096},
                                 {{46, 89, 1}, 7, 5, 256},
                                 {{414, 240, 1}, 9, 1, 65536},
                                 {{468, 428, 1}, 9, 1, 4096},
                                 {{128, 190, 1}, 8, 1, 65536},
                                 {{376, 256, 1}, 9, 1, 4096},
                                 {{752, 512, 1}, 10, 1, 4096},
                                 {{29, 14, 1}, 5, 1, 256}}) {
        ImageLayout image;
        image.format = "R8G8B8A8_UNORM";
        image.extent_px = seen.extent;
        image.levels = seen.levels;
        image.layers = seen.layers;
        CAPTURE(seen.extent[0]);
        const Prediction made = predict(estimated(), image);
        REQUIRE_MESSAGE(made.image, made.why_not);
        CHECK(made.image->alignment == seen.alignment);
    }
}

TEST_CASE("levels that have all layers inside are learned back, though the last one does not show where it ends") {
    Rule driver = stacked();
    driver.layers_inside = true;
    const std::vector<ImageLayout> images = images_of(driver, 1, 300);
    const Learned learned = learn(images);
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    CHECK(learned.rule.layers_inside);
    CHECK(learned.rule.modes.size() == 4);
    CHECK(missed(learned.rule, images_of(driver, 2, 200)) <= 4);
}

namespace {

/// Blocks of a row of 64 bytes, as NVIDIA's: so many rows of texels with all their samples; of two samples the second
/// one comes first.
Rule of_samples(uint32_t samples) {
    Rule rule = stacked();
    rule.samples = samples;
    rule.max_levels = 1;
    for (BlockMode& mode : rule.modes) {
        Pattern& pattern = mode.pattern;
        for (uint32_t s = 1; s < samples; s *= 2) {  // in place of the columns of the highest bits of x
            pattern.equation.columns[axis_s].push_back(pattern.equation.columns[axis_x].back());
            pattern.equation.columns[axis_x].pop_back();
            pattern.tile[axis_s] *= 2;
            pattern.tile[axis_x] /= 2;
        }
        if (samples == 2) mode.constant = pattern.equation.columns[axis_s].front();
    }
    return rule;
}

std::vector<ImageLayout> images_of_samples(const Rule& driver, unsigned seed, size_t count) {
    std::mt19937 random(seed);
    std::vector<ImageLayout> images;
    while (images.size() < count) {
        ImageLayout wanted = drawn(random, 1024);
        wanted.levels = 1;
        wanted.samples = driver.samples;
        Prediction made = predict(driver, wanted);
        REQUIRE_MESSAGE(made.image, made.why_not);
        made.image->source = LayoutSource::probed;
        images.push_back(std::move(*made.image));
    }
    return images;
}

}  // namespace

TEST_CASE(
    "samples inside of blocks, with a constant or without, and samples that have images of their own are learned "
    "back") {
    Rule apart = rule_of({mode_of(1, 1, Minify::floor, 256)});
    apart.modes[0].row.unit = apart.modes[0].span.unit = 64;
    apart.choices = {{0, {}}};
    apart.samples = 4;
    apart.samples_outside = true;
    apart.max_levels = 1;
    for (const Rule& driver : {of_samples(2), of_samples(4), of_samples(8), apart}) {
        CAPTURE(driver.samples);
        CAPTURE(driver.samples_outside);
        const Learned learned = learn(images_of_samples(driver, 1, 300));
        CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
        CHECK(learned.rule.samples == driver.samples);
        CHECK(learned.rule.samples_outside == driver.samples_outside);
        CHECK(learned.rule.modes.size() == driver.modes.size());
        CHECK(missed(learned.rule, images_of_samples(driver, 2, 200)) <= 4);
        CHECK(rule_from_json(nlohmann::json::parse(to_json(driver).dump())) == driver);
    }
}

TEST_CASE("room for levels that the image does not have is learned back") {
    Rule driver = stacked();
    driver.whole_chain = true;
    const Learned learned = learn(images_of(driver, 1, 300));
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    CHECK(learned.rule.whole_chain);
}

TEST_CASE("slices that are quartered no more behind a level that is not just a quarter are learned back") {
    Rule driver = rule_of({mode_of(16, 16, Minify::floor, 1024)});
    driver.image_type = ImageType::three_d;
    driver.layers_inside = true;
    driver.choices = {{0, {}}};
    driver.quarter_slices = true;
    driver.max_extent_px = {1024, 1024, 64};
    driver.max_layers = 1;
    const auto images_3d = [&](unsigned seed, size_t count) {
        std::mt19937 random(seed);
        std::vector<ImageLayout> images;
        while (images.size() < count) {
            ImageLayout image = drawn(random, 400);
            image.type = ImageType::three_d;
            image.extent_px[2] = 1 + static_cast<uint32_t>(random() % 5);
            image.layers = 1;
            Prediction made = predict(driver, image);
            REQUIRE(made.image);
            images.push_back(std::move(*made.image));
        }
        return images;
    };
    const Learned learned = learn(images_3d(1, 300));
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    CHECK(learned.rule.quarter_slices);
    CHECK(missed(learned.rule, images_3d(2, 100)) == 0);
    CHECK(rule_from_json(nlohmann::json::parse(to_json(driver).dump())) == driver);
    const auto bytes_of = [&](uint32_t width, uint32_t height, uint32_t levels, bool quarter) {
        Rule rule = driver;
        rule.quarter_slices = quarter;
        ImageLayout wanted;
        wanted.format = "R8G8B8A8_UNORM";
        wanted.type = ImageType::three_d;
        wanted.extent_px = {width, height, 1};
        wanted.levels = levels;
        return predict(rule, wanted).image->bytes;
    };
    // Rows of blocks: 12, 6, 3, and 2 where half of 3 would do: level 4 takes as much as level 3.
    const uint64_t quarters = 4 * (128 * 192 + 64 * 96 + 32 * 48 + 16 * 32);
    CHECK(bytes_of(128, 180, 5, false) == quarters + 4 * 16 * 16);
    CHECK(bytes_of(128, 180, 5, true) == quarters + 4 * 16 * 32);
    // 33 rows take 3 rows of blocks, and 16 rows one, where a quarter of level 0 is one and a half: not behind 3 blocks
    // in a row.
    CHECK(bytes_of(64, 33, 2, true) == 4 * (64 * 48 + 32 * 24));
    CHECK(bytes_of(64, 33, 2, false) == 4 * (64 * 48 + 32 * 16));
    CHECK(bytes_of(48, 33, 2, true) == 4 * (48 * 48 + 32 * 16));
}

namespace {

std::vector<ImageLayout> seen_images(const std::string& name) {
    std::vector<ImageLayout> images;
    for (const auto& json : nlohmann::json::parse(unpacked(source_dir() + "/tests/data/rules/" + name + ".json.xz")))
        images.push_back(image_layout_from_json(json));
    return images;
}

}  // namespace

TEST_CASE("of images that a driver was seen to lay out, some give the rule that the others follow") {
    for (const char* name :
         {"h100-2d-r8-2-samples", "h100-2d-rgba8-4-samples", "radv-gfx1201-2d-bc7", "radv-gfx1201-2d-rgba32f",
          "radv-gfx1201-3d-bc1", "radv-gfx1201-3d-rgba8", "radv-navi10-2d-r8", "radv-navi21-3d-rgba8",
          "radv-navi33-3d-r8", "turnip-740-2d-r8", "turnip-740-3d-r8", "turnip-740-3d-rg8", "turnip-740-3d-rgba8",
          "turnip-740-3d-rgba8-more"}) {
        CAPTURE(name);
        std::vector<ImageLayout> images = seen_images(name);
        REQUIRE(images.size() > 320);
        const std::vector<ImageLayout> others(images.begin() + 240, images.end());
        images.resize(240);
        const Learned learned = learn(images);
        CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
        CHECK(missed(learned.rule, others) * 20 <= others.size());  // bounds that no image of the first came near
        images.insert(images.end(), others.begin(), others.end());
        const Learned all = learn(images);
        CHECK(all.unexplained.empty());
        CHECK(rule_from_json(nlohmann::json::parse(to_json(all.rule).dump())) == all.rule);
    }
}

TEST_CASE("no more levels share a block than were seen to, however deep and narrow an image is") {
    // A block of 64 KiB holds ten levels, one of 4 KiB five. 91x15x2048 has twelve: with eleven in one block of 64 KiB
    // it would take less than 3/2 of what it takes in those of 4 KiB, and would have them.
    const std::vector<ImageLayout> images = seen_images("radv-vangogh-3d-bc1");
    const Learned learned = learn(images);
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    const auto deepest =
        std::ranges::find(images, Extent_px{91, 15, 2048}, [](const ImageLayout& image) { return image.extent_px; });
    REQUIRE(deepest != images.end());
    CHECK(predict(learned.rule, *deepest).image->alignment == 4096);
}

TEST_CASE("where an estimate chooses the blocks, how deep a level is does not keep it from sharing one") {
    // RADV gives this image these bytes, 324 slices of four blocks of 64 KiB: its level 2 shares one, and is deeper
    // than all others that were seen to.
    const Learned learned = learn(seen_images("radv-gfx1201-3d-bc1"));
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    ImageLayout image;
    image.format = "BC1_RGBA_SRGB_BLOCK";
    image.type = ImageType::three_d;
    image.usage = learned.rule.usage;
    image.extent_px = {988, 217, 324};
    image.levels = 7;
    Rule rule = learned.rule;
    rule.max_extent_px = {2048, 2048, 2048};
    const Prediction prediction = predict(rule, image);
    REQUIRE_MESSAGE(prediction.image, prediction.why_not);
    CHECK(prediction.image->bytes == 84934656);
    CHECK(prediction.image->alignment == 65536);
}

TEST_CASE("slabs of a deep image are as far apart as its blocks say, though tiles of twice the depth repeat") {
    // An XOR moves every other block of 64x32x32 along z: of images that have one of them along x and y, the
    // smallest tile that repeats is two slabs.
    const std::vector<ImageLayout> images = seen_images("radv-navi33-3d-r8");
    CHECK(std::ranges::any_of(images, [](const ImageLayout& image) {
        const Layout& layout = image.subresources.front().layout;
        return image.alignment == 65536 && layout.stride[axis_z] == 131072 && layout.pattern.tile[axis_z] == 64;
    }));
    for (const BlockMode& mode : learn(images).rule.modes)
        if (mode.pattern.tile_bytes == 65536) CHECK(mode.layer_unit == 65536);
}

TEST_CASE("blocks that few images show are measured like their variants, not as rows without blocks are") {
    // None of the images is 3,852 to 4,067 wide; Turnip gives this one these bytes: 96 rows of 31 times 128.
    const Learned learned = learn(seen_images("turnip-740-2d-r8"));
    ImageLayout image;
    image.format = "R8_SINT";
    image.usage = learned.rule.usage;
    image.extent_px = {3950, 96, 1};
    const Prediction prediction = predict(learned.rule, image);
    REQUIRE(prediction.image);
    CHECK(prediction.image->bytes == 380928);
}

TEST_CASE("of layers whose index may change more than was seen, the rule predicts nothing") {
    Rule rule = with_tails();
    for (BlockMode& mode : rule.modes) mode.layer_xor = {512, 256};
    ImageLayout image;
    image.extent_px = {100, 100, 1};
    image.layers = 4;
    CHECK(predict(rule, image).image);
    image.layers = 5;
    CHECK(predict(rule, image).why_not == "the rule holds up to 4 layers of such images");
    for (BlockMode& mode : rule.modes) mode.layer_xor.push_back(0);
    CHECK(predict(rule, image).image);
}

TEST_CASE("a rule of 1D images covers one row") {
    Rule driver = rule_of({mode_of(16, 1, Minify::floor, 256)});
    driver.choices = {{0, {}}};
    driver.image_type = ImageType::one_d;
    driver.max_extent_px = {4096, 1, 1};
    std::vector<ImageLayout> images;
    for (uint32_t width = 3; width < 1024; width += 37) {
        ImageLayout wanted;
        wanted.format = "R8G8B8A8_UNORM";
        wanted.type = ImageType::one_d;
        wanted.extent_px = {width, 1, 1};
        Prediction made = predict(driver, wanted);
        REQUIRE_MESSAGE(made.image, made.why_not);
        images.push_back(std::move(*made.image));
    }
    const Learned learned = learn(images);
    CHECK_MESSAGE(learned.unexplained.empty(), learned.why);
    CHECK(learned.rule.max_extent_px[1] == 1);
    CHECK(learned.rule.max_extent_px[2] == 1);
}

TEST_CASE("an image that follows no formula of the others is unexplained, and named") {
    std::vector<ImageLayout> images = images_of(stacked(), 3, 120);
    images[7].bytes += 512 * 1024;
    const Learned learned = learn(images);
    REQUIRE(!learned.unexplained.empty());
    CHECK(learned.why.find("bytes, not") != std::string::npos);
}

TEST_CASE("beyond what it was learned from, a rule says why it predicts nothing") {
    ImageLayout image;
    image.extent_px = {5000, 10, 1};
    CHECK(!predict(stacked(), image).image);
    CHECK(predict(stacked(), image).why_not == "the rule holds up to 4096 texels along x");
    image.extent_px = {50, 10, 1};
    image.layers = 17;
    CHECK(predict(stacked(), image).why_not == "the rule holds up to 13 levels and 16 layers");
}

TEST_CASE("a prediction that is off by one element, one byte or the alignment is told apart") {
    const ImageLayout image = images_of(stacked(), 4, 1).front();
    CHECK(difference(image, image).empty());
    ImageLayout other = image;
    other.bytes += 1;
    CHECK(difference(other, image) == fmt::format("{} bytes, not {}", other.bytes, image.bytes));
    other = image;
    other.alignment *= 2;
    CHECK(difference(other, image).starts_with("alignment "));
    other = image;
    other.subresources.back().layout.base += 64;
    CHECK(difference(other, image).find("element 0,0,0 at ") != std::string::npos);
}

TEST_CASE("a rule's JSON without its usual members is shorter by a third, and with them again it is the same") {
    for (const Rule& rule : {stacked(), with_tails(), estimated()}) {
        const nlohmann::json whole = to_json(rule), rest = without_usual_members(whole);
        CHECK(rest.dump().size() < whole.dump().size() * 2 / 3);
        CHECK(with_usual_members(rest) == whole);
        CHECK(with_usual_members(whole) == whole);
        CHECK(without_usual_members(rest) == rest);
        CHECK(rule_from_json(with_usual_members(rest)) == rule);
    }
    for (const nlohmann::json& no_rule :
         {nlohmann::json(7), nlohmann::json{{"modes", 7}}, nlohmann::json{{"modes", {7}}}})
        CHECK(without_usual_members(no_rule) == no_rule);
}

TEST_CASE("a rule is the same after JSON, and JSON that is none is refused by the member's name") {
    for (const Rule& rule : {stacked(), with_tails(), estimated()}) {
        Rule read = rule_from_json(nlohmann::json::parse(to_json(rule).dump()));
        CHECK(read == rule);
    }
    const nlohmann::json good = to_json(with_tails());
    for (const auto& member : good.items()) {
        const std::string& name = member.key();
        nlohmann::json bad = good;
        bad.erase(name);
        CAPTURE(name);
        CHECK_THROWS_WITH_AS(rule_from_json(bad), fmt::format("rule: \"{}\" is missing", name).c_str(), Error);
    }
    nlohmann::json bad = good;
    bad["budget"]["candidates"][0]["mode"] = 2;
    CHECK_THROWS_AS(rule_from_json(bad), Error);
    bad = good;
    bad["modes"][0]["row"]["unit"] = 0;
    CHECK_THROWS_AS(rule_from_json(bad), Error);
}

TEST_CASE("a stored rule that says what no driver needed is refused in one line that names it and says what to do") {
    const nlohmann::json good = to_json(with_tails());
    for (const char* feature : {"pow2_width", "pow2_height", "pow2_depth", "layers", "area0", "height_px"}) {
        nlohmann::json bad = good;
        bad["modes"][0]["tail"]["bounds"][0]["feature"] = feature;
        const std::string expected = fmt::format(
            "rule: \"feature\" is \"{}\", and must be one of width0, height0, depth0, width, height, depth, "
            "ceil_width, "
            "ceil_height, ceil_depth, levels, levels_below, row_multiple, width_px, level; learn the rule again",
            feature);
        CHECK_THROWS_WITH_AS(rule_from_json(bad), expected.c_str(), Error);
    }
    for (const char* minify : {"rounded", "below_ceil"}) {
        nlohmann::json bad = good;
        bad["modes"][1]["rows"]["minify"] = minify;
        const std::string expected = fmt::format(
            "rule: \"minify\" is \"{}\", and must be one of floor, ceil, pow2, shifted, below, shifted_pow2, own_pow2; "
            "learn the "
            "rule again",
            minify);
        CHECK_THROWS_WITH_AS(rule_from_json(bad), expected.c_str(), Error);
    }
    for (const char* member : {"level0_only", "against_smallest"}) {
        CHECK(good["budget"][member] == false);  // ids of rules are hashes of it
        nlohmann::json bad = good;
        bad["budget"][member] = true;
        const std::string expected = fmt::format("rule: \"{}\" must be false; learn the rule again", member);
        CHECK_THROWS_WITH_AS(rule_from_json(bad), expected.c_str(), Error);
    }
}
