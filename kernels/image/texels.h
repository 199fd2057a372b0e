// An image on the host: its texels as bytes in rows, and as numbers.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>
#include <volk.h>

namespace tilewise::kernels {

enum class Format { rgba8, rgba16f, rgba32f };
constexpr std::array<Format, 3> all_formats = {Format::rgba8, Format::rgba16f, Format::rgba32f};

struct FormatTraits {
    /// Vulkan's name, without VK_FORMAT_.
    const char* name;
    /// GLSL's format qualifier for a storage image.
    const char* qualifier;
    VkFormat format;
    /// Bytes per texel.
    uint32_t bytes;
};
const FormatTraits& traits_of(Format format);
/// Throws UsageError for a format that kernels do not support, naming those that they do.
Format format_of(std::string_view name);

struct Size {
    uint32_t width = 0, height = 0;
    bool operator==(const Size&) const = default;
    auto operator<=>(const Size&) const = default;
};
constexpr uint64_t count(Size size) { return uint64_t{size.width} * size.height; }

struct Texels {
    Format format = Format::rgba8;
    Size size;
    /// Rows without padding.
    std::vector<std::byte> bytes;
};

/// Random texels, never zero, the same for the same arguments; each channel is in (0, 1].
Texels random_texels(Format format, Size size, uint32_t seed);

/// Four channels per texel, row by row: for all rows, or for those from `first_row` up to but not including `end_row`.
std::vector<float> channels_of(const Texels& texels);
std::vector<float> channels_of(const Texels& texels, uint32_t first_row, uint32_t end_row);

}  // namespace tilewise::kernels
