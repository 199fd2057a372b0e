// What people call formats who do not write Vulkan: "RGBA16F", "rgba8ui", "DXGI_FORMAT_BC7_UNORM_SRGB", "DXT5", "NV12",
// "bgra8unorm-srgb", "MTLPixelFormatDepth32Float", "D3DFMT_A8R8G8B8", "DRM_FORMAT_XRGB8888", "PIPE_FORMAT_Z32_FLOAT".
#pragma once
#include <string>
#include <string_view>

namespace tilewise::probe {

/// Vulkan's name for a format by another API's or a short name, in upper case: "RGBA16F" is R16G16B16A16_SFLOAT. What
/// is no Vulkan name may come out: empty, or the name as it was, without DXGI_FORMAT_, GL_ and the like.
std::string vulkan_format_name(std::string_view upper_name);

/// Of a name, in upper case, by which several formats are called: which, and what to ask for; else empty.
std::string why_format_is_open(std::string_view upper_name);

}  // namespace tilewise::probe
