#include "patterns/remap/remap.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/gf2.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tilewise {

namespace {

Coord unit_step(Axis axis, unsigned bit) {
    Coord step{};
    step[axis] = uint32_t{1} << bit;
    return step;
}

constexpr int max_column_bits = 16;  // for a workgroup's side: far more than needed

/// Reads "x0^y12" as a column. Throws Error.
Coord column_from_text(std::string_view text) {
    Coord column{};
    for (const std::string& bit : split_fields(text, '^')) {
        const bool is_short = bit.size() == 2 || bit.size() == 3;
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        if (!is_short || (bit[0] != 'x' && bit[0] != 'y') || !std::all_of(bit.begin() + 1, bit.end(), is_digit))
            throw Error(fmt::format("\"{}\" is not a coordinate bit such as x0", printable(bit, 20)));
        const int number = std::stoi(bit.substr(1));
        if (number >= max_column_bits) throw Error(fmt::format("{} is beyond {} bits", bit, max_column_bits));
        column[bit[0] == 'x' ? axis_x : axis_y] ^= uint32_t{1} << number;
    }
    return column;
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

std::string columns_text(const Remap& remap) {
    std::string text;
    for (const Coord& column : remap.columns) text += (text.empty() ? "" : " ") + coordinate_bits(column);
    return text;
}

Remap remap_from_columns(std::string_view text) {
    Remap remap;
    gf2::Echelon known;
    for (const std::string& field : split(text, ' ')) {
        const Coord& column = remap.columns.emplace_back(column_from_text(field));
        if (known.add(column[axis_x] | uint64_t{column[axis_y]} << 32).value == 0)
            throw Error(fmt::format("{} follows from the columns before it", field));
        for (const Axis axis : {axis_x, axis_y})
            remap.shape[axis] = std::max(remap.shape[axis], std::bit_floor(column[axis]) << 1);
    }
    const unsigned bits = log2_exact(remap.shape[axis_x]) + log2_exact(remap.shape[axis_y]);
    if (remap.columns.size() != bits || bits > unsigned{max_column_bits})
        throw Error(
            fmt::format("has {} columns for the {} bits of {}", remap.columns.size(), bits, shape_text(remap.shape)));
    if (columns_text(remap) != text) throw Error("must be as tilewise writes it");
    return remap;
}

}  // namespace tilewise
