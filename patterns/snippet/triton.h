// A pattern and a remap as Triton's layouts, which are explained in "Linear Layouts", https://arxiv.org/abs/2505.23819,
// and in the comment in Triton's LinearLayout.h. Python code for Triton 3.6 and later; a layout's dimensions are in the
// order (s,) (z,) y, x.
#pragma once
#include "patterns/snippet/snippet.h"

namespace tilewise {

/// Defines a variable:
///   remap    tilewise_remap    a DistributedLinearLayout of Gluon: registers, lanes and warps -> texels of a block.
///                              The index's lowest bits are lanes, the next are warps, and the rest goes to registers
///   address  tilewise_address  a LinearLayout: y, x -> offset in the tile, in elements; bits above the tile's are G's
///   texel    tilewise_texel    its inverse: offset -> y, x in the tile; tile_y, tile_x: for G, if the pattern has it
/// The `comment` goes above it, before the text about the snippet itself. Throws UsageError for another kind and for a
/// whole image, and for warps that the remap does not fill or lanes that it does not have; Error for whatever is no
/// LinearLayout: linear patterns, constants, XORs of the tile's index.
std::string emit_triton(const SnippetRequest& request, const std::string& comment);

}  // namespace tilewise
