#include "patterns/remap/remap.h"
#include "patterns/model/bits.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

Coord unit_step(Axis axis, unsigned bit) {
    Coord step{};
    step[axis] = uint32_t{1} << bit;
    return step;
}

}  // namespace

Coord Remap::operator()(uint32_t invocation) const {
    Coord texel{};
    for (const Coord& column : columns) {
        if (invocation & 1)
            for (Axis a : all_axes) texel[a] ^= column[a];
        invocation >>= 1;
    }
    return texel;
}

bool Remap::is_row_order() const { return columns == row_order(shape).columns; }

Remap row_order(const Coord& shape) {
    Remap remap{shape, {}};
    for (Axis a : all_axes)
        for (unsigned bit = 0; bit < log2_exact(shape[a]); bit++) remap.columns.push_back(unit_step(a, bit));
    return remap;
}

Remap morton_order(const Coord& shape) {
    Remap remap{shape, {}};
    unsigned most = 0;
    for (Axis a : all_axes) most = std::max(most, log2_exact(shape[a]));
    for (unsigned bit = 0; bit < most; bit++)
        for (Axis a : all_axes)
            if (bit < log2_exact(shape[a])) remap.columns.push_back(unit_step(a, bit));
    return remap;
}

Remap rdna_order() {
    return {{8, 8, 1, 1},
            {unit_step(axis_x, 0), unit_step(axis_y, 0), unit_step(axis_y, 1), unit_step(axis_x, 1),
             unit_step(axis_x, 2), unit_step(axis_y, 2)}};
}

std::string coordinate_bits(const Coord& column) {
    std::string text;
    for (Axis a : all_axes)
        for (unsigned bit = 0; bit < 32; bit++)
            if (column[a] >> bit & 1) text += fmt::format("{}{}{}", text.empty() ? "" : "^", axis_name(a), bit);
    return text;
}

std::string shape_text(const Coord& shape) {
    std::string text = fmt::format("{}x{}", shape[axis_x], shape[axis_y]);
    if (shape[axis_z] > 1) text += fmt::format("x{}", shape[axis_z]);
    return text;
}

}  // namespace tilewise
