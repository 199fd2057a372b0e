#include "patterns/model/bits.h"
#include "patterns/model/one_to_one.h"
#include "patterns/rules/learn/placing.h"
#include "patterns/rules/rule.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tilewise {

namespace {

/// The number of blocks of a level by quartering: level 0's tiles without their low bits, plus those that the low bits
/// leave over.
uint64_t quartered_blocks(const BlockMode& mode, const LevelShape& level) {
    LevelShape first = level;
    first.level = 0;
    first.extent_px = level.extent0_px;
    const uint64_t x = ceil_div(minified_el(Minify::ceil, first, 0), mode.pattern.tile[axis_x]);
    const uint64_t y = ceil_div(minified_el(Minify::ceil, first, 1), mode.pattern.tile[axis_y]);
    const unsigned l = level.level;
    const uint64_t low = (uint64_t{1} << l) - 1;
    uint64_t blocks = (x * y) >> (2 * l);
    if (x & low) blocks += y >> l;
    if (y & low) blocks += x >> l;
    return blocks + ((x & low) && (y & low));
}

/// The first level that lies in the tail; the number of levels if there is none.
uint32_t first_in_tail(const Rule& rule, const ImageKind& image, const std::vector<PlacedLevel>& levels) {
    const uint32_t mode = levels[0].mode;
    const std::optional<Tail>& tail = rule.modes[mode].tail;
    uint32_t first = image.levels;
    if (!tail) return first;
    for (uint32_t l = image.levels; l-- > 0;) {
        if (levels[l].mode != mode || !holds(tail->bounds, levels[l].shape, rule.modes[mode])) break;
        first = l;
    }
    return first;
}

void trim_to(LinearMap& map, const Coord& extent, const Coord& tile) {
    for (Axis a : all_axes) {
        const uint32_t tiles = ceil_div(extent[a], tile[a]);
        const auto bits = static_cast<size_t>(std::bit_width(tiles - 1));
        if (map.columns[a].size() > bits) map.columns[a].resize(bits);
    }
    map.trim();
}

}  // namespace

LevelShape shape_of(const Rule& rule, const ImageKind& image, uint32_t level) {
    LevelShape shape = {level_extent_px(image.extent_px, level), image.extent_px, rule.element, level, image.levels};
    const uint32_t layers = rule.padded_layers && image.levels > 1 ? std::bit_ceil(image.layers) : image.layers;
    shape.inner_layers = rule.layers_inside ? layers : 1;
    shape.inner_samples = rule.samples_outside ? 1 : rule.samples;
    const auto largest =
        std::ranges::max_element(rule.modes, {}, [](const BlockMode& m) { return m.pattern.tile_bytes; });
    if (largest == rule.modes.end()) return shape;
    const Coord& tile = largest->pattern.tile;
    LevelShape at = shape;
    for (at.level = 0; at.level < level; at.level++) {
        at.extent_px = level_extent_px(image.extent_px, at.level);
        if (minified_el(Minify::floor, at, 0) < tile[axis_x] || minified_el(Minify::floor, at, 1) < tile[axis_y]) break;
    }
    shape.first_below = at.level;
    return shape;
}

uint64_t minified_el(Minify minify, const LevelShape& level, unsigned axis) {
    const uint32_t divisors[] = {level.element.width, level.element.height, 1};
    const uint64_t first_el = ceil_div(level.extent0_px[axis], divisors[axis]);
    switch (minify) {
        case Minify::floor:
            return ceil_div(level.extent_px[axis], divisors[axis]);
        case Minify::ceil:
            return ceil_div(first_el, uint64_t{1} << level.level);
        case Minify::pow2:
            return std::max<uint64_t>(std::bit_ceil(first_el) >> level.level, 1);
        case Minify::shifted:
            return first_el;
        case Minify::below: {
            LevelShape first = level;
            first.level = level.first_below;
            first.extent_px = level_extent_px(level.extent0_px, first.level);
            const uint64_t whole = std::bit_ceil(minified_el(Minify::floor, first, axis));
            return std::max<uint64_t>(whole >> (level.level - first.level), 1);
        }
        case Minify::shifted_pow2:
            return level.levels > 1 ? std::bit_ceil(first_el) : first_el;
        case Minify::own_pow2: {
            const uint64_t own = minified_el(Minify::floor, level, axis);
            return level.levels > 1 ? std::bit_ceil(own) : own;
        }
    }
    return 0;
}

