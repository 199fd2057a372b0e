#include "patterns/picture/picture.h"
#include "patterns/model/layout_json.h"
#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace tilewise {

namespace {

constexpr size_t bits_a_line = 16;

/// The extent up to which a layout that repeats its tile along every axis can be followed.
Coord pictured_extent(const Layout& layout) {
    Coord extent = layout.pattern.tile;
    for (Axis a : all_axes)
        if (layout.stride[a] != 0) extent[a] = std::max(extent[a], 256U);
    return extent;
}

}  // namespace

std::string memory_order(const Layout& layout, uint32_t width, uint32_t height) {
    Layout at_zero = layout;
    at_zero.base = 0;
    const Coord extent = pictured_extent(layout);
    std::string text;
    for (uint32_t row = 0; row < height; row++) {
        for (uint32_t column = 0; column < width; column++) {
            uint64_t position = uint64_t{row} * width + column;
            std::optional<Coord> at = element_of(at_zero, extent, position * layout.pattern.element.bytes);
            if (column > 0) text += ' ';
            if (!at)
                text += "[ ? ]";
            else if (layout.pattern.tile[axis_z] > 1)
                text += fmt::format("[{},{},{}]", (*at)[axis_x], (*at)[axis_y], (*at)[axis_z]);
            else
                text += fmt::format("[{},{}]", (*at)[axis_x], (*at)[axis_y]);
        }
        text += '\n';
    }
    return text;
}

std::string address_bits(const Layout& layout) {
    const nlohmann::ordered_json object = to_json(layout);
    std::vector<std::string> terms;
    for (unsigned bit = 0; bit < object["equation"].size(); bit++) {
        std::string row = object["equation"][bit].get<std::string>();
        std::string outer = equation_row(layout.pattern.outer_xor, bit, "t");
        if (outer != "0") row = row == "0" ? outer : row + "^" + outer;
        if (layout.constant >> bit & 1) row = row == "0" ? "1" : row + "^1";
        terms.push_back(row);
    }
    if (terms.empty()) return {};

    std::string text;
    for (size_t end = terms.size(); end > 0;) {
        const size_t begin = (end - 1) / bits_a_line * bits_a_line;
        std::string bits = "bit ", names = "from";
        for (size_t bit = end; bit-- > begin;) {
            const size_t width = std::max<size_t>(terms[bit].size(), 2);
            bits += fmt::format("  {:>{}}", bit, width);
            names += fmt::format("  {:>{}}", terms[bit], width);
        }
        text += bits + "\n" + names + "\n";
        end = begin;
    }
    return text;
}

std::string pattern_title(const Pattern& pattern) {
    const std::string xors = std::string(pattern.outer_xor.is_zero() ? "" : ", outer XOR") +
                             (pattern.index_xor.is_zero() ? "" : ", tile-index XOR");
    if (pattern.is_linear())
        return fmt::format("linear{}, {}-byte elements{}", pattern.order[0] == axis_x ? "" : " by columns",
                           pattern.element.bytes, xors);
    std::string size = fmt::format("{}x{}", pattern.tile[axis_x], pattern.tile[axis_y]);
    if (pattern.tile[axis_z] > 1) size += fmt::format("x{}", pattern.tile[axis_z]);
    if (pattern.tile[axis_s] > 1) size += fmt::format(" of {} samples", pattern.tile[axis_s]);
    return fmt::format("{} tile of {} bytes, {}-byte elements{}", size, pattern.tile_bytes, pattern.element.bytes,
                       xors);
}

}  // namespace tilewise
