// How much memory a driver asks for, by usage. A usage may decide whether the driver compresses, pads or aligns an
// image, so a layout read with one usage may not hold for another. Asking for the size (vkGetImageMemoryRequirements)
// costs no memory and needs no GPU. Equal sizes wherever both usages were asked about are the evidence for carrying a
// layout from one usage to the other.
#pragma once
#include "patterns/model/image_kind.h"
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

namespace tilewise {

struct ImageSize {
    uint64_t bytes = 0;  ///< 0: the device does not offer the image
    uint64_t alignment = 0;
    bool operator==(const ImageSize&) const = default;
};

/// Usages with the same size and alignment for every image that was asked about.
struct UsageClass {
    std::vector<uint32_t> usages;  ///< VkImageUsageFlags
    std::vector<ImageSize> sizes;  ///< one for each image
    bool operator==(const UsageClass&) const = default;
};

/// The sizes of images of one format without creation flags. A usage in no class is not offered for the format.
struct UsageSizes {
    std::vector<ImageShape> images;
    std::vector<UsageClass> classes;
    bool operator==(const UsageSizes&) const = default;

    /// Returns null for a usage that was not offered.
    const UsageClass* class_of(uint32_t usage) const;
    /// Returns the image's position, or none if it was not asked about.
    std::optional<size_t> position_of(const ImageShape& image) const;
};

/// {"images": [[1920,1080,1,1,1,1], ..], "classes": [{"usages": [[1,7],[16,23]], "bytes": [8392704, ..],
/// "alignment": 4096}]}
/// An image is [width, height, depth, levels, layers, samples]; its type is that of the fact. Usages are ranges: each
/// is its first and its last usage. If images differ in alignment, "alignment" is a list like "bytes".
nlohmann::ordered_json to_json(const UsageSizes& sizes);

/// Throws Error naming the member that is missing or wrong. The images have the type 2D; the caller sets the right one.
UsageSizes usage_sizes_from_json(const nlohmann::json& json);

}  // namespace tilewise
