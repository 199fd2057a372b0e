#include "tools/catalog/amd_levels.h"
#include <algorithm>
#include <bit>

namespace tilewise {

namespace {

constexpr uint64_t pipe_interleave_bytes = 256;

std::optional<uint32_t> mode_with(const Rule& rule, const auto& is) {
    const auto found = std::ranges::find_if(rule.modes, [&](const BlockMode& mode) { return is(mode.pattern); });
    if (found == rule.modes.end()) return std::nullopt;
    return static_cast<uint32_t>(found - rule.modes.begin());
}

void halve_by_powers_of_two(BlockMode& mode) {
    mode.row = mode.span = {.minify = Minify::shifted_pow2, .first = mode.row.unit, .unit = mode.row.unit};
    mode.rows.minify = Minify::own_pow2;
}

}  // namespace

std::optional<Rule> with_amd_levels(const Rule& one_level) {
    Rule rule = one_level;
    rule.max_levels = static_cast<uint32_t>(std::bit_width(std::ranges::max(rule.max_extent_px)));
    // Such a rule may have been known already, of another chip.
    if (rule.padded_layers) return rule;
    const auto is_small = [](const Pattern& pattern) { return pattern.tile == Coord{8, 8, 1, 1}; };
    const auto is_large = [&](const Pattern& pattern) { return !pattern.is_linear() && !is_small(pattern); };
    const auto large = mode_with(rule, is_large), small = mode_with(rule, is_small),
               rows = mode_with(rule, [](const Pattern&pattern) { return pattern.is_linear(); });
    const bool are_all_known = rule.modes.size() == size_t{large.has_value()} + small.has_value() + rows.has_value();
    if (!large || !small || !are_all_known || !rule.choices.empty()) return std::nullopt;
    halve_by_powers_of_two(rule.modes[*large]);
    halve_by_powers_of_two(rule.modes[*small]);
    const Coord block = rule.modes[*large].pattern.tile;
    rule.budget.candidates = {{.mode = *small},
                              {.mode = *large,
                               .numerator = 3,
                               .denominator = 2,
                               .bounds = {{.feature = Feature::width0, .min = block[axis_x]},
                                          {.feature = Feature::height0, .min = block[axis_y]}},
                               .of_texels = true}};
    const Bound of_several = {.feature = Feature::levels, .min = 2};
    if (rows) {
        const auto add = [&](const BlockMode& mode) {
            rule.modes.push_back(mode);
            return static_cast<uint32_t>(rule.modes.size() - 1);
        };
        const uint64_t least_slice = std::max<uint64_t>(pipe_interleave_bytes, uint64_t{64} * rule.element.bytes);
        rule.modes[*rows].grown_slice = least_slice;
        // Rows of images of several levels, which are shorter than those of a single level.
        BlockMode several = rule.modes[*rows];
        const uint64_t row_unit = std::max<uint64_t>(64, uint64_t{8} * rule.element.bytes);
        several.row = several.span = {.minify = Minify::shifted_pow2, .first = row_unit, .unit = row_unit};
        several.rows.minify = Minify::own_pow2;
        // Tiles below a level 0 of a single row, whose width they have, halved.
        BlockMode below_row = rule.modes[*small];
        below_row.row.first = below_row.span.first = std::max(below_row.row.unit, least_slice);
        const uint32_t in_rows = add(several), in_tiles_below = add(below_row);
        const Bound of_one = {.feature = Feature::levels, .max = 1}, one_row = {.feature = Feature::height0, .max = 1},
                    two_rows = {.feature = Feature::height0, .max = 2}, wide = {.feature = Feature::width0, .min = 9},
                    level_0 = {.feature = Feature::level, .max = 0};
        if (rule.image_type == ImageType::one_d)
            rule.choices = {{*rows, {of_one}}, {in_rows, {of_several}}};
        else
            rule.choices = {{*rows, {of_one, one_row}},
                            {*rows, {of_one, two_rows, wide}},
                            {in_rows, {of_several, two_rows, wide}},
                            {in_rows, {of_several, one_row, level_0}},
                            {in_tiles_below, {of_several, one_row}}};
    }
    rule.choices.push_back({*large,
                            {of_several,
                             {.feature = Feature::ceil_width, .min = block[axis_x] / 2 + 1},
                             {.feature = Feature::height, .min = block[axis_y] / 2 + 1}}});
    rule.choices.push_back({*small, {of_several}});
    for (BlockMode& mode : rule.modes) {
        mode.image_unit = 1;
        mode.level_unit = pipe_interleave_bytes;
    }
    rule.padded_layers = true;
    rule.layers_inside = true;
    return rule;
}

}  // namespace tilewise
