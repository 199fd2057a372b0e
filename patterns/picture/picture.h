// A pattern as text, in the notations of the field. The row of address bits follows Mesa's documentation of isl.
#pragma once
#include "patterns/model/layout.h"
#include <string>

namespace tilewise {

/// The first width*height elements in memory order, `width` per line, as "[x,y]": one line holds elements that are
/// consecutive in memory, a notation common in the field. Each element is the one found at successive element positions
/// of tile 0; "[ ? ]" if no element lies there.
/// Example:
///     assert(memory_order(layout, 4, 1).starts_with("[0,0]"));
std::string memory_order(const Layout& layout, uint32_t width, uint32_t height);

/// One line per block of address bits, most significant first, each bit naming its coordinate bits:
///   bit      15  14 ...
///   from  x6^y6  x6 ...
/// G's bits stand beside E's ("x6^ty0"); a bit of c is a 1. If the equation counts elements, the bits are those of the
/// element's index. Empty for a linear layout of one-byte elements.
/// Example:
///     assert(address_bits(layout).find("x4^y4") != std::string::npos);
std::string address_bits(const Layout& layout);

/// A short name: "linear", or "16x128 tile of 8192 bytes, 4-byte elements".
/// Example:
///     assert(pattern_title(layout.pattern).starts_with("128x128 tile of 65536 bytes"));
std::string pattern_title(const Pattern& pattern);

}  // namespace tilewise
