#include "patterns/model/error.h"
#include "probe/formats.h"
#include "probe/probe.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <vulkan/vulkan_core.h>

using namespace tilewise;
using namespace tilewise::probe;

TEST_CASE("a format is known by its name, with or without prefix, in any case") {
    CHECK(format_named("R8G8B8A8_UNORM").id == VK_FORMAT_R8G8B8A8_UNORM);
    CHECK(format_named("VK_FORMAT_R8G8B8A8_UNORM").id == VK_FORMAT_R8G8B8A8_UNORM);
    CHECK(format_named("vk_format_b10g11r11_ufloat_pack32").id == VK_FORMAT_B10G11R11_UFLOAT_PACK32);
    CHECK(format_named("astc_4x4_unorm_block").id == VK_FORMAT_ASTC_4x4_UNORM_BLOCK);
}

TEST_CASE("an unknown format is answered with near names that exist") {
    CHECK_THROWS_WITH_AS(format_named("R8G8B8A8_UNROM"), doctest::Contains("R8G8B8A8_UNORM"), UsageError);
    CHECK_THROWS_WITH_AS(format_named("rgba8"), doctest::Contains("near it"), UsageError);
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
    CHECK(find_format(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM) == nullptr);
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
    CHECK(format_named("D24_UNORM_S8_UINT").kind == FormatKind::depth_stencil);
}

TEST_CASE("the common set has eleven formats of one to sixteen bytes") {
    CHECK(common_formats().size() == 11);
    for (const uint32_t format : common_formats()) CHECK(find_format(format)->kind == FormatKind::color);
}

TEST_CASE("usages and routes go by their names both ways") {
    CHECK(usage_named("sampled,storage") == (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT));
    CHECK(usage_names(usage_named("color,transfer-src")) == "transfer-src,color");
    CHECK_THROWS_WITH_AS(usage_named("sampled,"), doctest::Contains("host-transfer"), UsageError);
    for (const Route route : all_routes) CHECK(route_named(route_name(route)) == route);
    CHECK_THROWS_AS(route_named("telepathy"), UsageError);
}
