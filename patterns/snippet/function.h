// The kinds of snippets as functions, before they are written in a language.
#pragma once
#include "patterns/snippet/ir.h"
#include "patterns/snippet/linear_map.h"
#include "patterns/snippet/snippet.h"

namespace tilewise {

/// Functions of some levels and layers each, and which: the one to call is the last, or the first that has the level
/// and layer.
struct ImageFunctions {
    struct Part {
        uint32_t level = 0, layer = 0, layers = 1;
        ir::Function function;
    };
    std::vector<Part> parts;
    bool by_level = false, by_layer = false;  ///< the image has several: they are parameters
};
ImageFunctions image_functions(const SnippetRequest& request, bool wide);

/// `wide`: strides and offsets of 64 bits. Of the request's language it matters alone whether it has pdep and pext.
ir::Function snippet_function(const SnippetRequest& request, bool wide);

/// E and G together, as columns of the texel's own bits along that axis: first those within the tile.
std::vector<uint64_t> columns_within(const Pattern& pattern, Axis axis);

/// What an offset is counted in, where it is not bytes and x is not elements: pieces, of which an element is several,
/// or which are several elements along x.
struct Pieces {
    /// Bit 0 of `within` is this bit of the offset, or of the element's index where the equation gives that.
    unsigned first_bit = 0;
    int x_shift = 0;  ///< log2 of the pieces of an element; x is counted in pieces
};

/// The equation's inverse, of within ^ G(tile) ^ c: from the tile's coordinates and what is within it, the task's
/// inputs in this order, to the coordinates, its outputs. Bits that are smaller than a piece are left out.
void add_equation_inverse(ir::LinearMapTask& task, const Layout& layout, const Pieces& pieces);

}  // namespace tilewise
