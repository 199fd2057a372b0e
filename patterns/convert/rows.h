// A box of any extent, converted row after row.
#pragma once
#include "patterns/convert/convert.h"

namespace tilewise {

/// Converts a box without checking sizes; the side of the rows holds the box alone. With `streams`, what is written is
/// not meant to stay in the caches.
void detile_rows(const Layout& layout, const Box& box, const Pitch& pitch, const std::byte* tiled, std::byte* rows,
                 bool streams);
void tile_rows(const Layout& layout, const Box& box, const Pitch& pitch, const std::byte* rows, std::byte* tiled);

}  // namespace tilewise
