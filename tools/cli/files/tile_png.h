// A pattern as a PNG file.
#pragma once
#include "patterns/model/layout.h"
#include <string>

namespace tilewise {

/// Draws the first 16x16 elements of the tile, or all if it has fewer, as tile_svg() draws a tile of that size: both
/// axes, each element's byte offset, the line through the elements in memory order, and a legend of the colors. Throws
/// Error that names the file.
void write_tile_png(const std::string& path, const Layout& layout);

}  // namespace tilewise
