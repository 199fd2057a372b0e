// A pattern's drawing for a terminal with colours.
#pragma once
#include "patterns/picture/svg.h"
#include <string>

namespace tilewise {

/// Each character shows two elements, one above the other (U+2580, upper half block), in 24-bit colours as in the SVG
/// drawing. A line has as many elements as fit into `columns` characters; there are 64 rows at most.
std::string tile_blocks(const TileDrawing& drawing, uint32_t columns);

}  // namespace tilewise
