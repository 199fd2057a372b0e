#include "patterns/model/one_to_one.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <bit>

namespace tilewise {

namespace {

std::array<Axis, axis_count> by_rising_stride(const Layout& layout) {
    std::array<Axis, axis_count> axes = all_axes;
    std::ranges::stable_sort(axes, {}, [&](Axis a) { return layout.stride[a]; });
    return axes;
}

uint64_t changed_by(const LinearMap& map, Axis axis) {
    uint64_t changed = 0;
    for (uint64_t column : map.columns[axis]) changed |= column;
    return changed;
}

uint64_t changed_by(const LinearMap& map) {
    uint64_t changed = 0;
    for (Axis a : all_axes) changed |= changed_by(map, a);
    return changed;
}

/// Whether every element of a tile has its own bytes, all of them within the tile.
bool elements_keep_apart(const Layout& layout) {
    const Pattern& pattern = layout.pattern;
    const uint64_t changed = changed_by(pattern.equation) | changed_by(pattern.outer_xor) | layout.constant;
    const uint64_t step = pattern.element.bytes / pattern.offset_unit();  // a power of two
    if (changed % step != 0 || changed >= pattern.tile_bytes / pattern.offset_unit()) return false;
    const gf2::Columns columns = pattern.equation.all_columns();
    return columns.size() <= 64 && gf2::is_injective(columns);
}

/// As why_not_one_to_one(); sets `end` to the end of the last tile.
const char* prove(const Layout& layout, const Coord& extent, uint64_t& end) {
    constexpr const char* beyond_64_bits = "it reaches beyond 64 bits of address";
    const Pattern& pattern = layout.pattern;
    if (!elements_keep_apart(layout)) return "two elements of a tile would share bytes";
    if (!index_xor_is_one_to_one(layout))
        return "two tiles would lie at one place: the pattern XORs low bits of the tile index, which larger strides "
               "must "
               "leave free";

    uint64_t span = pattern.tile_bytes;
    for (Axis a : by_rising_stride(layout)) {
        const uint64_t last = (extent[a] - 1) / pattern.tile[a];
        if (last == 0) continue;
        if (layout.stride[a] < span) return "two tiles would overlap: a stride is too small for what lies between";
        uint64_t reach = 0;
        if (__builtin_mul_overflow(layout.stride[a], last, &reach) || __builtin_add_overflow(span, reach, &span))
            return beyond_64_bits;
    }
    // F moves tiles within groups whose size is a power of two: the last group may be incomplete.
    const unsigned grouped = static_cast<unsigned>(std::bit_width(changed_by(pattern.index_xor)));
    uint64_t group = 1;
    if (grouped > 63 || (grouped > 0 && __builtin_mul_overflow(pattern.tile_bytes, uint64_t{1} << grouped, &group)) ||
        __builtin_add_overflow(span, group - 1, &span))
        return beyond_64_bits;
    span -= span % group;
    if (__builtin_add_overflow(layout.base, span, &end)) return beyond_64_bits;
    return nullptr;
}

}  // namespace

bool index_xor_is_one_to_one(const Layout& layout) {
    const Pattern& pattern = layout.pattern;
    if (pattern.index_xor.is_zero()) return true;
    uint64_t changed = 0;
    for (Axis a : by_rising_stride(layout)) {
        if (layout.stride[a] == 0) continue;
        changed |= changed_by(pattern.index_xor, a);
        const unsigned bits = static_cast<unsigned>(std::bit_width(changed));
        uint64_t step = 0;  // a step beyond 64 bits divides no stride
        if (bits > 63 || __builtin_mul_overflow(pattern.tile_bytes, uint64_t{1} << bits, &step)) return false;
        if (layout.stride[a] % step != 0) return false;
    }
    return true;
}

const char* why_not_one_to_one(const Layout& layout, const Coord& extent) {
    uint64_t end = 0;
    return prove(layout, extent, end);
}

uint64_t end_of_tiles(const Layout& layout, const Coord& extent) {
    uint64_t end = 0;
    if (const char* why = prove(layout, extent, end)) throw Error(why);
    return end;
}

}  // namespace tilewise
