// Whole tiles, written piece after piece in the order of their addresses.
#pragma once
#include "patterns/convert/convert.h"

namespace tilewise {

/// Whether tile_tiles() can convert the whole tiles of a layout: a tile has no gaps, and runs worth a table.
bool has_even_tiles(const Layout& layout, const Pitch& pitch);

/// Like tile_rows(), for a box of whole tiles; the memory is written in the order of its addresses.
void tile_tiles(const Layout& layout, const Box& box, const Pitch& pitch, const std::byte* rows, std::byte* tiled,
                bool streams);

}  // namespace tilewise