uint64_t length_of(const Length& length, const LevelShape& level, unsigned axis) {
    const uint64_t unit = axis == 0 ? uint64_t{level.element.bytes} * level.inner_samples : 1;
    uint64_t value = minified_el(length.minify, level, axis) * unit;
    value = round_up(value, length.first);
    if (length.minify == Minify::shifted || length.minify == Minify::shifted_pow2)
        value = std::max<uint64_t>(value >> level.level, 1);
    return round_up(value, length.unit);
}

uint64_t row_bytes(const BlockMode& mode, const Length& row, const LevelShape& level) {
    const uint64_t bytes = length_of(row, level, 0);
    if (mode.grown_slice == 1) return bytes;
    const uint64_t rows = length_of(mode.rows, level, 1);
    return round_up(bytes, std::lcm(row.unit, mode.grown_slice / std::gcd(mode.grown_slice, rows)));
}

uint64_t feature_of(Feature feature, const LevelShape& level, const BlockMode& mode) {
    LevelShape first = level;
    first.extent_px = level.extent0_px;
    switch (feature) {
        case Feature::width0:
            return minified_el(Minify::floor, first, 0);
        case Feature::height0:
            return minified_el(Minify::floor, first, 1);
        case Feature::depth0:
            return minified_el(Minify::floor, first, 2);
        case Feature::width:
            return minified_el(Minify::floor, level, 0);
        case Feature::height:
            return minified_el(Minify::floor, level, 1);
        case Feature::depth:
            return minified_el(Minify::floor, level, 2);
        case Feature::ceil_width:
            return minified_el(Minify::ceil, level, 0);
        case Feature::ceil_height:
            return minified_el(Minify::ceil, level, 1);
        case Feature::ceil_depth:
            return minified_el(Minify::ceil, level, 2);
        case Feature::levels:
            return level.levels;
        case Feature::levels_below:
            return level.levels - 1 - level.level;
        case Feature::row_multiple: {
            const uint64_t row =
                row_bytes(mode, mode.row, level) * mode.pattern.tile[axis_y] * mode.pattern.tile[axis_z];
            const uint64_t blocks = std::max<uint64_t>(row / mode.pattern.tile_bytes, 1);
            return blocks & (~blocks + 1);
        }
        case Feature::width_px:
            return level.extent_px[0];
        case Feature::level:
            return level.level;
    }
    return 0;
}

bool holds(const std::vector<Bound>& bounds, const LevelShape& level, const BlockMode& mode) {
    return std::ranges::all_of(bounds, [&](const Bound& b) {
        const uint64_t value = feature_of(b.feature, level, mode);
        return value >= b.min && value <= b.max;
    });
}

uint64_t slice_bytes(const BlockMode& mode, const LevelShape& level, uint64_t rows_unit) {
    if (level.kept_slice != 0) return level.kept_slice;
    if (mode.quartered) return quartered_blocks(mode, level) * mode.pattern.tile_bytes / mode.pattern.tile[axis_z];
    const uint64_t bytes = row_bytes(mode, mode.span, level) * round_up(length_of(mode.rows, level, 1), rows_unit);
    return round_up(std::max(bytes, level.least_slice), mode.slice_unit);
}

namespace {

/// The bytes of one layer of the level.
uint64_t layer_bytes(const BlockMode& mode, const LevelShape& level, bool slices_outside, uint64_t rows_unit) {
    const uint64_t slices = slices_outside ? mode.pattern.tile[axis_z] : length_of(mode.slices, level, 2);
    return slice_bytes(mode, level, rows_unit) * slices;
}

}  // namespace

uint64_t level_bytes(const BlockMode& mode, const LevelShape& level, bool slices_outside, uint64_t rows_unit) {
    return round_up(layer_bytes(mode, level, slices_outside, rows_unit) * level.inner_layers, mode.level_unit);
}

