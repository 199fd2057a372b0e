#include "patterns/convert/runs.h"
#include <algorithm>
#include <bit>

namespace tilewise {

Share share_of(const Layout& layout, Axis axis, uint32_t value) {
    const Pattern& pattern = layout.pattern;
    const uint32_t tile = value / pattern.tile[axis];
    return {tile * layout.stride[axis],
            pattern.equation.axis(axis, value % pattern.tile[axis]) ^ pattern.outer_xor.axis(axis, tile),
            pattern.index_xor.axis(axis, tile)};
}

uint64_t swapped(const Share& share, uint64_t tile_bytes) {
    return share.index == 0 ? share.shift : ((share.shift / tile_bytes) ^ share.index) * tile_bytes;
}

uint64_t run_elements(const Layout& layout, uint32_t width) {
    const Pattern& pattern = layout.pattern;
    const auto all_bits = [](const gf2::Columns& columns, size_t from) {
        uint64_t bits = 0;
        for (size_t i = from; i < columns.size(); i++) bits |= columns[i];
        return bits;
    };
    const gf2::Columns& x = pattern.equation.columns[axis_x];
    uint64_t others = layout.constant;
    for (Axis a : all_axes) others |= all_bits(pattern.outer_xor.columns[a], 0);
    for (Axis a : {axis_y, axis_z, axis_s}) others |= all_bits(pattern.equation.columns[a], 0);
    // A bit of x belongs to the run if it is the next bit of the offset, and nothing else affects that bit.
    const uint64_t step = pattern.element.bytes / pattern.offset_unit();
    unsigned bits = 0;
    while (bits < x.size() && x[bits] == step << bits && ((others | all_bits(x, bits + 1)) & x[bits]) == 0) bits++;
    const uint64_t run = uint64_t{1} << bits;
    const bool goes_on = bits == x.size() && layout.stride[axis_x] == run * pattern.element.bytes &&
                         all_bits(pattern.outer_xor.columns[axis_x], 0) == 0 && pattern.index_xor.is_zero();
    return goes_on ? std::max(run, std::bit_ceil(uint64_t{width})) : run;
}

}  // namespace tilewise
