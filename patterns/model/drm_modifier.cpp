#include "patterns/model/drm_modifier.h"
#include "patterns/model/text.h"
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace tilewise {

namespace {

constexpr uint64_t code(uint64_t vendor, uint64_t value) { return vendor << 56 | value; }

struct Named {
    std::string_view name;
    uint64_t number;
};
constexpr uint64_t intel = 1, nvidia = 3, qualcomm = 5, broadcom = 7, arm = 8, apple = 0xc;
constexpr uint64_t arm_miscellaneous = uint64_t{1} << 52;
constexpr Named named[] = {
    {"LINEAR", 0},
    {"I915_FORMAT_MOD_Y_TILED", code(intel, 2)},
    {"I915_FORMAT_MOD_4_TILED", code(intel, 9)},
    {"QCOM_TILED3", code(qualcomm, 3)},
    {"BROADCOM_UIF", code(broadcom, 6)},
    {"ARM_16X16_BLOCK_U_INTERLEAVED", code(arm, arm_miscellaneous | 1)},
    {"APPLE_GPU_TILED", code(apple, 1)},
};

/// "0x06" or "4".
std::optional<uint64_t> number(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

///   bits 3..0         h, the height in GOBs as its logarithm
///        4            block-linear
///        19..12       k, the page kind
///        21..20       g, the generation of the kinds
///        22, 27..26   s, the layout of sectors: its bit 0, then bits 2 and 1
///        25..23       c, the compression
uint64_t block_linear_2d(const std::array<uint64_t, 5>& fields) {
    const auto [c, s, g, k, h] = fields;
    return code(nvidia, uint64_t{1} << 4 | h | k << 12 | g << 20 | (s & 1) << 22 | (s & 6) << 25 | c << 23);
}

}  // namespace

std::optional<uint64_t> drm_modifier_number(std::string_view modifier) {
    for (const Named& each : named)
        if (modifier == each.name) return each.number;
    constexpr std::string_view block_linear = "NVIDIA_BLOCK_LINEAR_2D(";
    if (!modifier.starts_with(block_linear) || !modifier.ends_with(')')) return std::nullopt;
    modifier.remove_prefix(block_linear.size());
    modifier.remove_suffix(1);
    const std::vector<std::string> texts = split_fields(modifier);
    std::array<uint64_t, 5> fields = {};
    if (texts.size() != fields.size()) return std::nullopt;
    for (size_t i = 0; i < fields.size(); i++) {
        const std::optional<uint64_t> field = number(texts[i]);
        if (!field) return std::nullopt;
        fields.at(i) = *field;
    }
    return block_linear_2d(fields);
}

std::string drm_modifier_text(std::string_view modifier) {
    const std::optional<uint64_t> value = drm_modifier_number(modifier);
    return value ? drm_modifier_text(*value) : "";
}

std::string drm_modifier_text(uint64_t number) { return fmt::format("{:#018x}", number); }

}  // namespace tilewise
