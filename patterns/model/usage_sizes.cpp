#include "patterns/model/usage_sizes.h"
#include "patterns/model/error.h"
#include "patterns/model/image_layout.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace tilewise {

namespace {

const nlohmann::json& list_of(const nlohmann::json& from, const char* name) {
    if (!from.is_object() || !from.contains(name) || !from[name].is_array())
        throw Error(fmt::format("\"{}\" must be a list", name));
    return from[name];
}

uint64_t bounded(const nlohmann::json& from, const char* name, uint64_t min, uint64_t max) {
    if (!from.is_number_unsigned() || from.get<uint64_t>() < min || from.get<uint64_t>() > max)
        throw Error(fmt::format("\"{}\" must have whole numbers from {} to {}", name, min, max));
    return from.get<uint64_t>();
}

ImageShape image_from_json(const nlohmann::json& from) {
    if (!from.is_array() || from.size() != 6) throw Error("\"images\" must have lists of six numbers");
    std::array<uint32_t, 6> numbers = {};
    constexpr std::array<uint64_t, 6> most = {max_image_side_px, max_image_side_px, max_image_side_px,
                                              max_image_levels,  max_image_layers,  max_image_samples};
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = static_cast<uint32_t>(bounded(from[i], "images", 1, most[i]));
    ImageShape image;
    image.extent_px = {numbers[0], numbers[1], numbers[2]};
    image.levels = numbers[3];
    image.layers = numbers[4];
    image.samples = numbers[5];
    return image;
}

UsageClass class_from_json(const nlohmann::json& from, size_t images) {
    constexpr uint64_t most_bytes = std::numeric_limits<int64_t>::max();
    constexpr uint64_t most_usages = 1 << 12;
    UsageClass one;
    for (const nlohmann::json& range : list_of(from, "usages")) {
        if (!range.is_array() || range.size() != 2) throw Error("\"usages\" must have ranges of two numbers");
        const uint64_t first = bounded(range[0], "usages", 1, UINT32_MAX);
        const uint64_t last = bounded(range[1], "usages", first, first + most_usages);
        for (uint64_t usage = first; usage <= last; usage++) one.usages.push_back(static_cast<uint32_t>(usage));
        if (one.usages.size() > most_usages) throw Error(fmt::format("has more than {} usages", most_usages));
    }
    const nlohmann::json& bytes = list_of(from, "bytes");
    const nlohmann::json& alignment = from.contains("alignment") ? from["alignment"] : nlohmann::json();
    if (bytes.size() != images || (alignment.is_array() && alignment.size() != images))
        throw Error("\"bytes\" and \"alignment\" must have a number for each image");
    for (size_t i = 0; i < images; i++)
        one.sizes.push_back({bounded(bytes[i], "bytes", 0, most_bytes),
                             bounded(alignment.is_array() ? alignment[i] : alignment, "alignment", 0, most_bytes)});
    return one;
}

nlohmann::ordered_json ranges_of(std::vector<uint32_t> usages) {
    std::ranges::sort(usages);
    nlohmann::ordered_json ranges = nlohmann::ordered_json::array();
    for (size_t i = 0; i < usages.size();) {
        size_t last = i;
        while (last + 1 < usages.size() && usages[last + 1] == usages[last] + 1) last++;
        ranges.push_back({usages[i], usages[last]});
        i = last + 1;
    }
    return ranges;
}

}  // namespace

const UsageClass* UsageSizes::class_of(uint32_t usage) const {
    const auto has = [&](const UsageClass& one) { return std::ranges::count(one.usages, usage) > 0; };
    const auto found = std::ranges::find_if(classes, has);
    return found == classes.end() ? nullptr : &*found;
}

std::optional<size_t> UsageSizes::position_of(const ImageShape& image) const {
    const auto found = std::ranges::find(images, image);
    if (found == images.end()) return {};
    return static_cast<size_t>(found - images.begin());
}

nlohmann::ordered_json to_json(const UsageSizes& sizes) {
    nlohmann::ordered_json images = nlohmann::ordered_json::array(), classes = nlohmann::ordered_json::array();
    for (const ImageShape& image : sizes.images)
        images.push_back(
            {image.extent_px[0], image.extent_px[1], image.extent_px[2], image.levels, image.layers, image.samples});
    for (const UsageClass& one : sizes.classes) {
        nlohmann::ordered_json bytes = nlohmann::ordered_json::array(), alignment = nlohmann::ordered_json::array();
        for (const ImageSize& size : one.sizes) {
            bytes.push_back(size.bytes);
            alignment.push_back(size.alignment);
        }
        const bool one_alignment = std::ranges::adjacent_find(alignment, std::not_equal_to()) == alignment.end();
        if (one_alignment && !alignment.empty()) alignment = nlohmann::ordered_json(alignment.front());
        classes.push_back({{"usages", ranges_of(one.usages)}, {"bytes", bytes}, {"alignment", alignment}});
    }
    return {{"images", images}, {"classes", classes}};
}

UsageSizes usage_sizes_from_json(const nlohmann::json& from) {
    UsageSizes sizes;
    for (const nlohmann::json& image : list_of(from, "images")) sizes.images.push_back(image_from_json(image));
    std::set<uint32_t> usages;
    for (const nlohmann::json& one : list_of(from, "classes")) {
        sizes.classes.push_back(class_from_json(one, sizes.images.size()));
        for (const uint32_t usage : sizes.classes.back().usages)
            if (!usages.insert(usage).second) throw Error(fmt::format("\"usages\" has {} twice", usage));
    }
    if (from.size() != 2) throw Error("has members beside \"images\" and \"classes\"");
    return sizes;
}

}  // namespace tilewise
