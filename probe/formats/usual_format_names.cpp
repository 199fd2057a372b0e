// Sources: the enumeration DXGI_FORMAT of Microsoft's documentation; the sized internal formats of OpenGL and the image
// format qualifiers of GLSL; the "four character codes" of DDS files, of video and of drm_fourcc.h. Names of packed formats differ in
// their order:
//
//   bits            31 .. 0
//   DXGI, OpenGL    R10G10B10A2: from the lowest bit up       AABBBBBB BBBBGGGG GGGGGGRR RRRRRRRR
//   Vulkan          A2B10G10R10_PACK32: from the highest down
#include "probe/formats/usual_format_names.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <regex>

namespace tilewise::probe {

namespace {

struct Name {
    std::string_view usual, vulkan;
};
/// Those that no rule gives.
constexpr Name names[] = {
    // drm_fourcc.h names bits from the highest down in a little-endian word, and pictures of video by their planes.
    {"AR24", "B8G8R8A8_UNORM"},
    {"XR24", "B8G8R8A8_UNORM"},
    {"AB24", "R8G8B8A8_UNORM"},
    {"XB24", "R8G8B8A8_UNORM"},
    {"RG24", "B8G8R8_UNORM"},
    {"BG24", "R8G8B8_UNORM"},
    {"RG16", "R5G6B5_UNORM_PACK16"},
    {"BG16", "B5G6R5_UNORM_PACK16"},
    {"AR15", "A1R5G5B5_UNORM_PACK16"},
    {"XR15", "A1R5G5B5_UNORM_PACK16"},
    {"AR12", "A4R4G4B4_UNORM_PACK16"},
    {"XR12", "A4R4G4B4_UNORM_PACK16"},
    {"AR30", "A2R10G10B10_UNORM_PACK32"},
    {"XR30", "A2R10G10B10_UNORM_PACK32"},
    {"AB30", "A2B10G10R10_UNORM_PACK32"},
    {"XB30", "A2B10G10R10_UNORM_PACK32"},
    {"AB4H", "R16G16B16A16_SFLOAT"},
    {"XB4H", "R16G16B16A16_SFLOAT"},
    {"AB48", "R16G16B16A16_UNORM"},
    {"XB48", "R16G16B16A16_UNORM"},
    {"GR88", "R8G8_UNORM"},
    {"GR32", "R16G16_UNORM"},
    {"YU12", "G8_B8_R8_3PLANE_420_UNORM"},
    {"YU16", "G8_B8_R8_3PLANE_422_UNORM"},
    {"YU24", "G8_B8_R8_3PLANE_444_UNORM"},
    {"YUYV", "G8B8G8R8_422_UNORM"},
    {"RGB10A2", "A2B10G10R10_UNORM_PACK32"},
    {"RGB10_A2", "A2B10G10R10_UNORM_PACK32"},
    {"R10G10B10A2_UNORM", "A2B10G10R10_UNORM_PACK32"},
    {"RGB10A2UI", "A2B10G10R10_UINT_PACK32"},
    {"RGB10_A2UI", "A2B10G10R10_UINT_PACK32"},
    {"R10G10B10A2_UINT", "A2B10G10R10_UINT_PACK32"},
    {"R11G11B10_FLOAT", "B10G11R11_UFLOAT_PACK32"},
    {"R11G11B10F", "B10G11R11_UFLOAT_PACK32"},
    {"RG11B10F", "B10G11R11_UFLOAT_PACK32"},
    {"R11F_G11F_B10F", "B10G11R11_UFLOAT_PACK32"},
    {"R9G9B9E5_SHAREDEXP", "E5B9G9R9_UFLOAT_PACK32"},
    {"RGB9E5", "E5B9G9R9_UFLOAT_PACK32"},
    {"RGB9_E5", "E5B9G9R9_UFLOAT_PACK32"},
    {"B5G6R5_UNORM", "R5G6B5_UNORM_PACK16"},
    {"RGB565", "R5G6B5_UNORM_PACK16"},
    {"B5G5R5A1_UNORM", "A1R5G5B5_UNORM_PACK16"},
    {"B4G4R4A4_UNORM", "A4R4G4B4_UNORM_PACK16"},
    {"SRGB8", "R8G8B8_SRGB"},
    {"SRGB8_A8", "R8G8B8A8_SRGB"},
    {"SRGB8_ALPHA8", "R8G8B8A8_SRGB"},
    {"A8", "A8_UNORM"},
    {"D16", "D16_UNORM"},
    {"D24", "X8_D24_UNORM_PACK32"},
    {"D32", "D32_SFLOAT"},
    {"D32F", "D32_SFLOAT"},
    {"D32_FLOAT", "D32_SFLOAT"},
    {"D24S8", "D24_UNORM_S8_UINT"},
    {"D24_S8", "D24_UNORM_S8_UINT"},
    {"DEPTH24_STENCIL8", "D24_UNORM_S8_UINT"},
    {"D32S8", "D32_SFLOAT_S8_UINT"},
    {"D32FS8", "D32_SFLOAT_S8_UINT"},
    {"D32_FLOAT_S8X24_UINT", "D32_SFLOAT_S8_UINT"},
    {"DEPTH32F_STENCIL8", "D32_SFLOAT_S8_UINT"},
    {"S8", "S8_UINT"},
    {"DXT1", "BC1_RGBA_UNORM_BLOCK"},
    {"DXT2", "BC2_UNORM_BLOCK"},
    {"DXT3", "BC2_UNORM_BLOCK"},
    {"DXT4", "BC3_UNORM_BLOCK"},
    {"DXT5", "BC3_UNORM_BLOCK"},
    {"ATI1", "BC4_UNORM_BLOCK"},
    {"ATI2", "BC5_UNORM_BLOCK"},
    {"3DC", "BC5_UNORM_BLOCK"},
    {"BPTC", "BC7_UNORM_BLOCK"},
    {"BC6H", "BC6H_UFLOAT_BLOCK"},
    {"BC6", "BC6H_UFLOAT_BLOCK"},
    {"BC6H_UF16", "BC6H_UFLOAT_BLOCK"},
    {"BC6H_SF16", "BC6H_SFLOAT_BLOCK"},
    {"ETC2", "ETC2_R8G8B8_UNORM_BLOCK"},
    {"ETC2_RGB8", "ETC2_R8G8B8_UNORM_BLOCK"},
    {"ETC2_RGBA8", "ETC2_R8G8B8A8_UNORM_BLOCK"},
    {"ETC2_RGB8A1", "ETC2_R8G8B8A1_UNORM_BLOCK"},
    {"EAC_R11", "EAC_R11_UNORM_BLOCK"},
    {"EAC_RG11", "EAC_R11G11_UNORM_BLOCK"},
    {"NV12", "G8_B8R8_2PLANE_420_UNORM"},
    {"NV16", "G8_B8R8_2PLANE_422_UNORM"},
    {"NV24", "G8_B8R8_2PLANE_444_UNORM"},
    {"I420", "G8_B8_R8_3PLANE_420_UNORM"},
    {"YUV420P", "G8_B8_R8_3PLANE_420_UNORM"},
    {"P010", "G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16"},
    {"P012", "G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16"},
    {"P016", "G16_B16R16_2PLANE_420_UNORM"},
    {"YUY2", "G8B8G8R8_422_UNORM"},
    {"UYVY", "B8G8R8G8_422_UNORM"},
};

/// Vulkan's numeric format by a suffix, for components of so many bits; empty where that says too little, or is none.
std::string numeric_format(std::string_view suffix, unsigned bits) {
    while (suffix.starts_with('_')) suffix.remove_prefix(1);
    if (suffix.empty()) return bits <= 16 ? "UNORM" : "";
    constexpr Name suffixes[] = {{"F", "SFLOAT"},    {"FLOAT", "SFLOAT"}, {"SFLOAT", "SFLOAT"}, {"UI", "UINT"},
                                 {"UINT", "UINT"},   {"I", "SINT"},       {"SINT", "SINT"},     {"SNORM", "SNORM"},
                                 {"UNORM", "UNORM"}, {"SRGB", "SRGB"},    {"S", "SRGB"},        {"UNORM_SRGB", "SRGB"}};
    const auto found = std::ranges::find(suffixes, suffix, &Name::usual);
    return found == std::end(suffixes) ? "" : std::string(found->vulkan);
}

}  // namespace

std::string vulkan_format_name(std::string_view upper_name) {
    constexpr std::string_view dxgi = "DXGI_FORMAT_", opengl = "GL_";
    for (const std::string_view prefix : {dxgi, opengl})
        if (upper_name.starts_with(prefix)) upper_name.remove_prefix(prefix.size());
    if (const auto found = std::ranges::find(names, upper_name, &Name::usual); found != std::end(names))
        return std::string(found->vulkan);

    std::string name(upper_name);
    std::smatch part;
    // BC7_UNORM_SRGB, BC1, BC1_RGB, ASTC_4x4_SRGB
    static const std::regex block("(BC1_RGBA?|BC[1-57]|ASTC_\\d+X\\d+)(?:_TYPELESS)?((?:_[A-Z]+)*)");
    if (std::regex_match(name, part, block)) {
        std::string kind = part[1];
        const std::string numeric = numeric_format(part[2].str(), 8);
        if (kind.starts_with("ASTC")) std::ranges::replace(kind, 'X', 'x');
        if (kind == "BC1") kind += "_RGBA";
        return numeric.empty() ? "" : fmt::format("{}_{}_BLOCK", kind, numeric);
    }
    // RGBA16F, RG8_SNORM, BGRA8
    static const std::regex components("(R|RG|RGB|RGBA|BGR|BGRA)(8|16|32|64)(_?[A-Z_]*)");
    // R16G16B16A16_FLOAT, R8G8B8A8_UNORM_SRGB
    static const std::regex spelled("((?:[RGBA](?:8|16|32|64))+)_(FLOAT|UNORM_SRGB)");
    if (std::regex_match(name, part, components)) {
        const std::string bits = part[2],
                          numeric = numeric_format(part[3].str(), static_cast<unsigned>(std::stoi(bits)));
        if (numeric.empty()) return "";
        std::string spelled_out;
        for (const char component : part[1].str()) spelled_out += component + bits;
        return spelled_out + "_" + numeric;
    }
    if (std::regex_match(name, part, spelled))
        return fmt::format("{}_{}", part[1].str(), numeric_format(part[2].str(), 0));
    return name;  // after its prefix
}

}  // namespace tilewise::probe
