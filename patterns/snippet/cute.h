// A pattern and a remap as layouts of CuTe, the layout library of NVIDIA's CUTLASS. A layout is written shape:stride;
// the offset of a coordinate is the sum of its digits times their strides, and bits can be moved by it, but not XORed.
// What is XORed may be a swizzle behind it: Swizzle<B,M,S> XORs B bits of the offset, from bit M + S on, into those
// from bit M on (for S < 0 the two change places). A corner of NVIDIA's stencil, bytes in tiles of 16x8:
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
///   address  tilewise_address  (x, y) -> offset in the tile, in elements; with z and s where these take part
/// The `comment` stands above it, before what it says of itself.
/// Throws UsageError for another kind and for a whole image; Error for what is no layout with at most one swizzle.
std::string emit_cute(const SnippetRequest& request, const std::string& comment);

}  // namespace tilewise
