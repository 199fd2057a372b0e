// A pattern as a drawing: its tile, each element coloured by where in memory it lies.
#pragma once
#include "patterns/model/layout.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise {

struct Rgb8 {
    uint8_t r = 0, g = 0, b = 0;
};

/// The elements of the tile at the image's origin: one slice and sample, and 16x8 of a linear layout, which has no
/// tile. They stand row by row; dark blue comes first in memory, and yellow last.
struct TileDrawing {
    Coord extent = unit_extent;
    std::vector<uint64_t> offsets;  ///< bytes from the layout's base
    std::vector<Rgb8> colors;
};
/// Likewise of no more than `most` elements along each axis.
TileDrawing draw_tile(const Layout& layout, uint32_t most = 128);

/// The drawn elements, from the first in memory to the last: row * width + column.
std::vector<size_t> memory_ranks(const TileDrawing& drawing);

/// The colour of a place in memory, from 0, the first, to 1, the last.
Rgb8 memory_color(double place);

/// The colours of memory from the first byte to the last, as "#281e6e": what draws elsewhere takes the one nearest to
/// an element's place.
std::vector<std::string> memory_colors();

/// The tile becomes an SVG image with both axes and a legend of the colours. Up to 32x32 elements each bear their byte
/// offset, a line goes through them in memory order, and the tooltip of each has its coordinates and byte offset. In a
/// larger tile, what lies together in memory and in the image is one shape, and its tooltip has the bytes.
std::string tile_svg(const Layout& layout);

}  // namespace tilewise
