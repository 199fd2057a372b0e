// An equation as people type it: address bits from 0 up, separated by blanks, each an XOR of coordinate bits.
//
//   "0 0 x0 x1 y0 y1 x2 y2"      elements of 4 bytes: bits 0 and 1 choose a byte of the element
//   "x0 x1 y0 y1 x2 y2"          the same: the element's own bits may be left out
//   "x0 y0 x1^ty0"               tx0, ty0, .. are bits of the tile's coordinates (G)
#pragma once
#include "patterns/model/layout.h"
#include <string_view>

namespace tilewise {

/// Address bits of a tile, including the bits that choose a byte within an element.
constexpr size_t max_address_bits = 40;

/// A layout with that equation and no particular extent; its tiles lie row by row or, with `by_columns`, column by
/// column. Throws UsageError that names the wrong bit.
Layout layout_by_equation(std::string_view equation, const Element& element, bool by_columns = false);

}  // namespace tilewise
