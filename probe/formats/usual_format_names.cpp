// Sources: the enumeration DXGI_FORMAT in Microsoft's documentation, and D3DFORMAT of Direct3D 9; OpenGL's sized
// internal formats and GLSL's image format qualifiers; GPUTextureFormat in the WebGPU specification; MTLPixelFormat in
// Apple's documentation, with MoltenVK's table of the Vulkan equivalents; pipe_format of Mesa's Gallium; the "four
// character codes" of DDS files, of video and of drm_fourcc.h, and the latter's long names. Names of packed formats
// differ in their order:
//
//   bits                      31 .. 0
//   DXGI, OpenGL, WebGPU      R10G10B10A2: from the lowest bit up       AABBBBBB BBBBGGGG GGGGGGRR RRRRRRRR
//   Vulkan, Direct3D 9, DRM   A2B10G10R10: from the highest down
#include "probe/formats/usual_format_names.h"
#include "probe/formats/engine_format_names.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <regex>

namespace tilewise::probe {

namespace {

struct Name {
    std::string_view usual, vulkan;
};
/// Names that no rule gives.
constexpr Name names[] = {
    // drm_fourcc.h names bits from the highest down in a little-endian word, and video images by their planes.
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
    {"ARGB8888", "B8G8R8A8_UNORM"},
    {"XRGB8888", "B8G8R8A8_UNORM"},
    {"ABGR8888", "R8G8B8A8_UNORM"},
    {"XBGR8888", "R8G8B8A8_UNORM"},
    {"ARGB2101010", "A2R10G10B10_UNORM_PACK32"},
    {"XRGB2101010", "A2R10G10B10_UNORM_PACK32"},
    {"ABGR2101010", "A2B10G10R10_UNORM_PACK32"},
    {"XBGR2101010", "A2B10G10R10_UNORM_PACK32"},
    {"ABGR16161616F", "R16G16B16A16_SFLOAT"},
    {"XBGR16161616F", "R16G16B16A16_SFLOAT"},
    {"ABGR16161616", "R16G16B16A16_UNORM"},
    {"GR1616", "R16G16_UNORM"},
    // Direct3D 9 names bits from the highest down, too.
    {"A8R8G8B8", "B8G8R8A8_UNORM"},
    {"X8R8G8B8", "B8G8R8A8_UNORM"},
    {"A8B8G8R8", "R8G8B8A8_UNORM"},
    {"X8B8G8R8", "R8G8B8A8_UNORM"},
    {"A2B10G10R10", "A2B10G10R10_UNORM_PACK32"},
    {"A2R10G10B10", "A2R10G10B10_UNORM_PACK32"},
    {"R5G6B5", "R5G6B5_UNORM_PACK16"},
    {"A1R5G5B5", "A1R5G5B5_UNORM_PACK16"},
    {"A4R4G4B4", "A4R4G4B4_UNORM_PACK16"},
    {"G16R16", "R16G16_UNORM"},
    {"A16B16G16R16", "R16G16B16A16_UNORM"},
    {"G16R16F", "R16G16_SFLOAT"},
    {"G32R32F", "R32G32_SFLOAT"},
    {"A16B16G16R16F", "R16G16B16A16_SFLOAT"},
    {"A32B32G32R32F", "R32G32B32A32_SFLOAT"},
    {"D24X8", "X8_D24_UNORM_PACK32"},
    {"D32F_LOCKABLE", "D32_SFLOAT"},
    // WebGPU and Metal put the numeric kind right after the bits.
    {"RGB10A2UNORM", "A2B10G10R10_UNORM_PACK32"},
    {"RGB10A2UINT", "A2B10G10R10_UINT_PACK32"},
    {"BGR10A2UNORM", "A2R10G10B10_UNORM_PACK32"},
    {"RG11B10UFLOAT", "B10G11R11_UFLOAT_PACK32"},
    {"RG11B10FLOAT", "B10G11R11_UFLOAT_PACK32"},
    {"RGB9E5UFLOAT", "E5B9G9R9_UFLOAT_PACK32"},
    {"RGB9E5FLOAT", "E5B9G9R9_UFLOAT_PACK32"},
    {"B5G6R5UNORM", "R5G6B5_UNORM_PACK16"},
    {"BGR5A1UNORM", "A1R5G5B5_UNORM_PACK16"},
    {"A1BGR5UNORM", "R5G5B5A1_UNORM_PACK16"},
    {"ABGR4UNORM", "R4G4B4A4_UNORM_PACK16"},
    {"A8UNORM", "A8_UNORM"},
    {"GBGR422", "G8B8G8R8_422_UNORM"},
    {"BGRG422", "B8G8R8G8_422_UNORM"},
    {"DEPTH16UNORM", "D16_UNORM"},
    {"DEPTH32FLOATSTENCIL8", "D32_SFLOAT_S8_UINT"},
    {"DEPTH32FLOAT", "D32_SFLOAT"},
    {"DEPTH24UNORM_STENCIL8", "D24_UNORM_S8_UINT"},
    {"DEPTH32FLOAT_STENCIL8", "D32_SFLOAT_S8_UINT"},
    {"STENCIL8", "S8_UINT"},
    {"BC6H_RGB_UFLOAT", "BC6H_UFLOAT_BLOCK"},
    {"BC6HRGBUFLOAT", "BC6H_UFLOAT_BLOCK"},
    {"BC6HRGBFLOAT", "BC6H_SFLOAT_BLOCK"},
    {"BC6H_RGB_FLOAT", "BC6H_SFLOAT_BLOCK"},
    {"BC6H_RGBUFLOAT", "BC6H_UFLOAT_BLOCK"},
    {"BC6H_RGBFLOAT", "BC6H_SFLOAT_BLOCK"},
    {"EAC_RGBA8", "ETC2_R8G8B8A8_UNORM_BLOCK"},
    {"EAC_RGBA8_SRGB", "ETC2_R8G8B8A8_SRGB_BLOCK"},
    // Gallium.
    {"Z16_UNORM", "D16_UNORM"},
    {"Z32_FLOAT", "D32_SFLOAT"},
    {"Z24X8_UNORM", "X8_D24_UNORM_PACK32"},
    {"Z24_UNORM_S8_UINT", "D24_UNORM_S8_UINT"},
    {"Z32_FLOAT_S8X24_UINT", "D32_SFLOAT_S8_UINT"},
    {"BPTC_RGBA_UNORM", "BC7_UNORM_BLOCK"},
    {"BPTC_SRGBA", "BC7_SRGB_BLOCK"},
    {"BPTC_RGB_UFLOAT", "BC6H_UFLOAT_BLOCK"},
    {"BPTC_RGB_FLOAT", "BC6H_SFLOAT_BLOCK"},
    {"DXT1_RGB", "BC1_RGB_UNORM_BLOCK"},
    {"DXT1_RGBA", "BC1_RGBA_UNORM_BLOCK"},
    {"DXT3_RGBA", "BC2_UNORM_BLOCK"},
    {"DXT5_RGBA", "BC3_UNORM_BLOCK"},
    {"RGTC1_UNORM", "BC4_UNORM_BLOCK"},
    {"RGTC2_UNORM", "BC5_UNORM_BLOCK"},
    // OpenGL.
    {"DEPTH_COMPONENT16", "D16_UNORM"},
    {"DEPTH_COMPONENT24", "X8_D24_UNORM_PACK32"},
    {"DEPTH_COMPONENT32F", "D32_SFLOAT"},
    {"STENCIL_INDEX8", "S8_UINT"},
    {"COMPRESSED_RGB_S3TC_DXT1_EXT", "BC1_RGB_UNORM_BLOCK"},
    {"COMPRESSED_RGBA_S3TC_DXT1_EXT", "BC1_RGBA_UNORM_BLOCK"},
    {"COMPRESSED_RGBA_S3TC_DXT3_EXT", "BC2_UNORM_BLOCK"},
    {"COMPRESSED_RGBA_S3TC_DXT5_EXT", "BC3_UNORM_BLOCK"},
    {"COMPRESSED_SRGB_S3TC_DXT1_EXT", "BC1_RGB_SRGB_BLOCK"},
    {"COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT", "BC1_RGBA_SRGB_BLOCK"},
    {"COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT", "BC2_SRGB_BLOCK"},
    {"COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT", "BC3_SRGB_BLOCK"},
    {"COMPRESSED_RED_RGTC1", "BC4_UNORM_BLOCK"},
    {"COMPRESSED_SIGNED_RED_RGTC1", "BC4_SNORM_BLOCK"},
    {"COMPRESSED_RG_RGTC2", "BC5_UNORM_BLOCK"},
    {"COMPRESSED_SIGNED_RG_RGTC2", "BC5_SNORM_BLOCK"},
    {"COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT", "BC6H_UFLOAT_BLOCK"},
    {"COMPRESSED_RGB_BPTC_SIGNED_FLOAT", "BC6H_SFLOAT_BLOCK"},
    {"COMPRESSED_RGBA_BPTC_UNORM", "BC7_UNORM_BLOCK"},
    {"COMPRESSED_SRGB_ALPHA_BPTC_UNORM", "BC7_SRGB_BLOCK"},
    {"COMPRESSED_RGB8_ETC2", "ETC2_R8G8B8_UNORM_BLOCK"},
    {"COMPRESSED_RGBA8_ETC2_EAC", "ETC2_R8G8B8A8_UNORM_BLOCK"},
    {"COMPRESSED_R11_EAC", "EAC_R11_UNORM_BLOCK"},
    {"COMPRESSED_RG11_EAC", "EAC_R11G11_UNORM_BLOCK"},
    {"RGB10A2", "A2B10G10R10_UNORM_PACK32"},
    {"RGB10_A2", "A2B10G10R10_UNORM_PACK32"},
    {"R10G10B10A2_UNORM", "A2B10G10R10_UNORM_PACK32"},
    {"R10G10B10A2", "A2B10G10R10_UNORM_PACK32"},
    {"R10G10B10A2_TYPELESS", "A2B10G10R10_UNORM_PACK32"},
    {"R24G8_TYPELESS", "D24_UNORM_S8_UINT"},
    {"R32G8X24_TYPELESS", "D32_SFLOAT_S8_UINT"},
    {"A2B10G10R10", "A2B10G10R10_UNORM_PACK32"},
    {"RGB10A2UI", "A2B10G10R10_UINT_PACK32"},
    {"RGB10_A2UI", "A2B10G10R10_UINT_PACK32"},
    {"R10G10B10A2_UINT", "A2B10G10R10_UINT_PACK32"},
    {"R11G11B10_FLOAT", "B10G11R11_UFLOAT_PACK32"},
    {"R11G11B10_UFLOAT", "B10G11R11_UFLOAT_PACK32"},
    {"R11G11B10", "B10G11R11_UFLOAT_PACK32"},
    {"B10G11R11", "B10G11R11_UFLOAT_PACK32"},
    {"R11G11B10F", "B10G11R11_UFLOAT_PACK32"},
    {"RG11B10F", "B10G11R11_UFLOAT_PACK32"},
    {"R11F_G11F_B10F", "B10G11R11_UFLOAT_PACK32"},
    {"R9G9B9E5_SHAREDEXP", "E5B9G9R9_UFLOAT_PACK32"},
    {"RGB9E5", "E5B9G9R9_UFLOAT_PACK32"},
    {"RGB9_E5", "E5B9G9R9_UFLOAT_PACK32"},
    {"B5G6R5_UNORM", "R5G6B5_UNORM_PACK16"},
    {"R5G6B5_UNORM", "R5G6B5_UNORM_PACK16"},
    {"RGB565", "R5G6B5_UNORM_PACK16"},
    {"B5G5R5A1_UNORM", "A1R5G5B5_UNORM_PACK16"},
    {"B4G4R4A4_UNORM", "A4R4G4B4_UNORM_PACK16"},
    {"RGBA4", "R4G4B4A4_UNORM_PACK16"},
    {"RGB5_A1", "R5G5B5A1_UNORM_PACK16"},
    {"SRGB8", "R8G8B8_SRGB"},
    {"SRGB8_A8", "R8G8B8A8_SRGB"},
    {"SRGB8_ALPHA8", "R8G8B8A8_SRGB"},
    {"A8", "A8_UNORM"},
    {"D16", "D16_UNORM"},
    {"D16S8", "D16_UNORM_S8_UINT"},
    {"D16_S8", "D16_UNORM_S8_UINT"},
    {"D32_S8", "D32_SFLOAT_S8_UINT"},
    {"X8D24", "X8_D24_UNORM_PACK32"},
    {"X8_D24", "X8_D24_UNORM_PACK32"},
    {"E5B9G9R9", "E5B9G9R9_UFLOAT_PACK32"},
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

struct OpenName {
    std::string_view name, choice;
};
/// Names that leave open which format is meant, and what to ask for instead.
constexpr OpenName open_names[] = {
    {"DEPTH24PLUS", "WebGPU leaves it to the implementation: ask for D32_SFLOAT or X8_D24_UNORM_PACK32"},
    {"DEPTH24PLUS_STENCIL8", "WebGPU leaves it to the implementation: ask for D24_UNORM_S8_UINT or D32_SFLOAT_S8_UINT"},
    {"RGBA8888",
     "Android means R8G8B8A8_UNORM by it, and drm_fourcc.h bytes in the order A, B, G, R, as no format of Vulkan has "
     "them"},
    {"RGB888", "its bytes may be R8G8B8_UNORM, or B8G8R8_UNORM as drm_fourcc.h has it"},
    {"RGB24", "its bytes may be R8G8B8_UNORM or B8G8R8_UNORM"},
    {"YUV420", "its chroma may be in two planes, G8_B8R8_2PLANE_420_UNORM, or in three, G8_B8_R8_3PLANE_420_UNORM"},
    {"YV12", "it is G8_B8_R8_3PLANE_420_UNORM with planes 1 and 2 exchanged, which no Vulkan format describes"},
    {"NV21", "it is G8_B8R8_2PLANE_420_UNORM with the bytes of its chroma exchanged, which no Vulkan format describes"},
};

/// Vulkan's numeric format for a suffix, for components of that many bits; empty if the suffix is ambiguous or unknown.
std::string numeric_format(std::string_view suffix, unsigned bits) {
    while (suffix.starts_with('_')) suffix.remove_prefix(1);
    if (suffix.empty()) return bits <= 16 ? "UNORM" : "";
    constexpr Name suffixes[] = {
        {"F", "SFLOAT"}, {"FLOAT", "SFLOAT"},    {"SFLOAT", "SFLOAT"}, {"UI", "UINT"},     {"UINT", "UINT"},
        {"I", "SINT"},   {"SINT", "SINT"},       {"SNORM", "SNORM"},   {"UNORM", "UNORM"}, {"SRGB", "SRGB"},
        {"S", "SRGB"},   {"UNORM_SRGB", "SRGB"}, {"UNORMSRGB", "SRGB"}};
    const auto found = std::ranges::find(suffixes, suffix, &Name::usual);
    return found == std::end(suffixes) ? "" : std::string(found->vulkan);
}

}  // namespace

namespace {

/// The name without an enumeration's prefix; WebGPU has dashes where others have underscores.
std::string plain_name(std::string_view upper_name) {
    for (const std::string_view enumeration : {"DXGI_FORMAT_",
                                               "GL_",
                                               "MTLPIXELFORMAT",
                                               "MTL::PIXELFORMAT",
                                               "DRM_FORMAT_",
                                               "D3DFMT_",
                                               "PIPE_FORMAT_",
                                               "AHARDWAREBUFFER_FORMAT_",
                                               "VK::FORMAT::",
                                               "WGPUTEXTUREFORMAT_",
                                               "SDL_GPU_TEXTUREFORMAT_",
                                               "SG_PIXELFORMAT_",
                                               "BGFX::",
                                               "RENDERTEXTUREFORMAT.",
                                               "GRAPHICSFORMAT.",
                                               "TEXTUREFORMAT.",
                                               "TEXTUREFORMAT::",
                                               "PF_",
                                               "IMAGE.FORMAT_",
                                               "IMAGE::FORMAT_",
                                               "FORMAT_",
                                               "DATA_FORMAT_"})
        if (upper_name.starts_with(enumeration)) upper_name.remove_prefix(enumeration.size());
    std::string name(upper_name);
    std::ranges::replace(name, '-', '_');
    return name;
}

/// Names that mean one format with their enumeration's prefix and several without it: those in Unity's scripting
/// reference.
std::string_view name_in_full(std::string_view upper_name) {
    if (upper_name == "TEXTUREFORMAT.RGBA32") return "R8G8B8A8_UNORM";
    if (upper_name == "TEXTUREFORMAT.RGB24") return "R8G8B8_UNORM";
    return {};
}

}  // namespace

std::vector<std::string> usual_names_of(std::string_view vulkan_name) {
    std::vector<std::string> usual;
    for (const Name& name : names)
        if (name.vulkan == vulkan_name) usual.emplace_back(name.usual);
    // R8G8B8A8_SRGB: components of as many bits each are written together.
    static const std::regex components("([RGBA])(\\d+)((?:[RGBA]\\2)+)(_.*)");
    std::smatch part;
    const std::string whole(vulkan_name);
    if (std::regex_match(whole, part, components)) {
        std::string letters = part[1];
        for (const char c : part[3].str())
            if (c < '0' || c > '9') letters += c;
        usual.push_back(letters + part[2].str() + part[4].str());
        if (part[4] == "_UNORM") usual.push_back(letters + part[2].str());
    }
    return usual;
}

std::string why_format_is_open(std::string_view upper_name) {
    if (!name_in_full(upper_name).empty()) return "";
    const std::string name = plain_name(upper_name);
    if (const auto found = std::ranges::find(open_names, name, &OpenName::name); found != std::end(open_names))
        return std::string(found->choice);
    return std::string(why_engine_format_is_open(name));
}

std::string vulkan_format_name(std::string_view upper_name) {
    if (const std::string_view full = name_in_full(upper_name); !full.empty()) return std::string(full);
    std::string name = plain_name(upper_name);
    if (const auto found = std::ranges::find(names, name, &Name::usual); found != std::end(names))
        return std::string(found->vulkan);
    if (const std::string_view vulkan = engine_format_name(name); !vulkan.empty()) return std::string(vulkan);
    std::smatch part;
    // BC7_UNORM_SRGB, BC1, BC1_RGB, ASTC_4x4_SRGB; bc7-rgba-unorm, BC5_RGUnorm
    static const std::regex block(
        "(BC1_RGBA?|BC[1-57]|ASTC_\\d+X\\d+)(?:_TYPELESS|_?RGBA(?=_|U|$)|_?RG?(?=_|[US]NORM))?((?:_?[A-Z]+)*)");
    if (std::regex_match(name, part, block)) {
        std::string kind = part[1], numeric = numeric_format(part[2].str(), 8);
        if (kind.starts_with("ASTC")) {
            std::ranges::replace(kind, 'X', 'x');
            if (part[2] == "_LDR") numeric = "UNORM";
            if (part[2] == "_HDR") numeric = "SFLOAT";
        }
        if (kind == "BC1") kind += "_RGBA";
        return numeric.empty() ? "" : fmt::format("{}_{}_BLOCK", kind, numeric);
    }
    // etc2-rgb8a1unorm-srgb, EAC_RG11Snorm
    static const std::regex etc("(ETC2|EAC)_(RGB8A1|RGBA?8|RG?11)(_?[A-Z_]+)");
    if (std::regex_match(name, part, etc)) {
        static const std::map<std::string, std::string> spelled_out = {
            {"RGB8", "R8G8B8"}, {"RGB8A1", "R8G8B8A1"}, {"RGBA8", "R8G8B8A8"}, {"R11", "R11"}, {"RG11", "R11G11"}};
        const std::string numeric = numeric_format(part[3].str(), 8);
        return numeric.empty() ? ""
                               : fmt::format("{}_{}_{}_BLOCK", part[1].str(), spelled_out.at(part[2].str()), numeric);
    }
    // RGBA16F, RG8_SNORM, BGRA8, RGBA8UNORM_SRGB
    static const std::regex components("(R|RG|RGB|RGBA|BGR|BGRA)(8|16|32|64)(_?[A-Z_]*)");
    // ASTC6x6, ASTC_RGBA_6x6, ASTC_HDR_6x6, RGBA_ASTC6X6_SRGB
    static const std::regex astc("(?:RGBA_)?ASTC_?(HDR_|RGBA?_)?(\\d+)X(\\d+)(|_UNORM|_SRGB|_UFLOAT|D|F)");
    if (std::regex_match(name, part, astc)) {
        const bool is_float = part[1] == "HDR_" || part[4] == "_UFLOAT" || part[4] == "F";
        return fmt::format("ASTC_{}x{}_{}_BLOCK", part[2].str(), part[3].str(),
                           is_float             ? "SFLOAT"
                           : part[4] == "_SRGB" ? "SRGB"
                                                : "UNORM");
    }
    // R8G8, B8G8R8A8_TYPELESS: normalized unless stated otherwise, as for RGBA8
    static const std::regex unsaid("((?:[RGBA](?:8|16))+)(?:_TYPELESS)?");
    if (std::regex_match(name, part, unsaid)) return part[1].str() + "_UNORM";
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
    return name;  // without its prefix
}

}  // namespace tilewise::probe
