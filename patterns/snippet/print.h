// Prints a function of integer operations in a language.
#pragma once
#include "patterns/snippet/function.h"
#include "patterns/snippet/ir.h"
#include "patterns/snippet/snippet.h"

namespace tilewise {

/// The types that the function needs, then the function; no comment. Offsets are wide if has_wide_offsets().
std::string print_function(const ir::Function& function, Language language);
/// Several functions, one after another.
std::string print_functions(const std::vector<ir::Function>& functions, Language language);

/// A function for each part, and a function `name` that calls them; only one function if there is only one part.
std::string print_image_functions(const ImageFunctions& image, const std::string& name, Language language);

constexpr bool has_wide_offsets(Language language) { return language >= Language::cuda; }

/// The text that precedes the functions of a shader without a preamble.
std::string print_preamble(Language language);

enum class Number { uint32, uint64, int32, float32 };

/// The language's name for a number (components 1) or a vector. Shading languages use 32 bits where 64 are requested.
std::string type_name(Language language, unsigned components, Number number = Number::uint32);

/// A vector of that type, built from its components.
std::string vector_text(Language language, const std::vector<std::string>& components, Number number = Number::uint32);

/// "uint x = ": the start of a variable's declaration.
std::string declaration(Language language, const std::string& type, const std::string& name, bool constant);

}  // namespace tilewise