namespace {

/// The bytes that an image would take in the mode, without rounding.
uint64_t image_bytes(const Rule& rule, const BlockMode& mode, const ImageKind& image) {
    const bool outside = slices_are_outside(rule);
    uint64_t bytes = 0;
    for (uint32_t l = 0; l < image.levels; l++) {
        const LevelShape level = shape_of(rule, image, l);
        if (mode.tail && holds(mode.tail->bounds, level, mode)) {
            bytes += mode.alignment;
            break;
        }
        bytes += level_bytes(mode, level, outside);
    }
    if (outside) bytes *= ceil_div(image.extent_px[2], mode.pattern.tile[axis_z]);
    return bytes;
}

uint64_t texel_bytes(const Rule& rule, const ImageKind& image) {
    const LevelShape first = shape_of(rule, image, 0);
    const uint64_t sides[] = {rule.element.width, rule.element.height, 1};  // texels of an element
    uint64_t bytes = 0;
    for (uint32_t l = 0; l < image.levels; l++) {
        uint64_t elements = 1;
        for (unsigned axis = 0; axis < 3; axis++) {
            const uint64_t whole = minified_el(Minify::floor, first, axis) * sides[axis];
            elements *= ceil_div(std::max<uint64_t>(whole >> l, 1), sides[axis]);
        }
        bytes += elements * rule.element.bytes * first.inner_samples;
    }
    return bytes;
}

/// Estimates the bytes that an image would take in the mode: level 0 in whole blocks, or in rows, and each further
/// level half of that along each axis, up to the first level that takes half a block or less with all its layers. If
/// there are several levels, level 0's width and height in blocks count as rounded up to powers of two.
uint64_t halved_bytes(const Rule& rule, const BlockMode& mode, const ImageKind& image) {
    const LevelShape first = shape_of(rule, image, 0);
    const bool in_rows = mode.pattern.is_linear();
    uint64_t lengths[3];
    for (unsigned axis = 0; axis < 3; axis++) {
        const Minify minify = image.levels > 1 && !in_rows && axis < 2 ? Minify::pow2 : Minify::floor;
        lengths[axis] = round_up(minified_el(minify, first, axis), mode.pattern.tile[axis]);
    }
    lengths[0] = in_rows ? length_of(mode.span, first, 0) : lengths[0] * rule.element.bytes * first.inner_samples;
    uint64_t bytes = 0;
    for (uint32_t l = 0; l < image.levels; l++) {
        uint64_t level = image.layers;
        for (const uint64_t length : lengths) level *= std::max<uint64_t>(length >> l, 1);
        bytes += level;
        if (level <= mode.pattern.tile_bytes / 2) break;
    }
    return bytes;
}

}  // namespace

ByteRatio byte_ratio(const Rule& rule, const Budget& budget, const Candidate& candidate, const ImageKind& image,
                     const BudgetState& state) {
    const BlockMode& mode = rule.modes[candidate.mode];
    const uint64_t bytes = budget.halved ? halved_bytes(rule, mode, image) : image_bytes(rule, mode, image);
    const uint64_t layers = budget.halved ? image.layers : shape_of(rule, image, 0).inner_layers;
    return {bytes, candidate.of_texels ? texel_bytes(rule, image) * layers : state.bytes};
}

BudgetState after(const Rule& rule, const Budget& budget, const Candidate& candidate, const ImageKind& image,
                  const BudgetState& before) {
    if (!candidate.bounds.empty() && !holds(candidate.bounds, shape_of(rule, image, 0), rule.modes[candidate.mode]))
        return before;
    const auto [bytes, against] = byte_ratio(rule, budget, candidate, image, before);
    if (before.mode && bytes * candidate.denominator > against * candidate.numerator) return before;
    return {candidate.mode, bytes};
}

std::optional<double> fraction_of(const Rule& rule, size_t candidate, const ImageKind& image) {
    const LevelShape level0 = shape_of(rule, image, 0);
    for (const Choice& choice : rule.choices)
        if (holds(choice.bounds, level0, rule.modes[choice.mode])) return std::nullopt;
    const Budget& budget = rule.budget;
    const Candidate& asked = budget.candidates[candidate];
    if (!holds(asked.bounds, level0, rule.modes[asked.mode])) return std::nullopt;
    BudgetState state;
    for (size_t k = 0; k < candidate; k++) state = after(rule, budget, budget.candidates[k], image, state);
    if (!state.mode) return std::nullopt;
    return byte_ratio(rule, budget, asked, image, state).fraction();
}

std::optional<std::vector<uint32_t>> modes_of(const Rule& rule, const ImageKind& image) {
    std::vector<uint32_t> modes(image.levels);
    BudgetState by_budget;
    for (uint32_t l = 0; l < image.levels; l++) {
        const LevelShape level = shape_of(rule, image, l);
        const auto chosen = std::ranges::find_if(
            rule.choices, [&](const Choice& c) { return holds(c.bounds, level, rule.modes[c.mode]); });
        if (chosen != rule.choices.end()) {
            modes[l] = chosen->mode;
            continue;
        }
        if (rule.budget.candidates.empty()) return std::nullopt;
        if (!by_budget.mode)
            for (const Candidate& candidate : rule.budget.candidates)
                by_budget = after(rule, rule.budget, candidate, image, by_budget);
        if (!by_budget.mode) return std::nullopt;
        modes[l] = *by_budget.mode;
    }
    return modes;
}

