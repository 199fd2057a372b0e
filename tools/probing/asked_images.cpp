#include "tools/probing/asked_images.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace tilewise {

namespace {

uint32_t log_uniform(std::mt19937_64& random, uint32_t max) {
    std::uniform_real_distribution<double> exponent(0, std::log2(static_cast<double>(max) + 1));
    return std::clamp(static_cast<uint32_t>(std::exp2(exponent(random))), 1U, max);
}

}  // namespace

uint32_t chain_of(const Extent_px& extent) {
    return static_cast<uint32_t>(std::bit_width(std::max({extent[0], extent[1], extent[2]})));
}

uint64_t elements_of(const WantedImage& image) {
    return uint64_t{image.extent_px[0]} * image.extent_px[1] * image.extent_px[2] * image.layers;
}

std::vector<WantedImage> first_images(const std::string& format, probe::ImageType type, const Element& element) {
    std::vector<WantedImage> images;
    const auto add = [&](Extent_px extent, uint32_t levels, uint32_t layers = 1) {
        WantedImage image = {.format = format, .type = type, .extent_px = extent, .layers = layers};
        for (unsigned a = 0; a < 2; a++) image.extent_px[a] *= a == 0 ? element.width : element.height;
        image.levels = std::min(levels, chain_of(image.extent_px));
        images.push_back(image);
    };
    constexpr uint32_t whole = 32;
    if (type == probe::ImageType::three_d) {
        for (const Extent_px extent :
             {Extent_px{128, 128, 64}, Extent_px{70, 70, 70}, Extent_px{16, 200, 24}, Extent_px{33, 20, 100},
              Extent_px{300, 20, 9}, Extent_px{9, 300, 20}, Extent_px{16, 16, 16}})
            for (const uint32_t levels : {1U, whole}) add(extent, levels);
        // Long chains of levels that are halved to odd numbers of blocks early, late or never.
        for (const uint32_t width : {128U, 512U})
            for (const uint32_t height : {48U, 180U, 256U, 360U}) add({width, height, width == 128 ? 2U : 1U}, whole);
        // Blocks of every height and depth, two of them in a row: images at random show few of them.
        const uint32_t width = std::max(130 / element.bytes, 3U);
        for (uint32_t height = 6; height < 500; height *= 2)
            for (uint32_t depth = 1; depth < 100 && height * depth < 10000; depth += (depth + 1) / 2) {
                add({width, height, depth}, 1);
                if (height > 20 && depth > 4) add({width, height, depth}, whole);
            }
        return images;
    }
    if (type == probe::ImageType::one_d) {
        for (const uint32_t width : {1U, 15U, 64U, 1000U, 4096U}) add({width, 1, 1}, whole, 3);
        return images;
    }
    for (const uint32_t side : {16U, 40U, 64U, 100U, 128U, 200U, 256U, 300U, 512U, 1030U}) {
        add({side, side, 1}, 1);
        if (side < 1000) add({side, side, 1}, whole);
        if (side < 400) add({side, side, 1}, whole, 3);
    }
    // Levels that are halved to just a block's side, and one more.
    for (const uint32_t side : {129U, 257U, 513U, 1025U}) {
        add({side, side, 1}, whole);
        add({side, side + side / 3, 1}, whole);
    }
    // Shorter than a block along one axis, and not a power of two of them along the other.
    for (const uint32_t side : {12U, 24U, 50U, 100U, 200U}) {
        add({side, 3 * side - 5, 1}, 1);
        add({3 * side - 5, side, 1}, 1);
        add({side, 5 * side + 7, 1}, 1);
        add({5 * side + 7, side, 1}, 1);
    }
    // Halved to a block's side along one axis, of several blocks along the other.
    for (const uint32_t side : {31U, 32U, 63U, 64U, 127U, 128U, 255U, 256U}) {
        add({side, 5 * side - 3, 1}, whole);
        add({5 * side - 3, side, 1}, whole);
    }
    add({520, 2050, 1}, 1);
    for (const uint32_t width : {500U, 1020U, 2040U, 3060U, 4090U}) add({width, 150, 1}, 1);  // rows of many tiles
    add({2050, 520, 1}, whole);
    add({64, 64, 1}, 1, 40);
    for (const uint32_t side : {24U, 130U, 300U}) add({side, side, 1}, 1, 17);
    add({300, 200, 1}, 1, 17);
    add({4096, 9, 1}, whole);
    add({9, 4096, 1}, whole);
    return images;
}

