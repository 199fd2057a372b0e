// The languages' names for types, functions and operators.
#pragma once
#include "kernels/translate/module.h"
#include "patterns/snippet/snippet.h"
#include <string>
#include <string_view>

namespace tilewise::kernels {

enum class Scalar { boolean, int32, uint32, float32 };

/// "float4", "vec4<f32>", "vec4".
std::string vector_type(Language language, Scalar scalar, uint32_t components);

/// An operator with its precedence, as in C: a higher number binds tighter.
struct Operator {
    std::string_view symbol;
    int precedence = 0;
};
/// Empty if there is no such operator.
Operator binary_operator(spv::Op op);

constexpr int unary_precedence = 14, primary_precedence = 16, conditional_precedence = 2;

/// The function that implements a GLSL.std.450 instruction; for CUDA, the function of a single number. Empty if there
/// is none.
std::string_view glsl_function(Language language, uint32_t instruction, Scalar scalar);

/// Names that variables must not have: keywords, and functions that texts call.
bool is_reserved(Language language, std::string_view name);

/// A float literal with a point or an exponent, and the suffix that makes it 32 bits. Throws Error if it is not a
/// number.
std::string float_text(float value);

}  // namespace tilewise::kernels