uint32_t layers_known(const BlockMode& mode) {
    if (mode.layer_xor.empty() || mode.layer_xor.back() == 0) return max_image_layers;
    return static_cast<uint32_t>(((uint64_t{1} << mode.layer_xor.size()) - 1) / mode.layer_factor) + 1;
}

PlacedImage place(const Rule& rule, const ImageKind& wanted) {
    PlacedImage out;
    const auto refuse = [&](std::string why) {
        out.why_not = std::move(why);
        return out;
    };
    if (wanted.samples != rule.samples)
        return refuse(fmt::format("the rule is of images of {} sample{}", rule.samples, rule.samples == 1 ? "" : "s"));
    for (unsigned a = 0; a < 3; a++)
        if (wanted.extent_px[a] > rule.max_extent_px[a])
            return refuse(
                fmt::format("the rule holds up to {} texels along {}", rule.max_extent_px[a], axis_name(all_axes[a])));
    if (wanted.levels > rule.max_levels || wanted.layers > rule.max_layers)
        return refuse(fmt::format("the rule holds up to {} levels and {} layers", rule.max_levels, rule.max_layers));
    const auto modes = modes_of(rule, wanted);
    if (!modes) return refuse("no mode of the rule is chosen for a level");

    out.levels.resize(wanted.levels);
    for (uint32_t l = 0; l < wanted.levels; l++) {
        PlacedLevel& level = out.levels[l];
        level.mode = (*modes)[l];
        level.shape = shape_of(rule, wanted, l);
        if (!rule.quarter_slices || l == 0) continue;
        const auto slice_of = [&](uint32_t of) {
            return slice_bytes(rule.modes[out.levels[of].mode], out.levels[of].shape);
        };
        const auto is_even = [&](uint32_t of) {
            const Length& row = rule.modes[out.levels[of].mode].row;
            return length_of(row, out.levels[of].shape, 0) / row.unit % 2 == 0;
        };
        const bool ended = l > 1 && (!is_even(l - 2) || slice_of(l - 1) * 4 != slice_of(l - 2));
        if (ended || out.levels[l - 1].shape.kept_slice != 0)
            level.shape.kept_slice = slice_of(l - 1);
        else if (is_even(l - 1))
            level.shape.least_slice = slice_of(l - 1) / 4;
    }
    const bool outside = slices_are_outside(rule);
    const uint32_t in_tail = first_in_tail(rule, wanted, out.levels);
    const BlockMode& first = rule.modes[out.levels[0].mode];
    if (in_tail < wanted.levels && wanted.levels - in_tail > first.tail->constants.size())
        return refuse(fmt::format("the rule knows tails of {} levels", first.tail->constants.size()));
    const uint32_t known_layers = layers_known(first);
    if (wanted.layers > known_layers)
        return refuse(fmt::format("the rule holds up to {} layers of such images", known_layers));

    uint64_t end = 0;
    std::optional<uint64_t> tail_base;
    for (uint32_t i = 0; i < wanted.levels; i++) {
        const uint32_t l = rule.smallest_first ? wanted.levels - 1 - i : i;
        PlacedLevel& level = out.levels[l];
        const auto bytes_in = [&](const BlockMode& mode) {
            return level_bytes(mode, level.shape, outside, l + 1 == wanted.levels ? rule.last_rows : 1);
        };
        level.bytes = bytes_in(rule.modes[level.mode]);
        if (rule.bare_end && i + 1 == wanted.levels && i > 0 && wanted.layers == 1) {
            BlockMode mode = rule.modes[level.mode];
            mode.span = mode.row;
            level.bytes = bytes_in(mode);
        }
        if (l >= in_tail) {
            if (!tail_base) {
                tail_base = end;
                end += first.alignment;
            }
            level.base = *tail_base;
            level.constant = first.tail->constants[l - in_tail];
            continue;
        }
        level.base = end;
        end += level.bytes;
    }
    if (rule.whole_chain && wanted.levels > 1) {
        ImageKind whole;
        whole.extent_px = wanted.extent_px;
        whole.layers = wanted.layers;
        whole.levels = static_cast<uint32_t>(std::bit_width(std::ranges::max(wanted.extent_px)));
        const auto all_modes = modes_of(rule, whole);
        if (!all_modes) return refuse("no mode of the rule is chosen for a level");
        for (uint32_t l = wanted.levels; l < whole.levels; l++)
            end += level_bytes(rule.modes[(*all_modes)[l]], shape_of(rule, whole, l), outside);
    }
    out.outer =
        outside ? ceil_div(wanted.extent_px[2], first.pattern.tile[axis_z]) : (rule.layers_inside ? 1 : wanted.layers);
    out.outer_bytes = end;
    out.outer_stride = out.outer > 1 ? round_up(end, first.layer_unit) : end;
    out.bytes = round_up(out.outer_stride * out.outer, first.image_unit);
    if (rule.samples_outside) {
        out.sample_stride = out.bytes;
        out.bytes *= rule.samples;
    }
    return out;
}

