#include "kernels/translate/words.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <spirv/unified1/GLSL.std.450.h>

namespace tilewise::kernels {

using spv::Op;

std::string vector_type(Language language, Scalar scalar, uint32_t components) {
    const auto index = static_cast<size_t>(scalar);
    if (language == Language::wgsl) {
        constexpr const char* names[] = {"bool", "i32", "u32", "f32"};
        return components == 1 ? names[index] : fmt::format("vec{}<{}>", components, names[index]);
    }
    constexpr const char* names[] = {"bool", "int", "uint", "float"};
    if (language != Language::cuda)
        return components == 1 ? names[index] : fmt::format("{}{}", names[index], components);
    constexpr const char* scalars[] = {"bool", "int", "unsigned", "float"};
    constexpr const char* vectors[] = {"bvec", "ivec", "uvec", "vec"};
    return components == 1 ? scalars[index] : fmt::format("{}{}", vectors[index], components);
}

Operator binary_operator(Op op) {
    switch (op) {
        case Op::OpIMul:
        case Op::OpFMul:
        case Op::OpVectorTimesScalar:
            return {"*", 13};
        case Op::OpSDiv:
        case Op::OpUDiv:
        case Op::OpFDiv:
            return {"/", 13};
        case Op::OpSMod:
        case Op::OpUMod:
        case Op::OpSRem:
            return {"%", 13};
        case Op::OpIAdd:
        case Op::OpFAdd:
            return {"+", 12};
        case Op::OpISub:
        case Op::OpFSub:
            return {"-", 12};
        case Op::OpShiftLeftLogical:
            return {"<<", 11};
        case Op::OpShiftRightLogical:
        case Op::OpShiftRightArithmetic:
            return {">>", 11};
        case Op::OpSLessThan:
        case Op::OpULessThan:
        case Op::OpFOrdLessThan:
            return {"<", 9};
        case Op::OpSLessThanEqual:
        case Op::OpULessThanEqual:
        case Op::OpFOrdLessThanEqual:
            return {"<=", 9};
        case Op::OpSGreaterThan:
        case Op::OpUGreaterThan:
        case Op::OpFOrdGreaterThan:
            return {">", 9};
        case Op::OpSGreaterThanEqual:
        case Op::OpUGreaterThanEqual:
        case Op::OpFOrdGreaterThanEqual:
            return {">=", 9};
        case Op::OpIEqual:
        case Op::OpFOrdEqual:
        case Op::OpLogicalEqual:
            return {"==", 8};
        case Op::OpINotEqual:
        case Op::OpFOrdNotEqual:
        case Op::OpFUnordNotEqual:
        case Op::OpLogicalNotEqual:
            return {"!=", 8};
        case Op::OpBitwiseAnd:
            return {"&", 7};
        case Op::OpBitwiseXor:
            return {"^", 6};
        case Op::OpBitwiseOr:
            return {"|", 5};
        case Op::OpLogicalAnd:
            return {"&&", 4};
        case Op::OpLogicalOr:
            return {"||", 3};
        default:
            return {};
    }
}

namespace {

/// Names in HLSL, WGSL and Metal's language, and in CUDA for floats and for integers.
struct Function {
    uint32_t instruction;
    const char* hlsl;
    const char* wgsl;
    const char* msl;
    const char* cuda;
    const char* cuda_int = "";
};
constexpr Function functions[] = {
    {GLSLstd450Round, "round", "round", "rint", "rintf"},
    {GLSLstd450RoundEven, "round", "round", "rint", "rintf"},
    {GLSLstd450Trunc, "trunc", "trunc", "trunc", "truncf"},
    {GLSLstd450FAbs, "abs", "abs", "abs", "fabsf"},
    {GLSLstd450SAbs, "abs", "abs", "abs", "", "::abs"},
    {GLSLstd450FSign, "", "sign", "sign", ""},
    {GLSLstd450SSign, "sign", "sign", "", ""},
    {GLSLstd450Floor, "floor", "floor", "floor", "floorf"},
    {GLSLstd450Ceil, "ceil", "ceil", "ceil", "ceilf"},
    {GLSLstd450Fract, "frac", "fract", "fract", ""},
    {GLSLstd450Radians, "radians", "radians", "", ""},
    {GLSLstd450Degrees, "degrees", "degrees", "", ""},
    {GLSLstd450Sin, "sin", "sin", "sin", "sinf"},
    {GLSLstd450Cos, "cos", "cos", "cos", "cosf"},
    {GLSLstd450Tan, "tan", "tan", "tan", "tanf"},
    {GLSLstd450Asin, "asin", "asin", "asin", "asinf"},
    {GLSLstd450Acos, "acos", "acos", "acos", "acosf"},
    {GLSLstd450Atan, "atan", "atan", "atan", "atanf"},
    {GLSLstd450Sinh, "sinh", "sinh", "sinh", "sinhf"},
    {GLSLstd450Cosh, "cosh", "cosh", "cosh", "coshf"},
    {GLSLstd450Tanh, "tanh", "tanh", "tanh", "tanhf"},
    {GLSLstd450Atan2, "atan2", "atan2", "atan2", "atan2f"},
    {GLSLstd450Pow, "pow", "pow", "pow", "powf"},
    {GLSLstd450Exp, "exp", "exp", "exp", "expf"},
    {GLSLstd450Log, "log", "log", "log", "logf"},
    {GLSLstd450Exp2, "exp2", "exp2", "exp2", "exp2f"},
    {GLSLstd450Log2, "log2", "log2", "log2", "log2f"},
    {GLSLstd450Sqrt, "sqrt", "sqrt", "sqrt", "sqrtf"},
    {GLSLstd450InverseSqrt, "rsqrt", "inverseSqrt", "rsqrt", "rsqrtf"},
    {GLSLstd450FMin, "min", "min", "min", "fminf"},
    {GLSLstd450UMin, "min", "min", "min", "", "::min"},
    {GLSLstd450SMin, "min", "min", "min", "", "::min"},
    {GLSLstd450FMax, "max", "max", "max", "fmaxf"},
    {GLSLstd450UMax, "max", "max", "max", "", "::max"},
    {GLSLstd450SMax, "max", "max", "max", "", "::max"},
    {GLSLstd450FClamp, "clamp", "clamp", "clamp", ""},
    {GLSLstd450UClamp, "clamp", "clamp", "clamp", ""},
    {GLSLstd450SClamp, "clamp", "clamp", "clamp", ""},
    {GLSLstd450FMix, "lerp", "mix", "mix", ""},
    {GLSLstd450Step, "step", "step", "step", ""},
    {GLSLstd450SmoothStep, "smoothstep", "smoothstep", "smoothstep", ""},
    {GLSLstd450Fma, "mad", "fma", "fma", "fmaf"},
    {GLSLstd450Length, "length", "length", "length", ""},
    {GLSLstd450Distance, "distance", "distance", "distance", ""},
    {GLSLstd450Normalize, "normalize", "normalize", "normalize", ""},
    {GLSLstd450Cross, "cross", "cross", "cross", ""},
    {GLSLstd450PackUnorm4x8, "", "pack4x8unorm", "pack_float_to_unorm4x8", ""},
    {GLSLstd450UnpackUnorm4x8, "", "unpack4x8unorm", "unpack_unorm4x8_to_float", ""},
    {GLSLstd450PackHalf2x16, "", "pack2x16float", "", ""},
    {GLSLstd450UnpackHalf2x16, "", "unpack2x16float", "", ""},
};

/// Functions that texts call, in any of the languages.
constexpr std::string_view called[] = {
    "abs",  "all",       "any",        "clamp",  "cross",       "distance",    "dot",          "exp",  "exp2", "floor",
    "fma",  "fract",     "frac",       "length", "lerp",        "log",         "log2",         "mad",  "max",  "min",
    "mix",  "normalize", "pow",        "round",  "rint",        "rsqrt",       "select",       "sign", "sin",  "cos",
    "sqrt", "step",      "smoothstep", "tan",    "texel_fetch", "texel_store", "texel_sample", "main"};
constexpr std::string_view hlsl_words[] = {
    "asm",     "bool",     "break",     "buffer",          "case",       "cbuffer",    "centroid",    "class",
    "compile", "const",    "continue",  "default",         "discard",    "do",         "double",      "else",
    "export",  "extern",   "false",     "float",           "for",        "fxgroup",    "groupshared", "half",
    "if",      "in",       "inline",    "inout",           "int",        "interface",  "line",        "lineadj",
    "linear",  "matrix",   "namespace", "nointerpolation", "out",        "packoffset", "pass",        "pixelfragment",
    "point",   "precise",  "register",  "return",          "row_major",  "sample",     "sampler",     "shared",
    "snorm",   "static",   "string",    "struct",          "switch",     "technique",  "texture",     "triangle",
    "true",    "typedef",  "uint",      "uniform",         "unorm",      "unsigned",   "vector",      "vertexfragment",
    "void",    "volatile", "while",     "texture2D",       "pixelshader"};
constexpr std::string_view wgsl_words[] = {
    "alias",    "array",        "as",       "async",      "atomic",     "auto",      "await",      "base",
    "bool",     "break",        "case",     "cast",       "catch",      "class",     "coherent",   "common",
    "const",    "const_assert", "continue", "continuing", "default",    "delete",    "diagnostic", "discard",
    "do",       "each",         "else",     "enable",     "enum",       "event",     "export",     "extends",
    "extern",   "f16",          "f32",      "false",      "final",      "filter",    "finally",    "fn",
    "for",      "friend",       "from",     "function",   "get",        "handle",    "i32",        "if",
    "impl",     "implements",   "import",   "inline",     "instanceof", "interface", "layout",     "let",
    "loop",     "macro",        "match",    "meta",       "mod",        "module",    "move",       "mut",
    "mutable",  "namespace",    "new",      "nil",        "noexcept",   "null",      "of",         "operator",
    "override", "package",      "pass",     "patch",      "pixel",      "point",     "precise",    "precision",
    "premerge", "priv",         "private",  "protected",  "ptr",        "pub",       "public",     "quat",
    "ref",      "regardless",   "register", "requires",   "resource",   "restrict",  "return",     "sample",
    "sampler",  "self",         "set",      "shared",     "smooth",     "snorm",     "static",     "storage",
    "struct",   "super",        "switch",   "target",     "template",   "texture",   "this",       "throw",
    "trait",    "true",         "try",      "type",       "typedef",    "typeid",    "typename",   "typeof",
    "u32",      "uniform",      "union",    "unless",     "unorm",      "unsafe",    "unsized",    "use",
    "using",    "var",          "varying",  "vec2",       "vec3",       "vec4",      "virtual",    "void",
    "volatile", "where",        "while",    "with",       "workgroup",  "writeonly", "yield",      "read",
    "write",    "binding",      "group",    "id",         "compute"};
constexpr std::string_view cpp_words[] = {
    "access",   "alignas",  "and",       "array",    "asm",      "atomic_uint", "auto",      "bool",     "break",
    "case",     "catch",    "char",      "class",    "const",    "constant",    "constexpr", "continue", "default",
    "delete",   "device",   "do",        "double",   "else",     "enum",        "explicit",  "extern",   "false",
    "float",    "for",      "friend",    "goto",     "half",     "if",          "inline",    "int",      "kernel",
    "level",    "long",     "namespace", "new",      "not",      "operator",    "or",        "private",  "protected",
    "public",   "register", "return",    "sampler",  "short",    "signed",      "sizeof",    "static",   "struct",
    "switch",   "template", "texture",   "this",     "thread",   "threadgroup", "throw",     "true",     "try",
    "typedef",  "typename", "uint",      "union",    "unsigned", "using",       "vertex",    "virtual",  "void",
    "volatile", "while",    "xor",       "fragment", "blockIdx", "threadIdx",   "gridDim",   "vec2",     "vec3",
    "vec4",     "ivec2",    "uvec2",     "uvec4",    "assert"};

template <size_t N>
bool has(const std::string_view (&words)[N], std::string_view name) {
    return std::ranges::find(words, name) != std::end(words);
}

}  // namespace

std::string_view glsl_function(Language language, uint32_t instruction, Scalar scalar) {
    const auto found = std::ranges::find(functions, instruction, &Function::instruction);
    if (found == std::end(functions)) return "";
    switch (language) {
        case Language::hlsl:
            return found->hlsl;
        case Language::wgsl:
            return found->wgsl;
        case Language::msl:
            return found->msl;
        default:
            return scalar == Scalar::float32 ? found->cuda : found->cuda_int;
    }
}

bool is_reserved(Language language, std::string_view name) {
    if (has(called, name)) return true;
    switch (language) {
        case Language::hlsl:
            return has(hlsl_words, name);
        case Language::wgsl:
            return has(wgsl_words, name);
        default:
            return has(cpp_words, name);
    }
}

std::string float_text(float value) {
    if (!std::isfinite(value)) throw Error("a constant that is not a finite number: take glsl");
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text + "f";
}

}  // namespace tilewise::kernels
