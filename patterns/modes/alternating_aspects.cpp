#include "patterns/modes/alternating_aspects.h"
#include "patterns/model/table.h"
#include "patterns/solve/solve.h"
#include <algorithm>
#include <map>

namespace tilewise {

namespace {

constexpr uint64_t gob_bytes = 512, pair_bytes = 2 * gob_bytes;
constexpr uint32_t gob_side = 8;

Element element_of_aspect(Aspect aspect) { return {.bytes = aspect == Aspect::depth ? 4U : 1U}; }

/// How coordinates change the place within a GOB.
LinearMap order_in_gob(Aspect aspect) {
    const uint64_t unit = element_of_aspect(aspect).bytes;
    LinearMap order;
    order.columns[axis_x] = {unit, 2 * unit, 32 * unit};
    order.columns[axis_y] = {4 * unit, 8 * unit, 16 * unit};
    return order;
}

/// Where an aspect's part of the GOB lies, counted from the start of the aspect.
uint64_t place_of_gob(uint64_t wide) {
    return wide / pair_bytes * pair_bytes + wide % pair_bytes / gob_bytes * (gob_bytes / 2);
}

/// The layout if tiles are whole pairs of GOBs: then each bit of a GOB's offset moves by itself.
Layout of_whole_pairs(Layout layout, Aspect aspect) {
    Pattern& pattern = layout.pattern;
    pattern.element = element_of_aspect(aspect);
    const LinearMap in_gob = order_in_gob(aspect);
    uint64_t used = pattern.element.bytes - 1;
    for (const Axis a : all_axes) {
        gf2::Columns& columns = pattern.equation.columns[a];
        for (size_t bit = 0; bit < columns.size(); bit++) {
            columns[bit] = bit < in_gob.columns[a].size() ? in_gob.columns[a][bit] : place_of_gob(columns[bit]);
            used |= columns[bit];
        }
    }
    while (pattern.tile_bytes / 2 > used) pattern.tile_bytes /= 2;
    return layout;
}

std::optional<Layout> solved(const Layout& wide, const Coord& extent, Aspect aspect) {
    constexpr uint64_t most_elements = 1 << 20;
    const uint64_t count = element_count(extent);
    if (count > most_elements) return {};
    const LinearMap in_gob = order_in_gob(aspect);
    Table table = {.element = element_of_aspect(aspect), .extent = extent, .offsets = {}, .faults = {}};
    table.offsets.reserve(count);
    for (uint64_t i = 0; i < count; i++) {
        const Coord at = element_at_index(extent, i);
        Coord gob = at, inside = {};
        for (const Axis a : {axis_x, axis_y}) {
            inside[a] = at[a] % gob_side;
            gob[a] -= inside[a];
        }
        table.offsets.push_back(place_of_gob(offset_of(wide, gob)) + in_gob(inside));
    }
    const Solution solution = solve(table);
    if (solution.fit != Fit::exact) return {};
    return solution.layout;
}

/// Whether the first 8x8 elements, as far as a tile has them, lie within one GOB of their own.
bool has_gobs(const Pattern& pattern) {
    if (pattern.element.bytes != gob_bytes / (gob_side * gob_side)) return false;
    for (const Axis a : {axis_x, axis_y})
        for (uint32_t at = 1; at < std::min(gob_side, pattern.tile[a]); at *= 2)
            if (pattern.equation.axis(a, at) >= gob_bytes) return false;
    return true;
}

std::optional<Layout> layout_of(const Layout& wide, const Coord& extent, Aspect aspect) {
    const Pattern& pattern = wide.pattern;
    if (!has_gobs(pattern)) return {};
    const auto is_whole = [](uint64_t bytes) { return bytes % pair_bytes == 0; };
    const bool whole = is_whole(wide.base) && is_whole(pattern.tile_bytes) &&
                       std::ranges::all_of(wide.stride, is_whole) && wide.constant == 0 &&
                       pattern.outer_xor.is_zero() && pattern.index_xor.is_zero() &&
                       std::min(pattern.tile[axis_x], pattern.tile[axis_y]) >= gob_side;
    std::optional<Layout> layout = whole ? of_whole_pairs(wide, aspect) : solved(wide, extent, aspect);
    if (layout && aspect == Aspect::stencil) layout->base += gob_bytes;
    return layout;
}

}  // namespace

std::optional<ImageLayout> alternate(const ImageKind& kind, const ImageLayout& wide) {
    ImageLayout image;
    static_cast<ImageKind&>(image) = kind;
    image.bytes = wide.bytes;
    image.alignment = wide.alignment;
    std::vector<Subresource> parts;
    for (const Aspect aspect : {Aspect::depth, Aspect::stencil})
        for (const Subresource& level : wide.subresources) {
            // Layers that begin equally far within a pair are alike.
            std::map<uint64_t, Layout> within_pair;
            for (uint32_t layer = level.layer; layer < level.layer + level.layers; layer++) {
                Layout alone = layout_of_layer(level, layer);
                const uint64_t pairs = alone.base / pair_bytes * pair_bytes;
                alone.base -= pairs;
                auto known = within_pair.find(alone.base);
                if (known == within_pair.end()) {
                    const std::optional<Layout> layout = layout_of(alone, extent_el(wide, level), aspect);
                    if (!layout) return {};
                    known = within_pair.emplace(alone.base, *layout).first;
                }
                Layout layout = known->second;
                layout.base += pairs;
                parts.push_back({aspect, level.level, layer, 1, 0, level.extent_px, std::move(layout)});
            }
        }
    image.subresources = join_layers(std::move(parts));
    return image;
}

}  // namespace tilewise
