// A function of integer operations, written in a language.
#pragma once
#include "patterns/snippet/function.h"
#include "patterns/snippet/ir.h"
#include "patterns/snippet/snippet.h"

namespace tilewise {

/// The types that the function needs, and the function; no comment. Offsets are wide where has_wide_offsets().
std::string print_function(const ir::Function& function, Language language);
/// Several, one after the other.
std::string print_functions(const std::vector<ir::Function>& functions, Language language);

/// A function of each part, and one of that name that calls them; one alone where there is but one part.
std::string print_image_functions(const ImageFunctions& image, const std::string& name, Language language);

constexpr bool has_wide_offsets(Language language) { return language >= Language::cuda; }

/// What stands before the functions of a shader that has none.
std::string print_preamble(Language language);

enum class Number { uint32, uint64, int32, float32 };

/// The language's name of a number (components 1) or a vector. The shading languages have 32 bits where 64 are asked
/// for.
std::string type_name(Language language, unsigned components, Number number = Number::uint32);

/// A vector of such a type from its components.
std::string vector_text(Language language, const std::vector<std::string>& components, Number number = Number::uint32);

/// "uint x = ": the beginning of a variable's declaration.
std::string declaration(Language language, const std::string& type, const std::string& name, bool constant);

}  // namespace tilewise
