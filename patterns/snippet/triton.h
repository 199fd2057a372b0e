// A pattern and a remap as Triton's layouts. What these are: "Linear Layouts", https://arxiv.org/abs/2505.23819, and the comment
// in Triton's LinearLayout.h. Python code for Triton 3.6 and later; a layout's dimensions are in the order (s,) (z,) y,
// x.
#pragma once
#include "patterns/snippet/snippet.h"

namespace tilewise {

/// Defines a variable:
///   remap    tilewise_remap    a DistributedLinearLayout of Gluon: registers, lanes and warps -> texels of a block. The
///                              index's lowest bits are lanes, then come warps; what is left over goes to registers
///   address  tilewise_address  a LinearLayout: y, x -> offset in the tile, in elements; bits above the tile's are G's
///   texel    tilewise_texel    its inverse: offset -> y, x in the tile; tile_y, tile_x: of G, where the pattern has it
/// The `comment` stands above it, before what it says of itself.
/// Throws UsageError for another kind and for a whole image, for warps that the remap does not fill or lanes that it
/// does not have; Error for what no LinearLayout is: linear patterns, constants, XORs of the tile's index.
std::string emit_triton(const SnippetRequest& request, const std::string& comment);

}  // namespace tilewise
