// The four kinds of snippets as functions, before they are written in a language.
#pragma once
#include "patterns/snippet/ir.h"
#include "patterns/snippet/snippet.h"

namespace tilewise {

/// `wide`: strides and offsets of 64 bits. The request's language and provenance are not looked at.
ir::Function snippet_function(const SnippetRequest& request, bool wide);

}  // namespace tilewise