WantedImage draw_image(std::mt19937_64& random, const std::string& format, probe::ImageType type, uint32_t max_side,
                       uint64_t max_elements) {
    for (;;) {
        WantedImage image = {.format = format, .type = type};
        image.extent_px[0] = log_uniform(random, max_side);
        if (type != probe::ImageType::one_d) image.extent_px[1] = log_uniform(random, max_side);
        if (type == probe::ImageType::three_d) {
            for (uint32_t& side : image.extent_px) side = std::min(side, 2048U);
            image.extent_px[2] = log_uniform(random, std::min(max_side, 512U));
        }
        if (random() % 2) {
            const uint32_t chain = chain_of(image.extent_px);
            image.levels = random() % 2 ? chain : 1 + static_cast<uint32_t>(random() % chain);
        }
        if (type != probe::ImageType::three_d && random() % 3 == 0) image.layers = 2 + log_uniform(random, 14);
        if (elements_of(image) <= max_elements) return image;
    }
}

void ask_about(const Learned::Gap& gap, const std::string& format, probe::ImageType type, const Element& element,
               std::mt19937_64& random, std::vector<WantedImage>& wanted) {
    static const std::map<Feature, unsigned> axes = {
        {Feature::width0, 0},     {Feature::width, 0},       {Feature::pow2_width, 0},  {Feature::height0, 1},
        {Feature::height, 1},     {Feature::pow2_height, 1}, {Feature::depth0, 2},      {Feature::depth, 2},
        {Feature::pow2_depth, 2}, {Feature::ceil_width, 0},  {Feature::ceil_height, 1}, {Feature::ceil_depth, 2}};
    const auto axis = axes.find(gap.feature);
    if (axis == axes.end()) return;
    const uint32_t max = axis->second == 2 ? 256 : 4096;
    std::vector<uint64_t> values = {gap.below, std::min<uint64_t>(gap.above, max)};
    values.push_back((values[0] + values[1]) / 2);
    values.push_back(values[0] + 1);
    values.push_back(values[1] - 1);
    for (const uint64_t value : {std::bit_floor(values[1]), std::bit_floor(values[1]) + 1})
        if (value > values[0] + 1 && value < values[1] - 1) values.push_back(value);
    const auto is_any_of = [&](std::initializer_list<Feature> features) {
        return std::ranges::find(features, gap.feature) != features.end();
    };
    const bool of_level0 = is_any_of({Feature::width0, Feature::height0, Feature::depth0});
    // What bounds tails: levels that are as long in the other direction, of images that may have large blocks.
    const bool of_tail = is_any_of({Feature::ceil_width, Feature::ceil_height});
    const uint32_t blocks[] = {element.width, element.height, 1};
    for (const uint64_t value : values) {
        if (value == 0 || value > max) continue;
        for (unsigned i = 0; i < (of_tail ? 4 : 2); i++) {
            WantedImage image = draw_image(random, format, type, i % 2 ? 2000 : 300, 1 << 14);
            uint32_t level = of_level0 ? 0 : static_cast<uint32_t>(random() % 3);
            if (of_tail) {
                level = 1 + static_cast<uint32_t>(random() % 2);
                image.layers = 1;
                const unsigned other = 1 - axis->second;
                image.extent_px[other] = static_cast<uint32_t>(1 + random() % (2 * value)) * blocks[other] << level;
            }
            // Of level 0, what is halved and rounded as the feature's value is.
            const uint64_t rest = random() % (1u << level), length = value * blocks[axis->second];
            uint64_t side = of_tail ? (length << level) - rest : (length << level) + rest;
            if (side > max) side = length, level = 0;
            image.extent_px[axis->second] = static_cast<uint32_t>(side);
            image.levels = std::min(chain_of(image.extent_px), of_tail || random() % 2 ? 32U : level + 1);
            if (elements_of(image) <= (1 << 19)) wanted.push_back(image);
        }
    }
}

void keep_at_most(size_t count, std::vector<WantedImage>& wanted, std::mt19937_64& random) {
    if (wanted.size() <= count) return;
    std::ranges::shuffle(wanted, random);
    wanted.resize(count);
}

}  // namespace tilewise
