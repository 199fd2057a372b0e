// A pattern and a remap as layouts of CuTe, the layout library of NVIDIA's CUTLASS. A layout is written shape:stride.
// The offset of a coordinate is the sum of its digits times their strides: this can move bits, but not XOR them. XORs
// can be expressed by a swizzle after the layout: Swizzle<B,M,S> XORs B bits of the offset, from bit M + S on, into
// those from bit M on (for S < 0 the two are swapped). A corner of NVIDIA's stencil, bytes in tiles of 16x8:
//
//   bit         6      5   4   3   2   1   0
//   from       x3  x3^y2  y1  y0  x2  x1  x0
//   layout     x3     y2  y1  y0  x2  x1  x0    ((8,2),8):((1,64),8)
//   swizzle        ^= bit 6                     Swizzle<1,5,1>
#pragma once
#include "patterns/snippet/snippet.h"

namespace tilewise {

/// C++ that defines a type:
///   remap    tilewise_remap    index -> x + width * (y + height * z) of the texel in the workgroup
///   address  tilewise_address  (x, y) -> offset in the tile, in elements; also z and s if the pattern has them
/// The `comment` goes above it, before the text about the snippet itself. Throws UsageError for another kind and for a
/// whole image; Error if it is not a layout with at most one swizzle.
std::string emit_cute(const SnippetRequest& request, const std::string& comment);

}  // namespace tilewise
