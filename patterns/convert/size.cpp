// The number of bytes that the two sides of a conversion need, checked against overflow: extents and strides come from
// files.
#include "patterns/convert/checked.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

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

/// The smallest value, and the vectors whose XORs give the others: a part of an axis whose values differ only in low
/// bits.
struct AlignedPart {
    uint64_t start = 0;
    std::span<const uint64_t> columns;
};

/// The equation's values for coordinates from `begin` up to `end`, in at most two parts per coordinate bit.
std::vector<AlignedPart> aligned_parts(const Pattern& pattern, Axis axis, uint64_t begin, uint64_t end) {
    const std::span<const uint64_t> columns = pattern.equation.columns[axis];
    std::vector<AlignedPart> parts;
    while (begin < end) {
        const int fits = static_cast<int>(std::bit_width(end - begin)) - 1;
        const int bits = begin == 0 ? fits : std::min(std::countr_zero(begin), fits);
        parts.push_back({pattern.equation.axis(axis, static_cast<uint32_t>(begin)),
                         columns.first(std::min<size_t>(static_cast<size_t>(bits), columns.size()))});
        begin += uint64_t{1} << bits;
    }
    return parts;
}

/// The largest value of start ^ (any XOR of the columns).
uint64_t largest(uint64_t start, gf2::Columns columns) {
    for (int bit = 63; bit >= 0 && !columns.empty(); bit--) {
        const uint64_t mask = uint64_t{1} << bit;
        const auto pivot = std::ranges::find_if(columns, [&](uint64_t column) { return (column & mask) != 0; });
        if (pivot == columns.end()) continue;
        const uint64_t column = *pivot;
        columns.erase(pivot);
        for (uint64_t& other : columns)
            if ((other & mask) != 0) other ^= column;
        if ((start & mask) == 0) start ^= column;
    }
    return start;
}

/// Bytes up to the last of the box's elements in that tile.
uint64_t end_of_tile(const Layout& layout, const Box& box, const Coord& tile) {
    const Pattern& pattern = layout.pattern;
    std::array<std::vector<AlignedPart>, axis_count> parts;
    for (Axis a : all_axes) {
        const uint64_t start = uint64_t{tile[a]} * pattern.tile[a];
        const uint64_t begin = std::max<uint64_t>(start, box.from[a]);
        const uint64_t end = std::min(start + pattern.tile[a], uint64_t{box.from[a]} + box.extent[a]);
        parts[a] = aligned_parts(pattern, a, begin - start, end - start);
    }
    const uint64_t outer = pattern.outer_xor(tile) ^ layout.constant;
    uint64_t last = 0;
    for (const AlignedPart& s : parts[axis_s])
        for (const AlignedPart& z : parts[axis_z])
            for (const AlignedPart& y : parts[axis_y])
                for (const AlignedPart& x : parts[axis_x]) {
                    gf2::Columns columns;
                    for (const AlignedPart* part : {&s, &z, &y, &x})
                        columns.insert(columns.end(), part->columns.begin(), part->columns.end());
                    last = std::max(last, largest(s.start ^ z.start ^ y.start ^ x.start ^ outer, std::move(columns)));
                }
    const uint64_t within = checked_sum(checked_product(last, pattern.offset_unit()), pattern.element.bytes);
    return checked_sum(tile_place(layout, tile), within);
}

/// Finds the tile that reaches furthest if that need not be the last one. It skips halves of the image that cannot
/// reach as far as a tile that was examined.
class FurthestTile {
public:
    FurthestTile(const Layout& layout, const Box& box, uint64_t end) : layout_(layout), box_(box), end_(end) {
        for (Axis a : all_axes)
            for (uint64_t column : layout.pattern.index_xor.columns[a]) changed_ |= column;
    }

    /// Examines the tiles from `first` to `last`, both included.
    void look(const Coord& first, const Coord& last) {
        if (++looked_at_ > most_looked_at)
            throw Error("the layout's tiles lie in one another too far for the image's size to be found");
        if (bound(last) <= end_) return;
        Axis longest = axis_x;
        for (Axis a : all_axes)
            if (last[a] - first[a] > last[longest] - first[longest]) longest = a;
        if (first == last) {
            end_ = std::max(end_, end_of_tile(layout_, box_, last));
            return;
        }
        Coord lower = last, upper = first;
        lower[longest] = first[longest] + (last[longest] - first[longest]) / 2;
        upper[longest] = lower[longest] + 1;
        look(upper, last);
        look(first, lower);
    }

    uint64_t end() const { return end_; }

private:
    static constexpr uint64_t most_looked_at = 1 << 22;
    const Layout& layout_;
    const Box& box_;
    uint64_t end_, changed_ = 0, looked_at_ = 0;

    /// No tile up to `last` along each axis reaches further: strides are not negative, and F can at most set its bits.
    uint64_t bound(const Coord& last) const {
        uint64_t shift = 0;
        for (Axis a : all_axes) shift = checked_sum(shift, checked_product(last[a], layout_.stride[a]));
        const uint64_t bytes = layout_.pattern.tile_bytes;
        if (changed_ != 0) shift = checked_product(checked_sum(shift / bytes, changed_), bytes);
        return checked_sum(layout_.base, checked_sum(shift, bytes));
    }
};

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
    for (Axis a : all_axes) {
        const uint64_t side = round_up(extent[a], pattern.tile[a]);
        if (side > UINT32_MAX) throw Error(beyond_32_bits);
        box.extent[a] = static_cast<uint32_t>(side);
    }
    return box;
}

uint64_t tiled_bytes(const Layout& layout, const Box& box) {
    const Pattern& pattern = layout.pattern;
    Box tiles;
    bool last_is_highest = pattern.index_xor.is_zero();
    for (Axis a : all_axes) {
        const uint64_t last = uint64_t{box.from[a]} + box.extent[a] - 1;
        if (last > UINT32_MAX) throw Error(beyond_32_bits);
        tiles.from[a] = box.from[a] / pattern.tile[a];
        tiles.extent[a] = static_cast<uint32_t>(last / pattern.tile[a]) - tiles.from[a] + 1;
        if (tiles.extent[a] > 1) last_is_highest = last_is_highest && layout.stride[a] >= pattern.tile_bytes;
    }
    Coord last{};
    for (Axis a : all_axes) last[a] = tiles.from[a] + tiles.extent[a] - 1;
    const uint64_t bytes = end_of_tile(layout, box, last);
    if (last_is_highest) return bytes;
    FurthestTile furthest(layout, box, bytes);
    furthest.look(tiles.from, last);
    return furthest.end();
}

Layout dense_layout(const Pattern& pattern, const Coord& extent) {
    Layout layout;
    layout.pattern = pattern;
    uint64_t next = pattern.tile_bytes, changed = 0;
    for (Axis a : pattern.order) {
        const uint64_t tiles = ceil_div(extent[a], pattern.tile[a]);
        for (uint64_t column : pattern.index_xor.columns[a]) changed |= column;
        if (tiles == 1) continue;
        // F changes low bits of the tile index, which the strides leave zero: see index_xor_is_one_to_one.
        if (changed >> 62 != 0) throw Error(beyond_64_bits);
        const uint64_t step = checked_product(pattern.tile_bytes, std::bit_ceil(changed + 1));
        if (changed != 0) next = checked_product((next - 1) / step + 1, step);
        layout.stride[a] = next;
        next = checked_product(next, tiles);
    }
    return layout;
}

Layout dense_layout(const Layout& layout, const Coord& extent) {
    Layout dense = dense_layout(layout.pattern, extent);
    dense.constant = layout.constant;
    return dense;
}

}  // namespace tilewise
