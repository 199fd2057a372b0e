// How much memory a driver asks for images of each usage. A usage changes an image where it decides whether the driver
// compresses, pads or aligns it, so a layout that was read with one usage may not hold for another. What a driver asks
// for (vkGetImageMemoryRequirements) costs no memory and needs no GPU: equal sizes wherever both usages were asked are
// the evidence on which a layout is carried from one to the other.
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

/// The usages of a class have the same size and alignment for every image that was asked about.
struct UsageClass {
    std::vector<uint32_t> usages;  ///< VkImageUsageFlags
    std::vector<ImageSize> sizes;  ///< one for each image
    bool operator==(const UsageClass&) const = default;
};

/// The sizes of images of one format and no creation flags. A usage that no class has is not offered for the format.
struct UsageSizes {
    std::vector<ImageShape> images;
    std::vector<UsageClass> classes;
    bool operator==(const UsageSizes&) const = default;

    /// Returns null for a usage that was not offered.
    const UsageClass* class_of(uint32_t usage) const;
    /// Returns the image's position, or none where it was not asked about.
    std::optional<size_t> position_of(const ImageShape& image) const;
};

/// {"images": [[1920,1080,1,1,1,1], ..], "classes": [{"usages": [[1,7],[16,23]], "bytes": [8392704, ..],
/// "alignment": 4096}]}
/// An image is its width, height, depth, levels, layers and samples; its type is the fact's. Usages are ranges, each
/// with its first and its last. The alignment is a list like that of bytes where images differ in it.
nlohmann::ordered_json to_json(const UsageSizes& sizes);

/// Throws Error naming the member that is missing or wrong. The images have the type 2D: the caller knows better.
UsageSizes usage_sizes_from_json(const nlohmann::json& json);

}  // namespace tilewise
