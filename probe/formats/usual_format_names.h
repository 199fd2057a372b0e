// Format names other than Vulkan's: "RGBA16F", "rgba8ui", "DXGI_FORMAT_BC7_UNORM_SRGB", "DXT5", "NV12",
// "bgra8unorm-srgb", "MTLPixelFormatDepth32Float", "D3DFMT_A8R8G8B8", "DRM_FORMAT_XRGB8888", "PIPE_FORMAT_Z32_FLOAT".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::probe {

/// Vulkan's name for a format, from another API's name or a short one, in upper case: "RGBA16F" gives
/// R16G16B16A16_SFLOAT. The result need not be a Vulkan name: it may be empty, or the given name without DXGI_FORMAT_,
/// GL_ and the like.
std::string vulkan_format_name(std::string_view upper_name);

/// Other names of a format of Vulkan, in upper case: "RGBA8_SRGB" for R8G8B8A8_SRGB; "RGB10A2", "AB30" and others for
/// A2B10G10R10_UNORM_PACK32.
std::vector<std::string> usual_names_of(std::string_view vulkan_name);

/// For a name, in upper case, that several formats share: which formats these are, and what to ask for instead;
/// otherwise empty.
std::string why_format_is_open(std::string_view upper_name);

}  // namespace tilewise::probe
