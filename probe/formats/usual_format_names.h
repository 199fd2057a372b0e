// What people call formats who do not write Vulkan: "RGBA16F", "rgba8ui", "DXGI_FORMAT_BC7_UNORM_SRGB", "DXT5", "NV12".
#pragma once
#include <string>
#include <string_view>

namespace tilewise::probe {

/// Vulkan's name for a format by another API's or a short name, in upper case: "RGBA16F" is R16G16B16A16_SFLOAT. What
/// is no Vulkan name may come out: empty, or the name as it was, without DXGI_FORMAT_ or GL_.
std::string vulkan_format_name(std::string_view upper_name);

}  // namespace tilewise::probe
