#include "patterns/convert/assemble.h"
#include "patterns/convert/checked.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include <algorithm>

namespace tilewise {

namespace {

constexpr std::array in_space = {axis_x, axis_y, axis_z};

uint64_t checked_round_up(uint64_t value, uint64_t multiple) {
    return round_up(checked_sum(value, multiple - 1) - (multiple - 1), multiple);
}

/// Bytes up to the end of the part's last tile or, if its memory is known, of its last block; rows are as long as a
/// given pitch.
uint64_t end_in_memory(const Layout& layout, const Coord& extent, const PartMemory* memory, bool has_pitch) {
    const Pattern& pattern = layout.pattern;
    if (!memory) return tiled_bytes(layout, whole_tiles(pattern, extent));
    // A stride is zero along an axis on which the image has one tile, and its padding may have several.
    const uint64_t dense = checked_product(element_count(memory->whole), pattern.element.bytes);
    uint64_t bytes = std::max(dense, tiled_bytes(layout, {{}, memory->whole}) - layout.base);
    if (has_pitch) {
        const auto tiles = [&](Axis a) { return ceil_div(memory->whole[a], pattern.tile[a]); };
        bytes = std::max(bytes, checked_product(layout.stride[axis_y], checked_product(tiles(axis_y), tiles(axis_z))));
    }
    return checked_sum(layout.base, checked_round_up(bytes, memory->unit_bytes));
}

}  // namespace

bool SaidStrides::any_of_tiles() const {
    return pitch || std::ranges::any_of(tile, [](const auto& stride) { return stride.has_value(); });
}

std::optional<StrideFault> apply_strides(const SaidStrides& said, Layout& layout, const Coord& extent) {
    const Pattern& pattern = layout.pattern;
    if (said.pitch) {
        if (pattern.order != all_axes) return StrideFault{StrideFault::pitch_of_columns};
        const Coord whole = whole_tiles(pattern, extent).extent;
        const uint64_t rows = whole[axis_y] / pattern.tile[axis_y];
        uint64_t slice = 0;
        if (__builtin_mul_overflow(*said.pitch, pattern.tile[axis_y], &layout.stride[axis_y]) ||
            __builtin_mul_overflow(layout.stride[axis_y], rows, &slice))
            return StrideFault{StrideFault::pitch_beyond_64_bits, *said.pitch};
        const uint64_t columns = whole[axis_x] / pattern.tile[axis_x];
        uint64_t row = pattern.tile_bytes;
        const bool overflows =
            columns > 1 && __builtin_mul_overflow(said.tile[axis_x].value_or(layout.stride[axis_x]), columns, &row);
        if (rows > 1 && (overflows || row > layout.stride[axis_y]))
            return StrideFault{StrideFault::pitch_too_small, *said.pitch, axis_x, ceil_div(row, pattern.tile[axis_y])};
        if (layout.stride[axis_z] != 0) layout.stride[axis_z] = slice;
    }
    for (const Axis a : in_space)
        if (said.tile[a]) layout.stride[a] = *said.tile[a];
    if (said.constant) layout.constant = *said.constant;
    if (layout.constant >= pattern.tile_bytes / pattern.offset_unit())
        return StrideFault{StrideFault::constant_beyond_tile, layout.constant};
    for (const Axis a : in_space)
        if (extent[a] > pattern.tile[a] && layout.stride[a] == 0) return StrideFault{StrideFault::missing, 0, a};
    return std::nullopt;
}

bool says_all_strides(const SaidStrides& said, const Pattern& pattern, const Coord& extent) {
    return std::ranges::all_of(in_space, [&](const Axis a) {
        return extent[a] <= pattern.tile[a] || said.tile[a] || (a == axis_y && said.pitch);
    });
}

std::variant<AssembledParts, StrideFault> assemble(const ImageShape& shape, Aspect aspect,
                                                   std::span<const std::optional<KnownPart>> known,
                                                   const SaidStrides& said) {
    std::vector<Subresource> parts;
    uint64_t end = 0;  // of everything before, in whole tiles
    uint64_t layer_stride = said.layer.value_or(0);
    for (uint32_t layer = 0; layer < shape.layers; layer++)
        for (uint32_t level = 0; level < shape.levels; level++) {
            Subresource part = {aspect, level, layer, 1, 0, level_extent_px(shape.extent_px, level), {}};
            Layout& layout = part.layout;
            if (const auto& seen = known[parts.size()]) {
                layout = seen->layout;
                if (!seen->is_placed) layout.base = checked_round_up(end, layout.pattern.tile_bytes);
            } else {
                layout = parts[level].layout;
                layout.base = checked_sum(layout.base, layer_stride * layer);
            }
            const Coord extent = elements_of(part.extent_px, layout.pattern.element, shape.samples);
            if (shape.levels == 1)
                if (const std::optional<StrideFault> fault = apply_strides(said, layout, extent)) return *fault;
            const std::optional<KnownPart>& first = known[level];
            const PartMemory* memory = first && first->memory ? &*first->memory : nullptr;
            if (memory) layout.constant ^= gf2::apply(memory->layer_xor, layer);
            end = std::max(end, end_in_memory(layout, extent, memory, said.pitch.has_value()));
            parts.push_back(std::move(part));
            if (layer == 0 && level + 1 == shape.levels && !said.layer)
                layer_stride = checked_round_up(end, parts.front().layout.pattern.tile_bytes);
        }
    const uint64_t bytes = end - parts.front().layout.base;
    return AssembledParts{join_layers(std::move(parts)), layer_stride, bytes};
}

void move_image(ImageLayout& image, uint64_t from, uint64_t to) {
    for (Subresource& part : image.subresources) part.layout.base = checked_sum(part.layout.base - from, to);
}

}  // namespace tilewise
