// A pattern for libraries that compute with layouts, Triton and CuTe: the elements of one tile, whose places are
// counted in elements.
#pragma once
#include "patterns/model/layout.h"

namespace tilewise {

/// What each bit of the texel's coordinate along that axis does, by XOR, to the place: E of the bits within the tile,
/// then G of those above.
gf2::Columns element_columns(const Pattern& pattern, Axis axis);

/// Bits of a place: log2 of the elements that the tile has room for.
unsigned element_bits(const Pattern& pattern);

/// Throws Error where no linear map of a tile's elements is the layout. `library`: "Triton".
void require_tile_layout(const Layout& layout, const char* library);

}  // namespace tilewise
