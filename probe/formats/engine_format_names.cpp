// Sources: TextureFormat, RenderTextureFormat and GraphicsFormat in Unity's scripting reference; EPixelFormat of Unreal
// Engine, with its Vulkan backend's choice for each; Image.Format in Godot's class reference; bgfx's TextureFormat.
#include "probe/formats/engine_format_names.h"
#include <algorithm>
#include <span>

namespace tilewise::probe {

namespace {

struct EngineName {
    std::string_view engine, vulkan;
};
constexpr EngineName engine_names[] = {
    // Unity.
    {"ALPHA8", "R8_UNORM"},
    {"BGRA32", "B8G8R8A8_UNORM"},
    {"RHALF", "R16_SFLOAT"},
    {"RGHALF", "R16G16_SFLOAT"},
    {"RGBAHALF", "R16G16B16A16_SFLOAT"},
    {"ARGBHALF", "R16G16B16A16_SFLOAT"},
    {"RFLOAT", "R32_SFLOAT"},
    {"RGFLOAT", "R32G32_SFLOAT"},
    {"RGBAFLOAT", "R32G32B32A32_SFLOAT"},
    {"ARGBFLOAT", "R32G32B32A32_SFLOAT"},
    {"RINT", "R32_SINT"},
    {"RGINT", "R32G32_SINT"},
    {"ARGBINT", "R32G32B32A32_SINT"},
    {"ARGB64", "R16G16B16A16_UNORM"},
    {"RGB111110FLOAT", "B10G11R11_UFLOAT_PACK32"},
    {"RGB9E5FLOAT", "E5B9G9R9_UFLOAT_PACK32"},
    {"DXT1CRUNCHED", "BC1_RGB_UNORM_BLOCK"},
    {"DXT5CRUNCHED", "BC3_UNORM_BLOCK"},
    {"ETC_RGB4", "ETC2_R8G8B8_UNORM_BLOCK"},
    {"ETC2_RGB", "ETC2_R8G8B8_UNORM_BLOCK"},
    {"ETC2_RGBA1", "ETC2_R8G8B8A1_UNORM_BLOCK"},
    {"ETC2_RGBA", "ETC2_R8G8B8A8_UNORM_BLOCK"},
    {"EAC_R", "EAC_R11_UNORM_BLOCK"},
    {"EAC_R_SIGNED", "EAC_R11_SNORM_BLOCK"},
    {"EAC_RG", "EAC_R11G11_UNORM_BLOCK"},
    {"EAC_RG_SIGNED", "EAC_R11G11_SNORM_BLOCK"},
    {"RGBA_DXT1_UNORM", "BC1_RGBA_UNORM_BLOCK"},
    {"RGBA_DXT1_SRGB", "BC1_RGBA_SRGB_BLOCK"},
    {"RGBA_DXT3_UNORM", "BC2_UNORM_BLOCK"},
    {"RGBA_DXT3_SRGB", "BC2_SRGB_BLOCK"},
    {"RGBA_DXT5_UNORM", "BC3_UNORM_BLOCK"},
    {"RGBA_DXT5_SRGB", "BC3_SRGB_BLOCK"},
    {"R_BC4_UNORM", "BC4_UNORM_BLOCK"},
    {"R_BC4_SNORM", "BC4_SNORM_BLOCK"},
    {"RG_BC5_UNORM", "BC5_UNORM_BLOCK"},
    {"RG_BC5_SNORM", "BC5_SNORM_BLOCK"},
    {"RGB_BC6H_UFLOAT", "BC6H_UFLOAT_BLOCK"},
    {"RGB_BC6H_SFLOAT", "BC6H_SFLOAT_BLOCK"},
    {"RGBA_BC7_UNORM", "BC7_UNORM_BLOCK"},
    {"RGBA_BC7_SRGB", "BC7_SRGB_BLOCK"},
    {"RGB_ETC_UNORM", "ETC2_R8G8B8_UNORM_BLOCK"},
    {"RGB_ETC2_UNORM", "ETC2_R8G8B8_UNORM_BLOCK"},
    {"RGB_ETC2_SRGB", "ETC2_R8G8B8_SRGB_BLOCK"},
    {"RGB_A1_ETC2_UNORM", "ETC2_R8G8B8A1_UNORM_BLOCK"},
    {"RGB_A1_ETC2_SRGB", "ETC2_R8G8B8A1_SRGB_BLOCK"},
    {"RGBA_ETC2_UNORM", "ETC2_R8G8B8A8_UNORM_BLOCK"},
    {"RGBA_ETC2_SRGB", "ETC2_R8G8B8A8_SRGB_BLOCK"},
    {"R_EAC_UNORM", "EAC_R11_UNORM_BLOCK"},
    {"R_EAC_SNORM", "EAC_R11_SNORM_BLOCK"},
    {"RG_EAC_UNORM", "EAC_R11G11_UNORM_BLOCK"},
    {"RG_EAC_SNORM", "EAC_R11G11_SNORM_BLOCK"},
    // Unreal.
    {"G8", "R8_UNORM"},
    {"V8U8", "R8G8_SNORM"},
    {"G16", "R16_UNORM"},
    {"G16R16_SNORM", "R16G16_SNORM"},
    {"G16R16F_FILTER", "R16G16_SFLOAT"},
    {"R16F_FILTER", "R16_SFLOAT"},
    {"G32R32F", "R32G32_SFLOAT"},
    {"A32B32G32R32F", "R32G32B32A32_SFLOAT"},
    {"A16B16G16R16", "R16G16B16A16_UNORM"},
    {"FLOATRGB", "B10G11R11_UFLOAT_PACK32"},
    {"FLOATR11G11B10", "B10G11R11_UFLOAT_PACK32"},
    {"FLOATRGBA", "R16G16B16A16_SFLOAT"},
    {"B5G5R5A1_UNORM", "A1R5G5B5_UNORM_PACK16"},
    {"R9G9B9EXP5", "E5B9G9R9_UFLOAT_PACK32"},
    {"ETC2_R11_EAC", "EAC_R11_UNORM_BLOCK"},
    {"ETC2_RG11_EAC", "EAC_R11G11_UNORM_BLOCK"},
    // Godot.
    {"L8", "R8_UNORM"},
    {"LA8", "R8G8_UNORM"},
    {"RF", "R32_SFLOAT"},
    {"RGF", "R32G32_SFLOAT"},
    {"RGBF", "R32G32B32_SFLOAT"},
    {"RGBAF", "R32G32B32A32_SFLOAT"},
    {"RH", "R16_SFLOAT"},
    {"RGH", "R16G16_SFLOAT"},
    {"RGBH", "R16G16B16_SFLOAT"},
    {"RGBAH", "R16G16B16A16_SFLOAT"},
    {"RGBE9995", "E5B9G9R9_UFLOAT_PACK32"},
    {"RGTC_R", "BC4_UNORM_BLOCK"},
    {"RGTC_RG", "BC5_UNORM_BLOCK"},
    {"BPTC_RGBA", "BC7_UNORM_BLOCK"},
    {"BPTC_RGBF", "BC6H_SFLOAT_BLOCK"},
    {"BPTC_RGBFU", "BC6H_UFLOAT_BLOCK"},
    {"ETC", "ETC2_R8G8B8_UNORM_BLOCK"},
    {"ETC2_R11", "EAC_R11_UNORM_BLOCK"},
    {"ETC2_R11S", "EAC_R11_SNORM_BLOCK"},
    {"ETC2_RG11", "EAC_R11G11_UNORM_BLOCK"},
    {"ETC2_RG11S", "EAC_R11G11_SNORM_BLOCK"},
    // bgfx.
    {"ETC1", "ETC2_R8G8B8_UNORM_BLOCK"},
    {"ETC2A", "ETC2_R8G8B8A8_UNORM_BLOCK"},
    {"ETC2A1", "ETC2_R8G8B8A1_UNORM_BLOCK"},
    {"R8U", "R8_UINT"},
    {"RG8U", "R8G8_UINT"},
    {"RGBA8U", "R8G8B8A8_UINT"},
    {"R16U", "R16_UINT"},
    {"RG16U", "R16G16_UINT"},
    {"RGBA16U", "R16G16B16A16_UINT"},
    {"R32U", "R32_UINT"},
    {"RG32U", "R32G32_UINT"},
    {"RGBA32U", "R32G32B32A32_UINT"},
    {"D0S8", "S8_UINT"},
};

constexpr EngineName open_engine_names[] = {
    {"ARGB32",
     "Unity's render textures of that name are R8G8B8A8_UNORM, and the pictures of Qt and cairo are B8G8R8A8_UNORM"},
    {"RGBA32", "Unity means R8G8B8A8_UNORM by it, others R32G32B32A32_SFLOAT, _UINT or _SINT"},
    {"DEPTHSTENCIL", "Unreal takes D32_SFLOAT_S8_UINT or D24_UNORM_S8_UINT, whichever the device has"},
    {"SHADOWDEPTH", "Unreal takes D16_UNORM or D32_SFLOAT, by its settings"},
    {"DEFAULTHDR", "Unity takes B10G11R11_UFLOAT_PACK32 or R16G16B16A16_SFLOAT, by its settings"},
};

std::string_view vulkan_name(std::string_view name, std::span<const EngineName> among) {
    const auto found = std::ranges::find(among, name, &EngineName::engine);
    return found == among.end() ? std::string_view() : found->vulkan;
}

}  // namespace

std::string_view engine_format_name(std::string_view upper_name) { return vulkan_name(upper_name, engine_names); }
std::string_view why_engine_format_is_open(std::string_view upper_name) {
    return vulkan_name(upper_name, open_engine_names);
}

}  // namespace tilewise::probe
