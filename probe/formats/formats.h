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
    ycbcr,  ///< several planes, or chroma shared by texels
};

struct Format {
    uint32_t id;       ///< VkFormat
    const char* name;  ///< "R8G8B8A8_UNORM"
    FormatKind kind;
    /// One texel (with all aspects), one block of a compressed format, or one texel of a planar format's first plane.
    Element element;
};

/// Every format in the Vulkan headers, by rising VkFormat.
std::span<const Format> known_formats();

/// Returns nullptr if the id is unknown.
const Format* find_format(uint32_t id);

/// Finds a format by name; case does not matter. Accepts Vulkan's names, with or without VK_FORMAT_, other APIs' names
/// (usual_format_names.h), and short ones (RGBA16F, DXT5, NV12). Returns nullptr if there is no such format.
const Format* find_format(std::string_view name);
/// Whether a usual name of the format begins with these letters, in any case: "bgra", "rgb10".
bool has_usual_name(const Format& format, std::string_view begin);
/// find_format(), but throws UsageError naming the most similar names that exist.
const Format& format_named(std::string_view name);

/// A part of a format that is copied separately.
struct Aspect {
    uint32_t bit = 0;                                ///< VkImageAspectFlagBits
    Element element;                                 ///< as copies to and from buffers see it
    uint32_t width_divisor = 1, height_divisor = 1;  ///< divide the image's extent to get the aspect's
};

/// The aspects of a format: color; depth, stencil or both; or the planes.
std::vector<Aspect> aspects_of(const Format& format);

/// Whether images of the format have both depth and stencil.
bool has_depth_and_stencil(const Format& format);

/// The format that an image would have if it consisted of one of several aspects alone; `aspect` is its place in
/// aspects_of(). For a plane, it is Vulkan's compatible format; for D32_SFLOAT_S8_UINT, D32_SFLOAT and S8_UINT. Null
/// for an aspect that the format does not have.
const Format* format_of_aspect(const Format& format, unsigned aspect);

/// "R8G8B8A8_UNORM", or "VkFormat 1000156000" if the id is unknown.
std::string format_name(uint32_t id);

/// Whether Vulkan requires a conversion for sampling the format; such images are 2D, with one level and one sample.
/// True for all formats of the kind ycbcr, and for R10X6G10X6B10X6A10X6_UNORM_4PACK16 and
/// R12X4G12X4B12X4A12X4_UNORM_4PACK16.
bool requires_ycbcr_conversion(const Format& format);

/// The numbers of texels along x and y of which image extents must be multiples because texels share chroma; 1 and 1 if
/// they do not.
std::array<uint32_t, 2> extent_multiple(const Format& format);

/// The set `common`: eleven formats of 1 to 16 bytes that nearly every device offers.
std::span<const uint32_t> common_formats();

/// The formats for a list of names and sets ("common" and "all"), each once. Throws UsageError for an unknown name.
std::vector<uint32_t> formats_in(std::span<const std::string> names);

/// The same formats by Vulkan's names, under which facts are stored.
std::vector<std::string> format_names_in(std::span<const std::string> names);

struct Component {
    char name;                 ///< R G B A D S
    unsigned bit, bits;        ///< place in the element: from the lowest bit up, in little-endian order
    std::string_view numeric;  ///< numeric format: "UNORM", "SRGB", "SFLOAT", ..
};

/// The components in the order of the format's name; padding and E5B9G9R9's shared exponent are not components.
/// Compressed and YCbCr formats have none.
std::vector<Component> components_of(const Format& format);

}  // namespace tilewise::probe
