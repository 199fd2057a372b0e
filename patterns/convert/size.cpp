// How many bytes the two sides of a conversion need, proved against overflow: extents and strides come from files.
#include "patterns/convert/checked.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// Bytes from the start of the memory to the tile.
uint64_t tile_place(const Layout& layout, const Coord& tile) {
    uint64_t shift = 0;
    for (Axis a : all_axes) shift = checked_sum(shift, checked_product(tile[a], layout.stride[a]));
    const uint64_t bytes = layout.pattern.tile_bytes, index = layout.pattern.index_xor(tile);
    if (index != 0) shift = checked_product((shift / bytes) ^ index, bytes);
    return checked_sum(layout.base, shift);
}

/// Bytes up to the last of the box's elements in that tile.
uint64_t end_of_tile(const Layout& layout, const Box& box, const Coord& tile) {
    const Pattern& pattern = layout.pattern;
    std::array<std::vector<uint64_t>, axis_count> inner;
    for (Axis a : all_axes) {
        const uint64_t start = uint64_t{tile[a]} * pattern.tile[a];
        const uint64_t begin = std::max<uint64_t>(start, box.from[a]);
        const uint64_t end = std::min(start + pattern.tile[a], uint64_t{box.from[a]} + box.extent[a]);
        for (uint64_t v = begin; v < end; v++)
            inner[a].push_back(pattern.equation.axis(a, static_cast<uint32_t>(v - start)));
    }
    const uint64_t outer = pattern.outer_xor(tile) ^ layout.constant;
    uint64_t last = 0;
    for (uint64_t s : inner[axis_s])
        for (uint64_t z : inner[axis_z])
            for (uint64_t y : inner[axis_y])
                for (uint64_t x : inner[axis_x]) last = std::max(last, x ^ y ^ z ^ s ^ outer);
    const uint64_t within = checked_sum(checked_product(last, pattern.offset_unit()), pattern.element.bytes);
    return checked_sum(tile_place(layout, tile), within);
}

}  // namespace

Pitch full_pitch(const Element& element, const Coord& extent, Pitch pitch) {
    const auto fill = [](uint64_t& given, uint64_t min_bytes, const char* what) {
        if (given == 0) given = min_bytes;
        if (given < min_bytes)
            throw Error(fmt::format("a pitch of {} bytes is too small for a {} of {} bytes", given, what, min_bytes));
    };
    fill(pitch.row, checked_product(extent[axis_x], element.bytes), "row");
    fill(pitch.slice, checked_product(extent[axis_y], pitch.row), "slice");
    fill(pitch.sample, checked_product(extent[axis_z], pitch.slice), "sample");
    return pitch;
}

uint64_t rows_bytes(const Element& element, const Coord& extent, Pitch pitch) {
    pitch = full_pitch(element, extent, pitch);
    uint64_t bytes = checked_product(extent[axis_x], element.bytes);
    bytes = checked_sum(bytes, checked_product(extent[axis_y] - 1, pitch.row));
    bytes = checked_sum(bytes, checked_product(extent[axis_z] - 1, pitch.slice));
    return checked_sum(bytes, checked_product(extent[axis_s] - 1, pitch.sample));
}

Box whole_tiles(const Pattern& pattern, const Coord& extent) {
    Box box;
    for (Axis a : all_axes) box.extent[a] = static_cast<uint32_t>(round_up(extent[a], pattern.tile[a]));
    return box;
}

uint64_t tiled_bytes(const Layout& layout, const Box& box) {
    const Pattern& pattern = layout.pattern;
    Box tiles;
    bool last_is_highest = pattern.index_xor.is_zero();
    for (Axis a : all_axes) {
        const uint64_t last = uint64_t{box.from[a]} + box.extent[a] - 1;
        tiles.from[a] = box.from[a] / pattern.tile[a];
        tiles.extent[a] = static_cast<uint32_t>(last / pattern.tile[a]) - tiles.from[a] + 1;
        if (tiles.extent[a] > 1) last_is_highest = last_is_highest && layout.stride[a] >= pattern.tile_bytes;
    }
    Coord last{};
    for (Axis a : all_axes) last[a] = tiles.from[a] + tiles.extent[a] - 1;
    uint64_t bytes = end_of_tile(layout, box, last);
    if (last_is_highest) return bytes;
    for (uint64_t i = 0; i < element_count(tiles.extent); i++) {
        Coord tile = element_at_index(tiles.extent, i);
        for (Axis a : all_axes) tile[a] += tiles.from[a];
        // A tile that cannot reach further needs no closer look.
        if (checked_sum(tile_place(layout, tile), pattern.tile_bytes) > bytes)
            bytes = std::max(bytes, end_of_tile(layout, box, tile));
    }
    return bytes;
}

Layout dense_layout(const Pattern& pattern, const Coord& extent) {
    Layout layout;
    layout.pattern = pattern;
    uint64_t next = pattern.tile_bytes, changed = 0;
    for (Axis a : pattern.order) {
        const uint64_t tiles = ceil_div(extent[a], pattern.tile[a]);
        for (uint64_t column : pattern.index_xor.columns[a]) changed |= column;
        if (tiles == 1) continue;
        // F changes low bits of the tile index, which the strides leave free: see index_xor_is_one_to_one.
        if (changed >> 62 != 0) throw Error(beyond_64_bits);
        const uint64_t step = checked_product(pattern.tile_bytes, std::bit_ceil(changed + 1));
        if (changed != 0) next = checked_product((next - 1) / step + 1, step);
        layout.stride[a] = next;
        next = checked_product(next, tiles);
    }
    return layout;
}

}  // namespace tilewise
