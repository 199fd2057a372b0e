#include "probe/formats/formats.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "probe/formats/usual_format_names.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <vulkan/utility/vk_format_utils.h>
#include <vulkan/vk_enum_string_helper.h>
// Slow to compile, so it is included only in this file.
#include <vulkan/vulkan_format_traits.hpp>

namespace tilewise::probe {

namespace {

constexpr std::string_view prefix = "VK_FORMAT_";

struct FormatRange {
    VkFormat first, last;
};
/// The ranges in which VkFormat has values; the headers name the values but do not list them anywhere.
constexpr FormatRange ranges[] = {
    {VK_FORMAT_R4G4_UNORM_PACK8, VK_FORMAT_ASTC_12x12_SRGB_BLOCK},
    {VK_FORMAT_PVRTC1_2BPP_UNORM_BLOCK_IMG, VK_FORMAT_PVRTC2_4BPP_SRGB_BLOCK_IMG},
    {VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK},
    {VK_FORMAT_G8B8G8R8_422_UNORM, VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM},
    {VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, VK_FORMAT_G16_B16R16_2PLANE_444_UNORM},
    {VK_FORMAT_A4R4G4B4_UNORM_PACK16, VK_FORMAT_A4B4G4R4_UNORM_PACK16},
    {VK_FORMAT_R16G16_SFIXED5_NV, VK_FORMAT_R16G16_SFIXED5_NV},
    {VK_FORMAT_A1B5G5R5_UNORM_PACK16, VK_FORMAT_A8_UNORM},
};

Format describe(VkFormat id) {
    const auto traits = static_cast<vk::Format>(id);
    const auto kind = vkuFormatIsDepthOrStencil(id)                                    ? FormatKind::depth_stencil
                      : vk::isCompressed(traits)                                       ? FormatKind::compressed
                      : vk::planeCount(traits) > 1 || vkuFormatIsXChromaSubsampled(id) ? FormatKind::ycbcr
                                                                                       : FormatKind::color;
    const auto plane = vk::planeCount(traits) > 1 ? vk::planeCompatibleFormat(traits, 0) : traits;
    const auto extent = vk::blockExtent(plane);
    return {static_cast<uint32_t>(id),
            string_VkFormat(id) + prefix.size(),
            kind,
            {vk::blockSize(plane), extent[0], extent[1]}};
}

std::vector<Format> describe_all() {
    std::vector<Format> all;
    for (const auto& [first, last] : ranges)
        for (int id = first; id <= last; ++id) all.push_back(describe(static_cast<VkFormat>(id)));
    return all;
}

constexpr uint32_t common[] = {
    VK_FORMAT_R8_UNORM,
    VK_FORMAT_R8G8_UNORM,
    VK_FORMAT_R8G8B8A8_UNORM,
    VK_FORMAT_R16_SFLOAT,
    VK_FORMAT_R16G16_SFLOAT,
    VK_FORMAT_R16G16B16A16_SFLOAT,
    VK_FORMAT_R32_SFLOAT,
    VK_FORMAT_R32G32_SFLOAT,
    VK_FORMAT_R32G32B32A32_SFLOAT,
    VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    VK_FORMAT_B10G11R11_UFLOAT_PACK32,
};

std::string without_underscores(std::string text) {
    std::erase(text, '_');
    return text;
}

/// Nothing is nearer than a word that merely continues: R8_UNORM for R8.
size_t distance(std::string_view wanted, std::string_view word) {
    return word.starts_with(wanted) ? 0 : edit_distance(wanted, word);
}

/// The smallest of those to the format's names; RGBA8SI is near RGBA8_SINT.
size_t distance(const std::string& wanted, const Format& format) {
    size_t smallest = distance(std::string_view(wanted), to_upper(format.name));
    for (const std::string& usual : usual_names_of(format.name))
        smallest = std::min(smallest, distance(without_underscores(wanted), without_underscores(usual)));
    return smallest;
}

}  // namespace

std::span<const Format> known_formats() {
    static const std::vector<Format> formats = describe_all();
    return formats;
}

const Format* find_format(uint32_t id) {
    const auto formats = known_formats();
    const auto at = std::ranges::lower_bound(formats, id, {}, &Format::id);
    return at != formats.end() && at->id == id ? &*at : nullptr;
}

const Format* find_format(std::string_view name) {
    std::string wanted = to_upper(name);
    if (wanted.starts_with(prefix)) wanted.erase(0, prefix.size());
    const auto spelled = [](const std::string& spelling) -> const Format* {
        for (const Format& format : known_formats())
            if (to_upper(format.name) == spelling) return &format;
        return nullptr;
    };
    if (wanted.empty()) return nullptr;
    // Vulkan's own names first: elsewhere, some of them mean a different format.
    if (const Format* format = spelled(wanted)) return format;
    const std::string usual = to_upper(vulkan_format_name(wanted));
    // BC6H_SFLOAT, ETC2_R8G8B8_SRGB: Vulkan's names without their ends.
    for (const char* end : {"", "_BLOCK", "_BLOCK_IMG"})
        if (const Format* format = spelled(usual + end)) return format;
    // Bindings leave out the underscores: Vulkan-Hpp's eB10G11R11UfloatPack32, Unity's B10G11R11_UFloatPack32.
    const std::string joined = without_underscores(usual);
    for (const Format& format : known_formats())
        if (const std::string own = without_underscores(to_upper(format.name)); own == joined || "E" + own == joined)
            return &format;
    return nullptr;
}

bool has_usual_name(const Format& format, std::string_view begin) {
    const std::string wanted = to_upper(begin);
    return !wanted.empty() && std::ranges::any_of(usual_names_of(format.name),
                                                  [&](const std::string& usual) { return usual.starts_with(wanted); });
}

const Format& format_named(std::string_view name) {
    if (const Format* found = find_format(name)) return *found;
    std::string wanted = to_upper(name);
    if (wanted.starts_with(prefix)) wanted.erase(0, prefix.size());
    if (const std::string why = why_format_is_open(wanted); !why.empty())
        throw UsageError(fmt::format("which format is {}? {}", name, why));
    // Of two that are as near, the packed one is meant less often.
    std::vector<std::tuple<size_t, bool, const Format*>> near;
    for (const Format& format : known_formats())
        near.emplace_back(distance(wanted, format),
                          std::string_view(format.name).find("PACK") != std::string_view::npos, &format);
    std::partial_sort(near.begin(), near.begin() + 3, near.end());
    const auto name_of = [&](size_t place) { return std::get<const Format*>(near[place])->name; };
    throw UsageError(
        fmt::format("no format is called {}; similar names: {}, {}, {}", name, name_of(0), name_of(1), name_of(2)));
}

std::vector<Aspect> aspects_of(const Format& format) {
    const auto id = static_cast<VkFormat>(format.id);
    const auto traits = static_cast<vk::Format>(format.id);
    std::vector<Aspect> aspects;
    // Depths of 24 bits are copied as 32.
    if (const uint32_t bits = vkuFormatDepthSize(id))
        aspects.push_back({VK_IMAGE_ASPECT_DEPTH_BIT, {bits == 16 ? 2U : 4U, 1, 1}});
    if (vkuFormatHasStencil(id)) aspects.push_back({VK_IMAGE_ASPECT_STENCIL_BIT, {1, 1, 1}});
    constexpr uint32_t planes[] = {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT,
                                   VK_IMAGE_ASPECT_PLANE_2_BIT};
    const uint8_t count = vk::planeCount(traits);
    for (uint8_t plane = 0; count > 1 && plane < count; ++plane)
        aspects.push_back({planes[plane],
                           {vk::blockSize(vk::planeCompatibleFormat(traits, plane)), 1, 1},
                           vk::planeWidthDivisor(traits, plane),
                           vk::planeHeightDivisor(traits, plane)});
    if (aspects.empty()) aspects.push_back({VK_IMAGE_ASPECT_COLOR_BIT, format.element});
    return aspects;
}

bool has_depth_and_stencil(const Format& format) {
    return vkuFormatIsDepthAndStencil(static_cast<VkFormat>(format.id));
}

const Format* format_of_aspect(const Format& format, unsigned aspect) {
    if (has_depth_and_stencil(format)) {
        const VkFormat depth = format.id == VK_FORMAT_D16_UNORM_S8_UINT   ? VK_FORMAT_D16_UNORM
                               : format.id == VK_FORMAT_D24_UNORM_S8_UINT ? VK_FORMAT_X8_D24_UNORM_PACK32
                                                                          : VK_FORMAT_D32_SFLOAT;
        return aspect < 2 ? find_format(aspect == 0 ? depth : VK_FORMAT_S8_UINT) : nullptr;
    }
    const auto traits = static_cast<vk::Format>(format.id);
    if (aspect >= vk::planeCount(traits) || vk::planeCount(traits) == 1) return nullptr;
    return find_format(static_cast<uint32_t>(vk::planeCompatibleFormat(traits, static_cast<uint8_t>(aspect))));
}

std::string format_name(uint32_t id) {
    const Format* format = find_format(id);
    return format ? format->name : fmt::format("VkFormat {}", id);
}

bool requires_ycbcr_conversion(const Format& format) {
    return vkuFormatRequiresYcbcrConversion(static_cast<VkFormat>(format.id));
}

std::array<uint32_t, 2> extent_multiple(const Format& format) {
    if (!requires_ycbcr_conversion(format)) return {1, 1};
    std::array<uint32_t, 2> multiple = {format.element.width, format.element.height};
    for (const Aspect& aspect : aspects_of(format))
        multiple = {std::max(multiple[0], aspect.width_divisor), std::max(multiple[1], aspect.height_divisor)};
    return multiple;
}

std::span<const uint32_t> common_formats() { return common; }

std::vector<uint32_t> formats_in(std::span<const std::string> names) {
    std::vector<uint32_t> formats;
    const auto add = [&](uint32_t format) {
        if (std::ranges::find(formats, format) == formats.end()) formats.push_back(format);
    };
    for (const std::string& name : names) {
        if (to_lower(name) == "common") {
            for (const uint32_t format : common) add(format);
        } else if (to_lower(name) == "all") {
            for (const Format& format : known_formats()) add(format.id);
        } else {
            add(format_named(name).id);
        }
    }
    return formats;
}

std::vector<std::string> format_names_in(std::span<const std::string> names) {
    std::vector<std::string> in_vulkan;
    for (const uint32_t id : formats_in(names)) in_vulkan.push_back(format_name(id));
    return in_vulkan;
}

std::vector<Component> components_of(const Format& format) {
    if (format.kind == FormatKind::compressed || format.kind == FormatKind::ycbcr) return {};
    const auto traits = static_cast<vk::Format>(format.id);
    const uint8_t count = vk::componentCount(traits);
    std::vector<Component> components;
    unsigned bit = 0;
    for (uint8_t i = 0; i < count; ++i) {
        components.push_back({vk::componentName(traits, i)[0], bit, vk::componentBits(traits, i),
                              vk::componentNumericFormat(traits, i)});
        bit += components.back().bits;
    }
    // Packed formats list the components of a word from its highest bit down:
    //   A2B10G10R10_UNORM_PACK32   AABBBBBB BBBBGGGG GGGGGGRR RRRRRRRR     R at bit 0
    //   X8_D24_UNORM_PACK32        xxxxxxxx DDDDDDDD DDDDDDDD DDDDDDDD     D at bit 0
    //   R10X6G10X6_UNORM_2PACK16   RRRRRRRR RRxxxxxx, then GGGGGGGG GGxxxxxx: a word each, padded below
    const unsigned word = vk::packed(traits);
    if (word == 0) return components;
    const bool word_each = format.element.bytes * 8 == count * word && format.kind == FormatKind::color;
    for (uint8_t i = 0; i < count; ++i) {
        Component& component = components[i];
        component.bit = word_each ? (i + 1) * word - component.bits : bit - component.bit - component.bits;
    }
    return components;
}

}  // namespace tilewise::probe
