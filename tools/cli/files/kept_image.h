// The memory of an image, kept as the device had it, and what these bytes are valid for: another chip or driver lays
// out texels differently, and so does another image.
//
//   0     a JSON object and spaces, 4096 bytes that end in a line feed
//   4096  the bytes of the image's memory, from its start
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewise {

struct KeptFor {
    std::string chip;                ///< "10de:2330", vendor and device
    std::string driver;              ///< "NVIDIA 580.159.04"
    std::string tiling_layout_uuid;  ///< VkPhysicalDeviceHostImageCopyProperties::optimalTilingLayoutUUID
    std::string format, usage;       ///< "BC7_UNORM_BLOCK"; names joined by commas
    std::array<uint32_t, 3> extent_px = {1, 1, 1};
    uint32_t levels = 1, layers = 1;
    uint64_t bytes = 0;
    bool operator==(const KeptFor&) const = default;
};

constexpr size_t kept_header_B = 4096;

/// Throws Error that names the file.
void write_kept_image(const std::string& path, const KeptFor& kept_for, std::span<const std::byte> memory);

/// Reads the file's header. Throws Error that names the file if it is no such file, or if it lacks the image's bytes.
KeptFor read_kept_header(const std::string& path);

/// Throws Error of one line that names the first difference.
void require_same(const std::string& path, const KeptFor& kept_for, const KeptFor& here);

}  // namespace tilewise
