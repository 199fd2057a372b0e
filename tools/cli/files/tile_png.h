// A pattern as a PNG file.
#pragma once
#include "patterns/model/layout.h"
#include <string>

namespace tilewise {

/// The first 16x16 elements of the tile, or fewer where it has fewer: what tile_svg draws of so small a tile, with both
/// axes, each element's byte offset, the line through them in memory order and a legend of the colours. Throws Error
/// naming the file.
void write_tile_png(const std::string& path, const Layout& layout);

}  // namespace tilewise
