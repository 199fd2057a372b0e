// The kinds of snippets as functions, before they are written in a language.
#pragma once
#include "patterns/snippet/ir.h"
#include "patterns/snippet/snippet.h"

namespace tilewise {

/// Functions of some levels and layers each, and which: the one to call is the last, or the first that has the level and
/// layer.
struct ImageFunctions {
    struct Part {
        uint32_t level = 0, layer = 0, layers = 1;
        ir::Function function;
    };
    std::vector<Part> parts;
    bool by_level = false, by_layer = false;  ///< the image has several: they are parameters
};
ImageFunctions image_functions(const SnippetRequest& request, bool wide);

/// `wide`: strides and offsets of 64 bits. The request's language and provenance are not looked at.
ir::Function snippet_function(const SnippetRequest& request, bool wide);

}  // namespace tilewise
