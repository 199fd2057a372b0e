// One probe: an image, one of its subresources, and the route by which it is read. Vulkan's enums and flags are plain
// numbers here, so this header needs no Vulkan header.
#pragma once
#include "patterns/model/image_kind.h"
#include "patterns/model/layout.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise::probe {

/// A way of reading the bytes behind an element.
///   alias      a buffer over the image's memory; the GPU copies texels in and bytes out
///   alias_map  the same, but the bytes are read from the mapped memory
///   host_copy  the CPU copies texels in (VK_EXT_host_image_copy); the bytes are read from the mapped memory
enum class Route { alias, alias_map, host_copy };
constexpr Route all_routes[] = {Route::alias, Route::alias_map, Route::host_copy};

constexpr uint64_t no_modifier = 0x00ffffffffffffff;  ///< DRM_FORMAT_MOD_INVALID

/// An image kind in Vulkan's numbers, with properties that the names in ImageKind do not cover.
struct Image : ImageShape {
    uint32_t format = 0;  ///< VkFormat
    uint32_t usage = 0;   ///< VkImageUsageFlags
    uint32_t flags = 0;   ///< VkImageCreateFlags
    /// VkImageCompressionFlagsEXT; 0, the default, leaves the choice to the driver.
    uint32_t compression = 0;
    uint64_t modifier = no_modifier;  ///< DRM format modifier, instead of optimal tiling
    bool operator==(const Image&) const = default;
};

constexpr uint32_t color_aspect = 1;  ///< VK_IMAGE_ASPECT_COLOR_BIT

/// One probe of one subresource by one route.
struct Case {
    uint32_t device = 0;  ///< DeviceInfo::index
    Image image;
    uint32_t aspect = color_aspect;  ///< VkImageAspectFlagBits
    uint32_t level = 0, layer = 0;
    Route route = Route::alias;
    int memory_type = -1;  ///< -1: the first that the route can use
    bool operator==(const Case&) const = default;
};

/// The element as copies of the case's aspect see it: a texel, or a block of a compressed format. An empty element for
/// an unknown format, or for an aspect that the format does not have.
Element element_of(const Case& probed);
/// Texels of the case's level and aspect.
Extent_px texels_of(const Case& probed);
/// Elements of the case's level and aspect along each axis; zeros if there is no element.
Coord elements_of(const Case& probed);

/// The cases of all levels and layers of an image that are otherwise like this one, layer by layer.
std::vector<Case> subresources_of(const Case& probed);

/// "R8G8B8A8_UNORM 300x200 level 1 of 9 by alias, memory type 1"
std::string case_name(const Case& probed);

}  // namespace tilewise::probe
