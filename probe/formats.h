// The formats that can be probed, by Vulkan's name without VK_FORMAT_ and by VkFormat's value, as the Vulkan registry
// describes them.
#pragma once
#include "patterns/model/layout.h"
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::probe {

enum class FormatKind { color, compressed, depth_stencil };

struct Format {
    uint32_t id;       ///< VkFormat
    const char* name;  ///< "R8G8B8A8_UNORM"
    FormatKind kind;
    Element element;  ///< one texel (all aspects of it), or one block of a compressed format
};

/// Every format known here, by rising VkFormat: those of the registry with one plane and no chroma subsampling.
std::span<const Format> known_formats();

/// None (nullptr) where the id is not known here.
const Format* find_format(uint32_t id);

/// By name: with or without VK_FORMAT_, upper or lower case. Throws UsageError naming the nearest names that exist.
const Format& format_named(std::string_view name);

/// "R8G8B8A8_UNORM", or "VkFormat 1000156000" where it is not known here.
std::string format_name(uint32_t id);

/// The set `common`: eleven formats from 1 to 16 bytes that nearly every device offers.
std::span<const uint32_t> common_formats();

struct Component {
    char name;                 ///< R G B A D S
    unsigned bit, bits;        ///< where it lies in the element: from the lowest bit on, in little-endian order
    std::string_view numeric;  ///< numeric format: "UNORM", "SRGB", "SFLOAT", ..
};

/// In the order of the format's name; padding and E5B9G9R9's shared exponent are none. Compressed formats have none.
std::vector<Component> components_of(const Format& format);

}  // namespace tilewise::probe
