// A pattern for libraries that compute with layouts, Triton and CuTe: the elements of one tile, with their places
// counted in elements.
#pragma once
#include "patterns/model/layout.h"

namespace tilewise {

/// The effect, by XOR, of each bit of the texel's coordinate along that axis on the place: E for the bits within the
/// tile, then G for those above.
gf2::Columns element_columns(const Pattern& pattern, Axis axis);

/// The number of bits of a place: log2 of the elements that the tile has room for.
unsigned element_bits(const Pattern& pattern);

/// Throws Error if the layout is not a linear map of a tile's elements. `library`: "Triton".
void require_tile_layout(const Layout& layout, const char* library);

}  // namespace tilewise
