// The kinds of snippets as functions, before they are printed in a language.
#pragma once
#include "patterns/snippet/ir.h"
#include "patterns/snippet/linear_map.h"
#include "patterns/snippet/snippet.h"

namespace tilewise {

/// One function for each group of levels and layers. The function to call is the first whose group contains the level
/// and layer, or else the last.
struct ImageFunctions {
    struct Part {
        uint32_t level = 0, layer = 0, layers = 1;
        ir::Function function;
    };
    std::vector<Part> parts;
    bool by_level = false, by_layer = false;  ///< the image has several; they become parameters
};
ImageFunctions image_functions(const SnippetRequest& request, bool wide);

/// `wide`: strides and offsets have 64 bits. The only property of the request's language that matters is whether it has
/// pdep and pext.
ir::Function snippet_function(const SnippetRequest& request, bool wide);

/// E and G together, as columns for the bits of the texel's coordinate along that axis: first the bits within the tile.
std::vector<uint64_t> columns_within(const Pattern& pattern, Axis axis);

/// The unit of offsets if that is not bytes and the unit of x is not elements: pieces. An element is several pieces, or
/// a piece is several elements along x.
struct Pieces {
    /// Bit 0 of `within` is this bit of the offset, or of the element's index if the equation gives that.
    unsigned first_bit = 0;
    int x_shift = 0;  ///< log2 of the pieces per element; x is counted in pieces
};

/// Adds the inverse of the equation, which gives within ^ G(tile) ^ c. The task's inputs are the tile's coordinates and
/// then the place within the tile; its outputs are the coordinates. Bits smaller than a piece are left out.
void add_equation_inverse(ir::LinearMapTask& task, const Layout& layout, const Pieces& pieces);

}  // namespace tilewise
