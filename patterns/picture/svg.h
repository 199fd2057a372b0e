// A pattern as a drawing: its tile, with each element coloured by its place in memory.
#pragma once
#include "patterns/model/layout.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise {

struct Rgb8 {
    uint8_t r = 0, g = 0, b = 0;
};

/// The elements of the tile at the image's origin, row by row: one slice and sample; 16x8 elements of a linear layout,
/// which has no tile. Dark blue comes first in memory, yellow last.
struct TileDrawing {
    Coord extent = unit_extent;
    std::vector<uint64_t> offsets;  ///< bytes from the layout's base
    std::vector<Rgb8> colors;
};
/// Draws the tile, but no more than `most` elements along each axis.
TileDrawing draw_tile(const Layout& layout, uint32_t most = 128);

/// The drawn elements in memory order: row * width + column.
std::vector<size_t> memory_ranks(const TileDrawing& drawing);

/// The colour of a place in memory, from 0 (first) to 1 (last).
Rgb8 memory_color(double place);

/// The colours of memory from the first byte to the last, as "#281e6e", for other drawings: each element gets the
/// colour nearest to its place.
std::vector<std::string> memory_colors();

/// The tile as an SVG image with both axes and a legend of the colours. In tiles of up to 32x32 elements, each element
/// shows its byte offset, a line connects them in memory order, and each tooltip gives the coordinates and the byte
/// offset. In a larger tile, elements that are contiguous in memory and adjacent in the image form one shape, whose
/// tooltip gives the bytes.
std::string tile_svg(const Layout& layout);

}  // namespace tilewise
