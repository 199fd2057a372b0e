// A pattern as text: the field's own pictures. The row of address bits is after Mesa's documentation of isl.
#pragma once
#include "patterns/model/layout.h"
#include <string>

namespace tilewise {

/// The first width*height elements in memory order, `width` a line, as "[x,y]" (after seeds of the field: one line
/// holds what lies consecutively in memory). Each element is the one found at successive element positions of tile 0;
/// "[ ? ]" where no element lies.
/// Example:
///     assert(memory_order(layout, 4, 1).starts_with("[0,0]"));
std::string memory_order(const Layout& layout, uint32_t width, uint32_t height);

/// One line per block of address bits, most significant first, each bit naming its coordinate bits:
///   bit      15  14 ...
///   from  x6^y6  x6 ...
/// G's bits stand beside E's ("x6^ty0"), 1 for a bit of c. Of the element's index where the equation counts elements.
/// Empty for a linear layout of one-byte elements.
/// Example:
///     assert(address_bits(layout).find("x4^y4") != std::string::npos);
std::string address_bits(const Layout& layout);

/// A short name: "linear", or "16x128 tile of 8192 bytes, 4-byte elements".
/// Example:
///     assert(pattern_title(layout.pattern).starts_with("128x128 tile of 65536 bytes"));
std::string pattern_title(const Pattern& pattern);

}  // namespace tilewise
