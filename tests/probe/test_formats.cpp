#include "patterns/model/error.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "probe/probe.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <set>
#include <vulkan/utility/vk_format_utils.h>
#include <vulkan/vk_enum_string_helper.h>

using namespace tilewise;
using namespace tilewise::probe;

TEST_CASE("a format is known by its name, with or without prefix, in any case") {
    CHECK(format_named("R8G8B8A8_UNORM").id == VK_FORMAT_R8G8B8A8_UNORM);
    CHECK(format_named("VK_FORMAT_R8G8B8A8_UNORM").id == VK_FORMAT_R8G8B8A8_UNORM);
    CHECK(format_named("vk_format_b10g11r11_ufloat_pack32").id == VK_FORMAT_B10G11R11_UFLOAT_PACK32);
    CHECK(format_named("astc_4x4_unorm_block").id == VK_FORMAT_ASTC_4x4_UNORM_BLOCK);
}

TEST_CASE("a format is known by the names of DXGI, OpenGL, GLSL, DDS and video, and by short ones") {
    const auto id = [](const char* name) {
        CAPTURE(name);
        return format_named(name).id;
    };
    CHECK(id("RGBA8") == VK_FORMAT_R8G8B8A8_UNORM);
    CHECK(id("rgba16f") == VK_FORMAT_R16G16B16A16_SFLOAT);
    CHECK(id("RG32UI") == VK_FORMAT_R32G32_UINT);
    CHECK(id("rgba8_snorm") == VK_FORMAT_R8G8B8A8_SNORM);
    CHECK(id("r11f_g11f_b10f") == VK_FORMAT_B10G11R11_UFLOAT_PACK32);
    CHECK(id("BGRA8_SRGB") == VK_FORMAT_B8G8R8A8_SRGB);
    CHECK(id("GL_SRGB8_ALPHA8") == VK_FORMAT_R8G8B8A8_SRGB);
    CHECK(id("DXGI_FORMAT_R8G8B8A8_UNORM") == VK_FORMAT_R8G8B8A8_UNORM);
    CHECK(id("DXGI_FORMAT_R8G8B8A8_UNORM_SRGB") == VK_FORMAT_R8G8B8A8_SRGB);
    CHECK(id("DXGI_FORMAT_R32G32B32A32_FLOAT") == VK_FORMAT_R32G32B32A32_SFLOAT);
    CHECK(id("DXGI_FORMAT_R10G10B10A2_UNORM") == VK_FORMAT_A2B10G10R10_UNORM_PACK32);
    CHECK(id("DXGI_FORMAT_B5G6R5_UNORM") == VK_FORMAT_R5G6B5_UNORM_PACK16);
    CHECK(id("DXGI_FORMAT_BC7_UNORM_SRGB") == VK_FORMAT_BC7_SRGB_BLOCK);
    CHECK(id("DXGI_FORMAT_BC6H_UF16") == VK_FORMAT_BC6H_UFLOAT_BLOCK);
    CHECK(id("DXGI_FORMAT_D32_FLOAT_S8X24_UINT") == VK_FORMAT_D32_SFLOAT_S8_UINT);
    CHECK(id("BC1") == VK_FORMAT_BC1_RGBA_UNORM_BLOCK);
    CHECK(id("bc1_rgb") == VK_FORMAT_BC1_RGB_UNORM_BLOCK);
    CHECK(id("BC1_RGBA_SRGB") == VK_FORMAT_BC1_RGBA_SRGB_BLOCK);
    CHECK(id("dxt5") == VK_FORMAT_BC3_UNORM_BLOCK);
    CHECK(id("astc_4x4") == VK_FORMAT_ASTC_4x4_UNORM_BLOCK);
    CHECK(id("ASTC_8x8_SRGB") == VK_FORMAT_ASTC_8x8_SRGB_BLOCK);
    CHECK(id("d24s8") == VK_FORMAT_D24_UNORM_S8_UINT);
    CHECK(id("NV12") == VK_FORMAT_G8_B8R8_2PLANE_420_UNORM);
    CHECK(id("R8") == VK_FORMAT_R8_UNORM);
}

