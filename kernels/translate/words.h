// How the languages call types, functions and operators.
#pragma once
#include "kernels/translate/module.h"
#include "patterns/snippet/snippet.h"
#include <string>
#include <string_view>

namespace tilewise::kernels {

enum class Scalar { boolean, int32, uint32, float32 };

/// "float4", "vec4<f32>", "vec4".
std::string vector_type(Language language, Scalar scalar, uint32_t components);

/// An operator with its precedence, as in C: more binds closer.
struct Operator {
    std::string_view symbol;
    int precedence = 0;
};
/// None: empty.
Operator binary_operator(spv::Op op);

constexpr int unary_precedence = 14, primary_precedence = 16, conditional_precedence = 2;

/// The function that is GLSL.std.450's instruction; in CUDA that of one number. Empty where there is none of this kind.
std::string_view glsl_function(Language language, uint32_t instruction, Scalar scalar);

/// Not for variables: keywords, and functions that texts call.
bool is_reserved(Language language, std::string_view name);

/// With a point or an exponent, and the letter that makes it 32 bits. Throws Error where it is no number.
std::string float_text(float value);

}  // namespace tilewise::kernels