Prediction predict(const Rule& rule, const ImageKind& wanted) {
    const PlacedImage placed = place(rule, wanted);
    if (!placed.why_not.empty()) return {std::nullopt, placed.why_not};
    const bool outside = slices_are_outside(rule);
    const uint64_t stride = placed.outer_stride;
    const BlockMode& first = rule.modes[placed.levels[0].mode];
    ImageLayout image;
    static_cast<ImageKind&>(image) = wanted;
    image.source = LayoutSource::predicted;
    image.bytes = placed.bytes;
    image.alignment = first.alignment;
    image.subresources.clear();
    std::vector<Subresource> parts;
    for (uint32_t l = 0; l < wanted.levels; l++) {
        const PlacedLevel& level = placed.levels[l];
        const BlockMode& mode = rule.modes[level.mode];
        const LevelShape& shape = level.shape;
        Subresource part = {rule.aspect, l, 0, 1, 0, shape.extent_px, {}};
        part.layout.pattern = mode.pattern;
        Pattern& pattern = part.layout.pattern;
        const Coord extent = {static_cast<uint32_t>(minified_el(Minify::floor, shape, 0)),
                              static_cast<uint32_t>(minified_el(Minify::floor, shape, 1)), shape.extent_px[2],
                              rule.samples};
        trim_to(pattern.outer_xor, extent, pattern.tile);
        trim_to(pattern.index_xor, extent, pattern.tile);
        const bool by_span = rule.bare_end && is_single(wanted);
        const uint64_t rows_unit = l + 1 == wanted.levels ? rule.last_rows : 1;
        const uint64_t row = row_bytes(mode, by_span ? mode.span : mode.row, shape);
        const Coord& tile = pattern.tile;
        if (extent[axis_x] > tile[axis_x]) part.layout.stride[axis_x] = pattern.tile_bytes;
        if (extent[axis_y] > tile[axis_y]) part.layout.stride[axis_y] = row * tile[axis_y] * tile[axis_z];
        if (extent[axis_z] > tile[axis_z])
            part.layout.stride[axis_z] = outside ? stride : slice_bytes(mode, shape, rows_unit) * tile[axis_z];
        if (extent[axis_s] > tile[axis_s]) part.layout.stride[axis_s] = placed.sample_stride;
        if (!index_xor_is_one_to_one(part.layout))
            return {std::nullopt, fmt::format("by the rule two blocks of level {} would lie at one place", l)};
        part.layout.base = level.base;
        const uint64_t layer_stride = rule.layers_inside ? layer_bytes(mode, shape, outside, rows_unit) : stride;
        for (uint32_t layer = 0; layer < wanted.layers; layer++) {
            part.layer = layer;
            // A level in a tail may be wider than the part of the block that the constant leaves, because the constant
            // is XORed. The pattern's tile may be smaller than that block: the bits of the constant beyond the tile
            // then place the tile.
            const uint64_t constant =
                mode.constant ^ level.constant ^ gf2::apply(mode.layer_xor, layer * mode.layer_factor);
            const uint64_t unit = pattern.offset_unit(), within = constant & (pattern.tile_bytes / unit - 1);
            part.layout.constant = within;
            part.layout.base = level.base + layer * layer_stride + (constant - within) * unit;
            parts.push_back(part);
        }
    }
    image.subresources = join_layers(std::move(parts));
    return {std::move(image), {}};
}

}  // namespace tilewise