TEST_CASE("a format is known by the names of WebGPU, Metal, Direct3D 9, Gallium and DRM") {
    // WebGPU: Dawn's table for Vulkan. Metal: MoltenVK's. Gallium: Mesa's vk_format.c. Others: as the enumerations say it.
    constexpr std::pair<const char*, VkFormat> formats[] = {
        {"r8unorm", VK_FORMAT_R8_UNORM},
        {"rg16float", VK_FORMAT_R16G16_SFLOAT},
        {"rgba32uint", VK_FORMAT_R32G32B32A32_UINT},
        {"rgba8unorm-srgb", VK_FORMAT_R8G8B8A8_SRGB},
        {"bgra8unorm", VK_FORMAT_B8G8R8A8_UNORM},
        {"bgra8unorm-srgb", VK_FORMAT_B8G8R8A8_SRGB},
        {"rgb10a2unorm", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
        {"rgb10a2uint", VK_FORMAT_A2B10G10R10_UINT_PACK32},
        {"rg11b10ufloat", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
        {"rgb9e5ufloat", VK_FORMAT_E5B9G9R9_UFLOAT_PACK32},
        {"stencil8", VK_FORMAT_S8_UINT},
        {"depth16unorm", VK_FORMAT_D16_UNORM},
        {"depth32float", VK_FORMAT_D32_SFLOAT},
        {"depth32float-stencil8", VK_FORMAT_D32_SFLOAT_S8_UINT},
        {"bc1-rgba-unorm", VK_FORMAT_BC1_RGBA_UNORM_BLOCK},
        {"bc1-rgba-unorm-srgb", VK_FORMAT_BC1_RGBA_SRGB_BLOCK},
        {"bc3-rgba-unorm-srgb", VK_FORMAT_BC3_SRGB_BLOCK},
        {"bc4-r-snorm", VK_FORMAT_BC4_SNORM_BLOCK},
        {"bc5-rg-unorm", VK_FORMAT_BC5_UNORM_BLOCK},
        {"bc6h-rgb-ufloat", VK_FORMAT_BC6H_UFLOAT_BLOCK},
        {"bc6h-rgb-float", VK_FORMAT_BC6H_SFLOAT_BLOCK},
        {"bc7-rgba-unorm", VK_FORMAT_BC7_UNORM_BLOCK},
        {"etc2-rgb8unorm", VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK},
        {"etc2-rgb8a1unorm-srgb", VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK},
        {"etc2-rgba8unorm", VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK},
        {"eac-r11snorm", VK_FORMAT_EAC_R11_SNORM_BLOCK},
        {"eac-rg11unorm", VK_FORMAT_EAC_R11G11_UNORM_BLOCK},
        {"astc-8x5-unorm-srgb", VK_FORMAT_ASTC_8x5_SRGB_BLOCK},
        {"MTLPixelFormatBGRA8Unorm_sRGB", VK_FORMAT_B8G8R8A8_SRGB},
        {"MTLPixelFormatRGBA16Float", VK_FORMAT_R16G16B16A16_SFLOAT},
        {"MTLPixelFormatB5G6R5Unorm", VK_FORMAT_R5G6B5_UNORM_PACK16},
        {"MTLPixelFormatABGR4Unorm", VK_FORMAT_R4G4B4A4_UNORM_PACK16},
        {"MTLPixelFormatBGR5A1Unorm", VK_FORMAT_A1R5G5B5_UNORM_PACK16},
        {"MTLPixelFormatBGR10A2Unorm", VK_FORMAT_A2R10G10B10_UNORM_PACK32},
        {"MTLPixelFormatDepth32Float_Stencil8", VK_FORMAT_D32_SFLOAT_S8_UINT},
        {"MTLPixelFormatBC4_RUnorm", VK_FORMAT_BC4_UNORM_BLOCK},
        {"MTLPixelFormatBC5_RGSnorm", VK_FORMAT_BC5_SNORM_BLOCK},
        {"MTLPixelFormatBC7_RGBAUnorm_sRGB", VK_FORMAT_BC7_SRGB_BLOCK},
        {"MTLPixelFormatBC6H_RGBUfloat", VK_FORMAT_BC6H_UFLOAT_BLOCK},
        {"MTLPixelFormatASTC_6x6_LDR", VK_FORMAT_ASTC_6x6_UNORM_BLOCK},
        {"MTLPixelFormatASTC_6x6_HDR", VK_FORMAT_ASTC_6x6_SFLOAT_BLOCK},
        {"MTLPixelFormatASTC_6x6_sRGB", VK_FORMAT_ASTC_6x6_SRGB_BLOCK},
        {"MTLPixelFormatEAC_RGBA8", VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK},
        {"MTLPixelFormatETC2_RGB8A1_sRGB", VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK},
        {"D3DFMT_A8R8G8B8", VK_FORMAT_B8G8R8A8_UNORM},
        {"D3DFMT_X8B8G8R8", VK_FORMAT_R8G8B8A8_UNORM},
        {"D3DFMT_A2B10G10R10", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
        {"D3DFMT_A16B16G16R16F", VK_FORMAT_R16G16B16A16_SFLOAT},
        {"D3DFMT_D24X8", VK_FORMAT_X8_D24_UNORM_PACK32},
        {"D3DFMT_DXT5", VK_FORMAT_BC3_UNORM_BLOCK},
        {"PIPE_FORMAT_B8G8R8A8_SRGB", VK_FORMAT_B8G8R8A8_SRGB},
        {"PIPE_FORMAT_R10G10B10A2_UNORM", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
        {"PIPE_FORMAT_R16G16B16A16_FLOAT", VK_FORMAT_R16G16B16A16_SFLOAT},
        {"PIPE_FORMAT_Z24_UNORM_S8_UINT", VK_FORMAT_D24_UNORM_S8_UINT},
        {"PIPE_FORMAT_Z32_FLOAT_S8X24_UINT", VK_FORMAT_D32_SFLOAT_S8_UINT},
        {"PIPE_FORMAT_BPTC_RGBA_UNORM", VK_FORMAT_BC7_UNORM_BLOCK},
        {"DRM_FORMAT_XRGB8888", VK_FORMAT_B8G8R8A8_UNORM},
        {"DRM_FORMAT_ABGR8888", VK_FORMAT_R8G8B8A8_UNORM},
        {"DRM_FORMAT_ABGR2101010", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
        {"DRM_FORMAT_NV12", VK_FORMAT_G8_B8R8_2PLANE_420_UNORM},
        {"GL_DEPTH_COMPONENT32F", VK_FORMAT_D32_SFLOAT},
        {"GL_COMPRESSED_RGBA_S3TC_DXT1_EXT", VK_FORMAT_BC1_RGBA_UNORM_BLOCK},
        {"GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM", VK_FORMAT_BC7_SRGB_BLOCK}};
    for (const auto& [name, id] : formats) {
        CAPTURE(name);
        const Format* found = find_format(name);
        REQUIRE(found);
        CHECK(string_VkFormat(static_cast<VkFormat>(found->id)) == std::string_view(string_VkFormat(id)));
    }
}

// As Unreal's Vulkan backend maps PF_ formats, as Unity's reference describes its enumerations and Godot's class reference
// Image.Format, and as Vulkan-Hpp, SDL, webgpu.h and wgpu spell theirs.
TEST_CASE("a format is known by the names of game engines and of bindings") {
    constexpr std::pair<const char*, VkFormat> names[] = {
        {"PF_B8G8R8A8", VK_FORMAT_B8G8R8A8_UNORM},
        {"PF_FloatRGBA", VK_FORMAT_R16G16B16A16_SFLOAT},
        {"PF_FloatRGB", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
        {"PF_FloatR11G11B10", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
        {"PF_A32B32G32R32F", VK_FORMAT_R32G32B32A32_SFLOAT},
        {"PF_G16R16F", VK_FORMAT_R16G16_SFLOAT},
        {"PF_A2B10G10R10", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
        {"PF_R5G6B5_UNORM", VK_FORMAT_R5G6B5_UNORM_PACK16},
        {"PF_BC5", VK_FORMAT_BC5_UNORM_BLOCK},
        {"PF_DXT5", VK_FORMAT_BC3_UNORM_BLOCK},
        {"PF_ASTC_6x6", VK_FORMAT_ASTC_6x6_UNORM_BLOCK},
        {"PF_NV12", VK_FORMAT_G8_B8R8_2PLANE_420_UNORM},
        {"ARGBHalf", VK_FORMAT_R16G16B16A16_SFLOAT},
        {"RenderTextureFormat.RGB111110Float", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
        {"TextureFormat.RFloat", VK_FORMAT_R32_SFLOAT},
        {"TextureFormat.BGRA32", VK_FORMAT_B8G8R8A8_UNORM},
        {"ETC2_RGBA8", VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK},
        {"ASTC_HDR_4x4", VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK},
        {"GraphicsFormat.R8G8B8A8_UNorm", VK_FORMAT_R8G8B8A8_UNORM},
        {"GraphicsFormat.B10G11R11_UFloatPack32", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
        {"RGBA_ASTC6X6_SRGB", VK_FORMAT_ASTC_6x6_SRGB_BLOCK},
        {"RGB_BC6H_UFloat", VK_FORMAT_BC6H_UFLOAT_BLOCK},
        {"Image.FORMAT_RGBAH", VK_FORMAT_R16G16B16A16_SFLOAT},
        {"FORMAT_RGBE9995", VK_FORMAT_E5B9G9R9_UFLOAT_PACK32},
        {"FORMAT_BPTC_RGBA", VK_FORMAT_BC7_UNORM_BLOCK},
        {"DATA_FORMAT_R16G16B16A16_SFLOAT", VK_FORMAT_R16G16B16A16_SFLOAT},
        {"bgfx::TextureFormat::RG11B10F", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
        {"RGBA16U", VK_FORMAT_R16G16B16A16_UINT},
        {"vk::Format::eR8G8B8A8Unorm", VK_FORMAT_R8G8B8A8_UNORM},
        {"eE5B9G9R9UfloatPack32", VK_FORMAT_E5B9G9R9_UFLOAT_PACK32},
        {"eBc7SrgbBlock", VK_FORMAT_BC7_SRGB_BLOCK},
        {"eG8B8R82Plane420Unorm", VK_FORMAT_G8_B8R8_2PLANE_420_UNORM},
        {"SDL_GPU_TEXTUREFORMAT_R11G11B10_UFLOAT", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
        {"SDL_GPU_TEXTUREFORMAT_BC6H_RGB_FLOAT", VK_FORMAT_BC6H_SFLOAT_BLOCK},
        {"WGPUTextureFormat_RGBA8UnormSrgb", VK_FORMAT_R8G8B8A8_SRGB},
        {"Bc7RgbaUnormSrgb", VK_FORMAT_BC7_SRGB_BLOCK},
        {"Depth32FloatStencil8", VK_FORMAT_D32_SFLOAT_S8_UINT},
        {"DXGI_FORMAT_B8G8R8A8_TYPELESS", VK_FORMAT_B8G8R8A8_UNORM},
        {"R24G8_TYPELESS", VK_FORMAT_D24_UNORM_S8_UINT},
        {"R11G11B10", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
        {"R10G10B10A2", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
        {"R8G8", VK_FORMAT_R8G8_UNORM},
    };
    for (const auto& [name, id] : names) {
        CAPTURE(name);
        const Format* found = find_format(name);
        REQUIRE(found);
        CHECK(string_VkFormat(static_cast<VkFormat>(found->id)) == std::string_view(string_VkFormat(id)));
    }
}

TEST_CASE("a name by which several formats are called is answered with the choice") {
    for (const char* name : {"depth24plus", "depth24plus-stencil8", "RGBA8888", "RGB24", "YUV420", "YV12", "NV21",
                             "ARGB32", "PF_DepthStencil"}) {
        CAPTURE(name);
        CHECK(find_format(name) == nullptr);
        CHECK_THROWS_WITH_AS(format_named(name), doctest::Contains("which format is "), UsageError);
    }
    CHECK_THROWS_WITH_AS(format_named("depth24plus"), doctest::Contains("X8_D24_UNORM_PACK32"), UsageError);
}

TEST_CASE("usages and flags are known by Vulkan's own names, too, and come out as databases have them") {
    CHECK(usage_named("VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT") ==
          (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT));
    CHECK(usage_named("Depth_Stencil_Attachment,host-transfer") ==
          (VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_HOST_TRANSFER_BIT));
    CHECK(image_flags_named("VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT") ==
          VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT);
    CHECK(usage_as_stored("transfer-src,SAMPLED") == "sampled,transfer-src");
    CHECK(flags_as_stored("MUTABLE_FORMAT|cube-compatible") == "cube-compatible,mutable-format");
    CHECK(flags_as_stored("mutable-format,compression-disabled") == "compression-disabled,mutable-format");
    CHECK((usage_as_stored("") == "" && flags_as_stored("") == ""));
    for (const char* said : {"sample", "sampled,", "attachment"}) CHECK_THROWS_AS(usage_as_stored(said), UsageError);
    for (const char* said : {"cubes", "compression-none", ","}) CHECK_THROWS_AS(flags_as_stored(said), UsageError);
}

TEST_CASE("a format is known by Vulkan's name without its end, and by the beginning of a usual name") {
    for (const auto& [name, format] : {std::pair{"BC6H_UFLOAT", "BC6H_UFLOAT_BLOCK"},
                                       {"BC6H_SFLOAT", "BC6H_SFLOAT_BLOCK"},
                                       {"BC7_SRGB", "BC7_SRGB_BLOCK"},
                                       {"ETC2_R8G8B8A1_SRGB", "ETC2_R8G8B8A1_SRGB_BLOCK"},
                                       {"EAC_R11_SNORM", "EAC_R11_SNORM_BLOCK"},
                                       {"PVRTC1_2BPP_UNORM", "PVRTC1_2BPP_UNORM_BLOCK_IMG"},
                                       // DXGI's, not the beginning of B5G6R5_UNORM_PACK16.
                                       {"B5G6R5_UNORM", "R5G6B5_UNORM_PACK16"}}) {
        CAPTURE(name);
        CHECK(std::string(format_named(name).name) == format);
    }
    const auto begins = [](const char* format, const char* name) { return has_usual_name(format_named(format), name); };
    CHECK(begins("B8G8R8A8_SRGB", "bgra"));
    CHECK(begins("R16G16B16A16_SFLOAT", "RGBA"));
    CHECK(begins("A2B10G10R10_UNORM_PACK32", "rgb10"));
    CHECK(!begins("R8G8B8A8_UNORM", "bgra"));
    CHECK(!begins("R8G8B8A8_UNORM", "BGR"));
    CHECK(!begins("R8G8B8A8_UNORM", ""));
}

TEST_CASE("an unknown format is answered with near names that exist") {
    CHECK_THROWS_WITH_AS(format_named("R8G8B8A8_UNROM"), doctest::Contains("R8G8B8A8_UNORM"), UsageError);
    CHECK_THROWS_WITH_AS(format_named("rgba9"), doctest::Contains("similar names: R8G8B8A8_UNORM"), UsageError);
    CHECK_THROWS_WITH_AS(format_named("bgra"), doctest::Contains("similar names: B8G8R8A8_UNORM"), UsageError);
    CHECK_THROWS_WITH_AS(format_named("rgba"), doctest::Contains("similar names: R8G8B8A8_UNORM"), UsageError);
    CHECK_THROWS_WITH_AS(format_named("rgb10"), doctest::Contains("similar names: A2B10G10R10_UNORM_PACK32"),
                         UsageError);
    CHECK_THROWS_WITH_AS(format_named("RGBA8SI"), doctest::Contains("similar names: R8G8B8A8_SINT"), UsageError);
    CHECK_THROWS_WITH_AS(format_named("RGBA32"), doctest::Contains("R32G32B32A32_SFLOAT"), UsageError);
    CHECK_THROWS_WITH_AS(format_named("R32G32B32A32"), doctest::Contains("R32G32B32A32_"), UsageError);
    CHECK_THROWS_AS(format_named(""), UsageError);
}

TEST_CASE("the table of formats is sorted and every entry finds itself") {
    const auto formats = known_formats();
    CHECK(std::is_sorted(formats.begin(), formats.end(), [](const Format& a, const Format& b) { return a.id < b.id; }));
    for (const Format& format : formats) {
        CHECK(find_format(format.id) == &format);
        CHECK(&format_named(format.name) == &format);
        CHECK(format.element.bytes > 0);
    }
    CHECK(find_format(VK_FORMAT_UNDEFINED) == nullptr);
    CHECK(format_name(4242) == "VkFormat 4242");
}

TEST_CASE("element sizes are those of the Vulkan specification") {
    const auto element = [](const char* name) { return format_named(name).element; };
    CHECK(element("R4G4_UNORM_PACK8").bytes == 1);
    CHECK(element("R8G8B8_UNORM").bytes == 3);
    CHECK(element("A2B10G10R10_UNORM_PACK32").bytes == 4);
    CHECK(element("R16G16B16_SFLOAT").bytes == 6);
    CHECK(element("R32G32B32_SFLOAT").bytes == 12);
    CHECK(element("R64G64B64A64_SFLOAT").bytes == 32);
    CHECK(element("R10X6G10X6B10X6A10X6_UNORM_4PACK16").bytes == 8);
    CHECK(element("E5B9G9R9_UFLOAT_PACK32").bytes == 4);
    CHECK(element("BC1_RGB_UNORM_BLOCK") == Element{8, 4, 4});
    CHECK(element("BC7_SRGB_BLOCK") == Element{16, 4, 4});
    CHECK(element("ETC2_R8G8B8A1_UNORM_BLOCK") == Element{8, 4, 4});
    CHECK(element("EAC_R11G11_SNORM_BLOCK") == Element{16, 4, 4});
    CHECK(element("ASTC_12x10_SRGB_BLOCK") == Element{16, 12, 10});
    // The registry counts no padding, which the specification leaves to the driver.
    CHECK(element("D32_SFLOAT_S8_UINT").bytes == 5);
    CHECK(format_named("D24_UNORM_S8_UINT").kind == FormatKind::depth_stencil);
}

TEST_CASE("every format of the headers is known") {
    size_t named = 0;
    const auto look_for = [&](int id) {
        const auto format = static_cast<VkFormat>(id);
        if (string_VkFormat(format) == std::string_view("Unhandled VkFormat")) return;
        CAPTURE(string_VkFormat(format));
        ++named;
        CHECK((find_format(static_cast<uint32_t>(id)) != nullptr) == (format != VK_FORMAT_UNDEFINED));
    };
    constexpr int core = 1000, extensions = 1000, first_of_extensions = 1000000000;
    for (int id = 0; id < core + extensions * 1000; ++id) look_for(id < core ? id : first_of_extensions + id - core);
    CHECK(named == known_formats().size() + 1);
}

TEST_CASE("aspects are copied in elements of their own, those of planes in extents of their own") {
    const auto text = [](const char* name) {
        std::string all;
        for (const probe::Aspect& aspect : aspects_of(format_named(name)))
            all += fmt::format("{}{}:{}/{}x{}", all.empty() ? "" : " ", aspect_name(aspect.bit), aspect.element.bytes,
                               aspect.width_divisor, aspect.height_divisor);
        return all;
    };
    CHECK(text("R8G8B8A8_UNORM") == "color:4/1x1");
    CHECK(text("BC1_RGB_UNORM_BLOCK") == "color:8/1x1");
    CHECK(text("D16_UNORM") == "depth:2/1x1");
    CHECK(text("X8_D24_UNORM_PACK32") == "depth:4/1x1");
    CHECK(text("S8_UINT") == "stencil:1/1x1");
    CHECK(text("D24_UNORM_S8_UINT") == "depth:4/1x1 stencil:1/1x1");
    CHECK(text("D32_SFLOAT_S8_UINT") == "depth:4/1x1 stencil:1/1x1");
    CHECK(text("G8_B8R8_2PLANE_420_UNORM") == "plane0:1/1x1 plane1:2/2x2");
    CHECK(text("G8_B8_R8_3PLANE_422_UNORM") == "plane0:1/1x1 plane1:1/2x1 plane2:1/2x1");
    CHECK(text("G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16") == "plane0:2/1x1 plane1:4/1x1");
    CHECK(text("G8B8G8R8_422_UNORM") == "color:4/1x1");
    CHECK(format_named("G8B8G8R8_422_UNORM").element == Element{4, 2, 1});
}

TEST_CASE("components lie where the Vulkan specification draws them") {
    const auto drawn = [](const char* name) {
        std::string text;
        for (const Component& component : components_of(format_named(name)))
            text += fmt::format("{}{}@{}:{} ", component.name, component.bits, component.bit, component.numeric);
        return text;
    };
    CHECK(drawn("R8G8B8A8_SRGB") == "R8@0:SRGB G8@8:SRGB B8@16:SRGB A8@24:SRGB ");
    CHECK(drawn("B8G8R8A8_UNORM") == "B8@0:UNORM G8@8:UNORM R8@16:UNORM A8@24:UNORM ");
    CHECK(drawn("R4G4_UNORM_PACK8") == "R4@4:UNORM G4@0:UNORM ");
    CHECK(drawn("R5G6B5_UNORM_PACK16") == "R5@11:UNORM G6@5:UNORM B5@0:UNORM ");
    CHECK(drawn("A2B10G10R10_UINT_PACK32") == "A2@30:UINT B10@20:UINT G10@10:UINT R10@0:UINT ");
    CHECK(drawn("B10G11R11_UFLOAT_PACK32") == "B10@22:UFLOAT G11@11:UFLOAT R11@0:UFLOAT ");
    CHECK(drawn("E5B9G9R9_UFLOAT_PACK32") == "B9@18:UFLOAT G9@9:UFLOAT R9@0:UFLOAT ");
    CHECK(drawn("R10X6_UNORM_PACK16") == "R10@6:UNORM ");
    CHECK(drawn("R12X4G12X4_UNORM_2PACK16") == "R12@4:UNORM G12@20:UNORM ");
    CHECK(drawn("X8_D24_UNORM_PACK32") == "D24@0:UNORM ");
    CHECK(drawn("D24_UNORM_S8_UINT") == "D24@0:UNORM S8@24:UINT ");
    CHECK(drawn("R64G64_SFLOAT") == "R64@0:SFLOAT G64@64:SFLOAT ");
    CHECK(drawn("BC1_RGB_UNORM_BLOCK") == "");
}

TEST_CASE("the common set has eleven formats of one to sixteen bytes") {
    CHECK(common_formats().size() == 11);
    std::set<uint32_t> sizes;
    for (const uint32_t format : common_formats()) {
        CHECK(find_format(format)->kind == FormatKind::color);
        sizes.insert(find_format(format)->element.bytes);
    }
    CHECK(sizes == std::set<uint32_t>{1, 2, 4, 8, 16});
}

TEST_CASE("usages, routes and drivers go by their names") {
    CHECK(usage_named("sampled,storage") == (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT));
    CHECK(usage_names(usage_named("color,transfer-src")) == "transfer-src,color");
    CHECK_THROWS_WITH_AS(usage_named("sampled,"), doctest::Contains("host-transfer"), UsageError);
    for (const Route route : all_routes) CHECK(route_named(route_name(route)) == route);
    CHECK_THROWS_AS(route_named("telepathy"), UsageError);
    CHECK(driver_id_name(VK_DRIVER_ID_MESA_RADV) == "MESA_RADV");
    CHECK(driver_id_name(0) == "");
    CHECK(driver_id_name(4242) == "");
}

TEST_CASE("formats that want a YCbCr conversion are those with chroma, and two that have none") {
    size_t without_chroma = 0;
    for (const Format& format : known_formats()) {
        CAPTURE(format.name);
        if (format.kind == FormatKind::ycbcr) CHECK(requires_ycbcr_conversion(format));
        without_chroma += format.kind != FormatKind::ycbcr && requires_ycbcr_conversion(format);
    }
    CHECK(without_chroma == 2);
    CHECK(requires_ycbcr_conversion(format_named("R10X6G10X6B10X6A10X6_UNORM_4PACK16")));
    CHECK(requires_ycbcr_conversion(format_named("R12X4G12X4B12X4A12X4_UNORM_4PACK16")));
    CHECK_FALSE(requires_ycbcr_conversion(format_named("R16G16B16A16_UNORM")));
}
