#include "probe/formats.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <vulkan/vulkan_core.h>

namespace tilewise::probe {

namespace {

#define COLOR(name, bytes) Format{VK_FORMAT_##name, #name, FormatKind::color, {bytes, 1, 1}},
#define DEPTH(name, bytes) Format{VK_FORMAT_##name, #name, FormatKind::depth_stencil, {bytes, 1, 1}},
#define BLOCK(name, bytes, width, height) \
    Format{VK_FORMAT_##name, #name, FormatKind::compressed, {bytes, width, height}},
constexpr Format formats[] = {
#include "probe/format_table.h"
};
#undef COLOR
#undef DEPTH
#undef BLOCK

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

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return result;
}

/// Nearer where `word` merely goes on: R8 is near R8_UNORM.
size_t distance(std::string_view wanted, std::string_view word) {
    return word.starts_with(wanted) ? 1 : edit_distance(wanted, word);
}

}  // namespace

std::span<const Format> known_formats() { return formats; }

const Format* find_format(uint32_t id) {
    const auto* at = std::lower_bound(std::begin(formats), std::end(formats), id,
                                      [](const Format& format, uint32_t wanted) { return format.id < wanted; });
    return at != std::end(formats) && at->id == id ? at : nullptr;
}

const Format& format_named(std::string_view name) {
    std::string wanted = upper(name);
    if (wanted.starts_with("VK_FORMAT_")) wanted.erase(0, std::string_view("VK_FORMAT_").size());
    std::array<std::pair<size_t, const Format*>, std::size(formats)> near;
    for (size_t i = 0; i < near.size(); ++i) {
        const std::string known = upper(formats[i].name);
        if (known == wanted) return formats[i];
        near[i] = {distance(wanted, known), &formats[i]};
    }
    std::partial_sort(near.begin(), near.begin() + 3, near.end());
    throw UsageError(fmt::format("no format is called {}; near it: {}, {}, {}", name, near[0].second->name,
                                 near[1].second->name, near[2].second->name));
}

std::string format_name(uint32_t id) {
    const Format* format = find_format(id);
    return format ? format->name : fmt::format("VkFormat {}", id);
}

std::span<const uint32_t> common_formats() { return common; }

}  // namespace tilewise::probe
