// The formats that can be probed, by Vulkan's name without VK_FORMAT_ and by VkFormat's value, as the Vulkan registry
// describes them.
#pragma once
#include "patterns/model/layout.h"
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::probe {

enum class FormatKind {
    color,
    compressed,
    depth_stencil,
    ycbcr,  ///< several planes, or chroma that texels share
};

struct Format {
    uint32_t id;       ///< VkFormat
    const char* name;  ///< "R8G8B8A8_UNORM"
    FormatKind kind;
    /// One texel (all aspects of it), one block of a compressed format, or of a planar one a texel of the first plane.
    Element element;
};

/// Every format of the Vulkan headers, by rising VkFormat.
std::span<const Format> known_formats();

/// None (nullptr) where the id is not known here.
const Format* find_format(uint32_t id);

/// By name, in any case: Vulkan's, with or without VK_FORMAT_, another API's (usual_format_names.h), or a short one
/// (RGBA16F, DXT5, NV12). None (nullptr) where there is no such format.
const Format* find_format(std::string_view name);
/// Likewise; throws UsageError naming the nearest names that exist.
const Format& format_named(std::string_view name);

/// A part of a format that is copied by itself.
struct Aspect {
    uint32_t bit = 0;                                ///< VkImageAspectFlagBits
    Element element;                                 ///< as copies to and from buffers have it
    uint32_t width_divisor = 1, height_divisor = 1;  ///< of the image's extent, to get the aspect's
};

/// Color; depth, stencil or both; or the planes.
std::vector<Aspect> aspects_of(const Format& format);

/// Whether images of the format have both.
bool has_depth_and_stencil(const Format& format);

/// The format that an image of one of several aspects alone would have, by its place in aspects_of(): Vulkan's compatible
/// format of a plane; D32_SFLOAT, and S8_UINT, of D32_SFLOAT_S8_UINT. Null for an aspect that the format has not.
const Format* format_of_aspect(const Format& format, unsigned aspect);

/// "R8G8B8A8_UNORM", or "VkFormat 1000156000" where it is not known here.
std::string format_name(uint32_t id);

/// Whether Vulkan wants a conversion for sampling it: such images are 2D, of one level and one sample. All of the kind
/// ycbcr, and R10X6G10X6B10X6A10X6_UNORM_4PACK16 and R12X4G12X4B12X4A12X4_UNORM_4PACK16.
bool requires_ycbcr_conversion(const Format& format);

/// Texels along x and y of which extents of its images are multiples, as they share chroma; 1 and 1 where they do not.
std::array<uint32_t, 2> extent_multiple(const Format& format);

/// The set `common`: eleven formats from 1 to 16 bytes that nearly every device offers.
std::span<const uint32_t> common_formats();

/// Each once. Names, and the sets "common" and "all". Throws UsageError: a name that is none.
std::vector<uint32_t> formats_in(std::span<const std::string> names);

struct Component {
    char name;                 ///< R G B A D S
    unsigned bit, bits;        ///< where it lies in the element: from the lowest bit on, in little-endian order
    std::string_view numeric;  ///< numeric format: "UNORM", "SRGB", "SFLOAT", ..
};

/// In the order of the format's name; padding and E5B9G9R9's shared exponent are none. Formats that are compressed or
/// YCbCr have none.
std::vector<Component> components_of(const Format& format);

}  // namespace tilewise::probe
