#include "kernels/translate/print.h"
#include "kernels/translate/words.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/snippet/comment.h"
#include "patterns/snippet/kernel_format.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spirv/unified1/GLSL.std.450.h>

namespace tilewise::kernels {

using spv::Op;
using spv::StorageClass;
using Kind = Expression::Kind;
using Section = Declarations::Section;

namespace {

/// An expression with the precedence of its outermost operator.
struct Text {
    std::string text;
    int precedence = primary_precedence;
};

constexpr const char* component_names = "xyzw";

/// For cases in which CUDA has a formula of numbers instead of a function. The arguments are called a, b, c.
struct Formula {
    uint32_t instruction;
    const char* name;
    const char* text;
};
constexpr Formula formulas[] = {{GLSLstd450FClamp, "clamp", "fminf(fmaxf(a, b), c)"},
                                {GLSLstd450SClamp, "clamp", "::min(::max(a, b), c)"},
                                {GLSLstd450UClamp, "clamp", "::min(::max(a, b), c)"},
                                {GLSLstd450FMix, "mix", "a + (b - a) * c"},
                                {GLSLstd450Fract, "fract", "a - floorf(a)"},
                                {GLSLstd450Step, "step", "b < a ? 0.0f : 1.0f"},
                                {GLSLstd450FSign, "sign", "a > 0 ? 1.0f : a < 0 ? -1.0f : 0.0f"},
                                {GLSLstd450SSign, "sign", "a > 0 ? 1 : a < 0 ? -1 : 0"},
                                {GLSLstd450Radians, "radians", "a * 0.017453292f"},
                                {GLSLstd450Degrees, "degrees", "a * 57.29578f"},
                                {GLSLstd450SmoothStep, "smoothstep",
                                 "__saturatef((c - a) / (b - a)) * __saturatef((c - a) / (b - a)) * (3.0f - 2.0f * "
                                 "__saturatef((c - a) / (b - a)))"}};

class Printer {
public:
    Printer(const ShaderPass& pass, const SpirvModule& module, const std::vector<StructuredFunction>& functions,
            Language language, Declarations& to)
        : pass_(pass), module_(module), functions_(functions), language_(language), to_(to) {
        for (const std::string& line : split_fields(pass.glsl, '\n')) lines_.push_back(line);
        find_atomics();
        find_sampled();
    }

    void print() {
        for (const auto& [id, variable] : module_.variables)
            if (module_.storage_of(id) != StorageClass::Function) globals_.push_back(id);
        // Unused ones are left out.
        std::erase_if(globals_, [&](uint32_t id) {
            return std::ranges::none_of(functions_,
                                        [&](const StructuredFunction& each) { return each.globals.contains(id); });
        });
        std::ranges::sort(globals_, {}, [&](uint32_t id) { return std::pair(binding_of(id).value_or(1000), id); });
        for (const uint32_t id : globals_) declare_global(id);
        for (const StructuredFunction& function : functions_) print_function(function);
    }

private:
    bool is(Language language) const { return language_ == language; }
    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(fmt::format("{} is not translated to {}: take glsl", what, language_name(language_)));
    }

    // What the module says about ids.

    const SpirvType& type(uint32_t id) const { return module_.type(id); }
    std::optional<uint32_t> binding_of(uint32_t id) const { return module_.decoration(id, spv::Decoration::Binding); }

    uint32_t variable_type(uint32_t id) const { return module_.pointee(module_.variables.at(id).type); }
    bool is_global(uint32_t id) const {
        return module_.variables.contains(id) && module_.storage_of(id) != StorageClass::Function;
    }
    bool is_buffer(uint32_t id) const {
        if (!is_global(id)) return false;
        const StorageClass storage = module_.storage_of(id);
        return storage == StorageClass::StorageBuffer || storage == StorageClass::Uniform;
    }
    bool is_image(uint32_t id) const {
        return is_global(id) && module_.storage_of(id) == StorageClass::UniformConstant;
    }
    /// Whether the image is written; images that are only read are textures in all languages.
    bool is_written_image(uint32_t id) const {
        return is_image(id) && type(variable_type(id)).op == Op::OpTypeImage &&
               !module_.decoration(id, spv::Decoration::NonWritable);
    }
    /// Whether the texture is of bytes, viewed as whole words.
    bool is_word_texture(uint32_t id) const {
        return is_image(id) && scalar_of(image_type(id).element) == Scalar::uint32;
    }
    const SpirvType& image_type(uint32_t id) const {
        const SpirvType& own = type(variable_type(id));
        return own.op == Op::OpTypeSampledImage ? type(own.element) : own;
    }
    /// Whether the buffer is a single runtime array: it is then that array.
    bool is_plain_array(uint32_t id) const {
        if (!is_buffer(id)) return false;
        const SpirvType& block = type(variable_type(id));
        return block.members.size() == 1 && type(block.members[0]).op == Op::OpTypeRuntimeArray;
    }

    Scalar scalar_of(uint32_t type_id) const {
        const SpirvType& of = type(type_id);
        switch (of.op) {
            case Op::OpTypeBool:
                return Scalar::boolean;
            case Op::OpTypeInt:
                return of.is_signed ? Scalar::int32 : Scalar::uint32;
            case Op::OpTypeFloat:
                return Scalar::float32;
            case Op::OpTypeVector:
                return scalar_of(of.element);
            default:
                refuse("arithmetic of such a type");
        }
    }
    uint32_t components_of(uint32_t type_id) const {
        return type(type_id).op == Op::OpTypeVector ? type(type_id).count : 1;
    }
    bool is_vector(uint32_t type_id) const { return type(type_id).op == Op::OpTypeVector; }

    // Comments of the GLSL.

    static std::string_view trimmed(std::string_view line) {
        const size_t begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos) return {};
        return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    }
    bool is_comment(size_t line) const { return trimmed(lines_.at(line - 1)).starts_with("//"); }

    /// The comment above the line, printed only once.
    std::string comment_above(uint32_t line, const std::string& indent) {
        if (line == 0 || line > lines_.size()) return {};
        size_t first = line;
        while (first > 1 && is_comment(first - 1)) first--;
        std::string text;
        for (size_t each = first; each < line; each++) {
            if (!printed_comments_.insert(each).second) continue;
            // A foreign comment may contain what would end a comment in another language.
            std::string_view comment = trimmed(lines_[each - 1]);
            const size_t slashes = std::min(comment.find_first_not_of('/'), comment.size());
            const std::string mark(comment.substr(0, slashes));
            comment.remove_prefix(slashes);
            if (comment.starts_with(' ')) comment.remove_prefix(1);
            text += indent + (comment.empty() ? mark + "\n" : comment_lines(comment, mark));
        }
        return text;
    }

    // Names.

    std::string spelled(const std::string& name, const char* otherwise) const {
        std::string word = name.empty() ? otherwise : name;
        for (const auto& [from, to] : pass_.renamed)
            if (word == from) word = to;
        // Two underscores are reserved in GLSL, in WGSL, and in C++.
        if (is_reserved(language_, word) || word.starts_with("_")) word += "_";
        return word;
    }
    std::string name_of(uint32_t id, const char* otherwise) const {
        const auto found = module_.names.find(id);
        return spelled(found == module_.names.end() ? "" : found->second, otherwise);
    }

    bool is_visible(const std::string& name) const {
        if (to_.has(name) || is_reserved(language_, name)) return true;
        return std::ranges::any_of(scopes_, [&](const std::set<std::string>& scope) { return scope.contains(name); });
    }
    std::string fresh(const std::string& name) {
        std::string called = name;
        for (size_t count = 2; is_visible(called); count++) called = fmt::format("{}_{}", name, count);
        scopes_.back().insert(called);
        return called;
    }

    // Types.

    std::string type_text(uint32_t id) {
        const SpirvType& of = type(id);
        switch (of.op) {
            case Op::OpTypeVoid:
                return "void";
            case Op::OpTypeBool:
            case Op::OpTypeInt:
            case Op::OpTypeFloat:
                return vector_type(language_, scalar_of(id), 1);
            case Op::OpTypeVector:
                return vector_text(scalar_of(id), of.count);
            case Op::OpTypeStruct:
                return struct_name(id);
            case Op::OpTypeArray:
                if (is(Language::wgsl)) return fmt::format("array<{}, {}>", type_text(of.element), of.count);
                [[fallthrough]];
            default:
                refuse("a value of such a type");
        }
    }

    std::string vector_text(Scalar scalar, uint32_t components) {
        std::string name = vector_type(language_, scalar, components);
        if (is(Language::cuda) && components > 1) need_cuda_vector(scalar, components);
        return name;
    }

    /// The type of a number that atomic operations change or, in WGSL, of an array of such numbers.
    std::string atomic_type_text(uint32_t id) {
        const SpirvType& of = type(id);
        if (is(Language::msl)) return scalar_of(id) == Scalar::int32 ? "atomic_int" : "atomic_uint";
        if (!is(Language::wgsl)) return type_text(id);
        if (of.op == Op::OpTypeArray) return fmt::format("array<{}, {}>", atomic_type_text(of.element), of.count);
        return fmt::format("atomic<{}>", type_text(id));
    }

    /// A declaration without its end: "float4 rows[968]", "rows: array<vec4<f32>, 968>".
    std::string declarator(uint32_t type_id, const std::string& name, bool is_atomic = false) {
        const auto text_of = [&](uint32_t id) { return is_atomic ? atomic_type_text(id) : type_text(id); };
        if (is(Language::wgsl)) return fmt::format("{}: {}", name, text_of(type_id));
        std::string sides;
        while (type(type_id).op == Op::OpTypeArray) {
            sides += fmt::format("[{}]", type(type_id).count);
            type_id = type(type_id).element;
        }
        return fmt::format("{} {}{}", text_of(type_id), name, sides);
    }

    std::string member_name(uint32_t struct_id, uint32_t member) const {
        const auto found = module_.member_names.find({struct_id, member});
        return spelled(found == module_.member_names.end() ? "" : found->second, "member");
    }

    std::string struct_name(uint32_t id) {
        const auto known = struct_names_.find(id);
        if (known != struct_names_.end()) return known->second;
        const SpirvType of = type(id);
        std::string members;
        for (uint32_t i = 0; i < of.members.size(); i++) {
            const std::string member = declarator(of.members[i], member_name(id, i), atomics_.contains({id, i}));
            members += fmt::format("    {}{}\n", member, is(Language::wgsl) ? "," : ";");
        }
        std::string name = to_.declare(Section::types, name_of(id, "Values"), [&](const std::string& called) {
            return fmt::format("struct {} {{\n{}}}{}\n\n", called, members, is(Language::wgsl) ? "" : ";");
        });
        struct_names_[id] = name;
        return name;
    }

    // CUDA's vectors: its own have no arithmetic.

    void need_cuda_vector(Scalar scalar, uint32_t components) {
        const std::string of = vector_type(language_, scalar, 1);
        std::string names, parameters, list, splat;
        for (uint32_t i = 0; i < components; i++) {
            const char name = component_names[i];
            names += fmt::format("{}{}", i ? ", " : "", name);
            parameters += fmt::format("{}{} {}_", i ? ", " : "", of, name);
            list += fmt::format("{}{}({}_)", i ? ", " : "", name, name);
            splat += fmt::format("{}{}(all)", i ? ", " : "", name);
        }
        const bool is_aligned = components != 3 && scalar != Scalar::boolean;
        to_.declare(Section::vectors, vector_type(language_, scalar, components), [&](const std::string& called) {
            return fmt::format(
                "struct {0}{1} {{\n    {2} {3};\n    {1}() = default;\n"
                "    __host__ __device__ constexpr {1}({4}) : {5} {{}}\n"
                "    __host__ __device__ explicit constexpr {1}({2} all) : {6} {{}}\n}};\n",
                is_aligned ? fmt::format("alignas({}) ", components * 4) : "", called, of, names, parameters, list,
                splat);
        });
    }

    /// Declares a small function by its whole text; `signature` identifies it.
    void need(const std::string& signature, const std::string& text) {
        to_.declare(Section::helpers, signature, [&](const std::string&) { return text; });
    }
    const char* inline_words() const {
        return is(Language::cuda) ? "__device__ inline " : is(Language::msl) ? "inline " : "";
    }

    /// Declares `result NAME(parameters)`, each component of which is `expression` of the arguments' components.
    void need_componentwise(const std::string& name, uint32_t result, const std::vector<uint32_t>& arguments,
                            const std::function<std::string(const std::vector<std::string>&)>& expression) {
        std::string parameters, values;
        for (size_t i = 0; i < arguments.size(); i++)
            parameters += fmt::format("{}{} {}", i ? ", " : "", type_text(arguments[i]), static_cast<char>('a' + i));
        const uint32_t count = components_of(result);
        for (uint32_t k = 0; k < count; k++) {
            std::vector<std::string> parts;
            for (size_t i = 0; i < arguments.size(); i++)
                parts.push_back(is_vector(arguments[i])
                                    ? fmt::format("{}.{}", static_cast<char>('a' + i), component_names[k])
                                    : std::string(1, static_cast<char>('a' + i)));
            values += (k ? ", " : "") + expression(parts);
        }
        const std::string made = count == 1 ? values : fmt::format("{}({})", type_text(result), values);
        const std::string head = fmt::format("{} {}({})", type_text(result), name, parameters);
        need(head, fmt::format("{}{} {{ return {}; }}\n", inline_words(), head, made));
    }

    // Constants.

    bool is_splat(uint32_t id) const {
        const Instruction& of = module_.constants.at(id);
        if (of.op == Op::OpConstantNull) return true;
        return of.op == Op::OpConstantComposite && is_vector(of.type) &&
               std::ranges::all_of(of.operands, [&](uint32_t each) { return each == of.operands.front(); });
    }

    std::string zero_text(uint32_t type_id) {
        const SpirvType& of = type(type_id);
        if (of.op == Op::OpTypeVector) return splat_text(type_id, zero_text(of.element));
        switch (scalar_of(type_id)) {
            case Scalar::boolean:
                return "false";
            case Scalar::float32:
                return "0.0f";
            case Scalar::uint32:
                return "0u";
            default:
                return "0";
        }
    }

    std::string splat_text(uint32_t type_id, const std::string& scalar) {
        if (!is(Language::hlsl)) return fmt::format("{}({})", type_text(type_id), scalar);
        return fmt::format("{}({})", type_text(type_id),
                           fmt::join(std::vector<std::string>(components_of(type_id), scalar), ", "));
    }

    Text constant_text(uint32_t id) {
        const Instruction& of = module_.constants.at(id);
        switch (of.op) {
            case Op::OpConstantTrue:
                return {"true"};
            case Op::OpConstantFalse:
                return {"false"};
            case Op::OpConstantNull:
                return {zero_text(of.type)};
            case Op::OpConstant: {
                const uint32_t bits = of.operands.at(0);
                std::string text;
                switch (scalar_of(of.type)) {
                    case Scalar::int32:
                        text = fmt::format("{}", static_cast<int32_t>(bits));
                        break;
                    case Scalar::float32:
                        text = float_text(std::bit_cast<float>(bits));
                        break;
                    default:
                        text = bits > 0xffff ? fmt::format("{:#x}u", bits) : fmt::format("{}u", bits);
                }
                const bool is_negative = text.starts_with('-');
                return {text, is_negative ? unary_precedence : primary_precedence};
            }
            case Op::OpConstantComposite:
                break;
            default:
                refuse("a specialization constant");
        }
        if (type(of.type).op == Op::OpTypeArray) return {array_constant(id)};
        if (is_splat(id)) return {splat_text(of.type, constant_text(of.operands.front()).text)};
        std::vector<std::string> parts;
        for (const uint32_t each : of.operands) parts.push_back(constant_text(each).text);
        return {constructed(of.type, parts)};
    }

    /// The only constant array that the GLSL declares keeps its name.
    std::string array_name() const {
        std::vector<std::string> names;
        for (const std::string& line : lines_) {
            const std::string_view text = trimmed(line);
            const size_t bracket = text.find('['), equals = text.find('=');
            if (!text.starts_with("const ") || bracket == text.npos || equals == text.npos || equals < bracket)
                continue;
            const size_t space = text.substr(0, bracket).rfind(' ');
            names.emplace_back(text.substr(space + 1, bracket - space - 1));
        }
        return spelled(names.size() == 1 ? names.front() : "", "constants");
    }

    std::string array_constant(uint32_t id) {
        const Instruction& of = module_.constants.at(id);
        std::vector<std::string> elements;
        for (const uint32_t each : of.operands) elements.push_back(constant_text(each).text);
        const std::string list = fmt::format("{}", fmt::join(elements, ", "));
        const uint32_t element = type(of.type).element;
        if (is(Language::cuda)) {
            // If an index is known, nvcc folds it in an array that belongs to the function.
            const auto known = own_arrays_.find(id);
            if (known != own_arrays_.end()) return known->second;
            std::string name = fresh(array_name());
            own_arrays_[id] = name;
            array_lines_ +=
                fmt::format("    constexpr {} {}[{}] = {{{}}};\n", type_text(element), name, elements.size(), list);
            return name;
        }
        return to_.declare(Section::constants, array_name(), [&](const std::string& name) {
            if (is(Language::wgsl)) return fmt::format("const {} = {}({});\n\n", name, type_text(of.type), list);
            return fmt::format("{} {} {}[{}] = {{{}}};\n\n", is(Language::msl) ? "constant" : "static const",
                               type_text(element), name, elements.size(), list);
        });
    }

    /// A vector or struct built from its parts.
    std::string constructed(uint32_t type_id, const std::vector<std::string>& parts) {
        const std::string name = type_text(type_id), list = fmt::format("{}", fmt::join(parts, ", "));
        if (type(type_id).op != Op::OpTypeStruct) return fmt::format("{}({})", name, list);
        if (is(Language::wgsl)) return fmt::format("{}({})", name, list);
        if (!is(Language::hlsl)) return fmt::format("{}{{{}}}", name, list);
        // In HLSL, a struct value must be a variable.
        std::string parameters, assignments;
        for (uint32_t i = 0; i < type(type_id).members.size(); i++) {
            const std::string member = member_name(type_id, i);
            parameters += (i ? ", " : "") + declarator(type(type_id).members[i], member);
            assignments += fmt::format("    made.{0} = {0};\n", member);
        }
        need("make_" + name, fmt::format("{0} make_{0}({1}) {{\n    {0} made;\n{2}    return made;\n}}\n\n", name,
                                         parameters, assignments));
        return fmt::format("make_{}({})", name, list);
    }

    // Global variables.

    void find_atomics() {
        for (const StructuredFunction& function : functions_)
            for_each_expression(function.body, [&](const Expression& each) {
                if (each.op != Op::OpAtomicIAdd && each.op != Op::OpAtomicUMax && each.op != Op::OpAtomicUMin) return;
                const auto holder = holder_of(*each.parts.front());
                if (!holder) refuse("an atomic operation on such a place");
                atomics_.insert(*holder);
            });
    }

    /// The declaration that contains part of a variable: a struct's type and the member's number, or an array that is
    /// itself a variable, with 0. None if the expression is not such a part.
    std::optional<std::pair<uint32_t, uint32_t>> holder_of(const Expression& place) const {
        if (place.kind != Kind::chain || place.parts[0]->kind != Kind::variable) return std::nullopt;
        const Expression& whole = *place.parts[0];
        if (type(whole.type).op == Op::OpTypeStruct && !is_plain_array(whole.id))
            return std::pair(whole.type, number_of(*place.parts[1]));
        return std::pair(whole.id, 0U);
    }
    bool is_atomic_array(uint32_t variable) const { return atomics_.contains({variable, 0}); }

    void find_sampled() {
        for (const StructuredFunction& function : functions_)
            for_each_expression(function.body, [&](const Expression& each) {
                if (each.op == Op::OpImageSampleExplicitLod) sampled_.insert(image_of(*each.parts.front()));
            });
    }

    uint32_t number_of(const Expression& constant) const { return module_.constants.at(constant.id).operands.at(0); }

    static uint32_t image_of(const Expression& expression) {
        const Expression* at = &expression;
        while (!at->parts.empty()) at = at->parts.front().get();
        return at->id;
    }

    std::optional<spv::BuiltIn> builtin_of(uint32_t id) const {
        const auto found = module_.decoration(id, spv::Decoration::BuiltIn);
        return found ? std::optional(static_cast<spv::BuiltIn>(*found)) : std::nullopt;
    }

    const char* input_name(uint32_t id) const {
        switch (builtin_of(id).value_or(spv::BuiltIn::Position)) {
            case spv::BuiltIn::WorkgroupId:
                return is(Language::cuda) ? "blockIdx" : "group_id";
            case spv::BuiltIn::LocalInvocationIndex:
                return is(Language::cuda) ? "threadIdx.x" : "local_index";
            case spv::BuiltIn::LocalInvocationId:
                return is(Language::cuda) ? "threadIdx" : "local_id";
            case spv::BuiltIn::GlobalInvocationId:
                if (!is(Language::cuda)) return "global_id";
                [[fallthrough]];
            default:
                refuse("such an input");
        }
    }

    /// Whether functions get it as an argument.
    bool is_passed(uint32_t id) const {
        const StorageClass storage = module_.storage_of(id);
        if (storage == StorageClass::Input) return !is(Language::cuda);
        if (is(Language::msl)) return true;
        if (is(Language::cuda)) return storage != StorageClass::Workgroup;
        return false;
    }

    std::string global_base_name(uint32_t id) const {
        if (module_.storage_of(id) == StorageClass::Input) return input_name(id);
        if (is_plain_array(id)) return member_name(variable_type(id), 0);
        const std::string own = module_.names.contains(id) ? module_.names.at(id) : "";
        if (!own.empty()) return spelled(own, "");
        std::string block = name_of(variable_type(id), "values");
        block[0] = static_cast<char>(block[0] | 0x20);
        return spelled(block, "values");
    }

    std::string texel_vector(uint32_t image) {
        return vector_text(is_word_texture(image) ? Scalar::uint32 : Scalar::float32, 4);
    }
    const KernelFormat& written_format() const { return kernel_format(pass_.format, language_); }

    /// Its number among those of its kind, by binding.
    size_t register_of(uint32_t id, const std::function<bool(uint32_t)>& is_alike) const {
        size_t number = 0;
        for (const uint32_t each : globals_) {
            if (each == id) return number;
            if (is_alike(each)) number++;
        }
        return number;
    }
    uint32_t last_binding() const {
        uint32_t last = 0;
        for (const uint32_t each : globals_) last = std::max(last, binding_of(each).value_or(0));
        return last;
    }

    void declare_global(uint32_t id) {
        const StorageClass storage = module_.storage_of(id);
        const std::string base = global_base_name(id);
        if (storage == StorageClass::Input || is_passed(id)) {
            names_[id] = base;
            passed_names_.insert(base);
            return;
        }
        names_[id] = to_.declare(Section::resources, base, [&](const std::string& name) -> std::string {
            if (is(Language::hlsl)) return hlsl_global(id, name, storage);
            if (is(Language::wgsl)) return wgsl_global(id, name, storage);
            return fmt::format("__shared__ {};\n", variable_declarator(id, name));
        });
        if (sampled_.contains(id)) {
            const std::string sampler = names_[id] + "_sampler";
            to_.declare(Section::resources, sampler, [&](const std::string& name) {
                const uint32_t place = last_binding() + 1;
                if (is(Language::hlsl))
                    return fmt::format("[[vk::binding({})]] SamplerState {} : register(s0);\n", place, name);
                return fmt::format("@group(0) @binding({}) var {}: sampler;\n", place + (has_push_constants() ? 1 : 0),
                                   name);
            });
        }
    }
    bool has_push_constants() const {
        return std::ranges::any_of(
            globals_, [&](uint32_t each) { return module_.storage_of(each) == StorageClass::PushConstant; });
    }

    std::string hlsl_global(uint32_t id, const std::string& name, StorageClass storage) {
        const uint32_t binding = binding_of(id).value_or(0);
        const auto is_unordered = [&](uint32_t each) { return is_buffer(each) || is_written_image(each); };
        const auto is_texture = [&](uint32_t each) { return is_image(each) && !is_written_image(each); };
        if (is_written_image(id))
            return fmt::format(
                "#ifdef __spirv__\n[[vk::image_format(\"{}\")]]\n#endif\n[[vk::binding({})]] RWTexture2D<{}> {} : "
                "register(u{});\n",
                written_format().glsl, binding, hlsl_element(written_format()), name, register_of(id, is_unordered));
        if (is_texture(id))
            return fmt::format("[[vk::binding({})]] Texture2D<{}> {} : register(t{});\n", binding, texel_vector(id),
                               name, register_of(id, is_texture));
        if (is_buffer(id))
            return fmt::format("[[vk::binding({})]] RWStructuredBuffer<{}> {} : register(u{});\n", binding,
                               buffer_element(id), name, register_of(id, is_unordered));
        if (storage == StorageClass::PushConstant)
            return fmt::format("[[vk::push_constant]] ConstantBuffer<{}> {};\n", type_text(variable_type(id)), name);
        const char* words = storage == StorageClass::Workgroup ? "groupshared" : "static";
        return fmt::format("{} {};\n", words, variable_declarator(id, name));
    }

    std::string wgsl_global(uint32_t id, const std::string& name, StorageClass storage) {
        const uint32_t binding = binding_of(id).value_or(0);
        const std::string place = fmt::format("@group(0) @binding({})", binding);
        if (is_written_image(id))
            return fmt::format("{} var {}: texture_storage_2d<{}, write>;\n", place, name, written_format().wgsl);
        if (is_image(id))
            return fmt::format("{} var {}: texture_2d<{}>;\n", place, name, is_word_texture(id) ? "u32" : "f32");
        if (is_buffer(id)) {
            const std::string whole =
                is_plain_array(id) ? fmt::format("array<{}>", buffer_element(id)) : buffer_element(id);
            const std::string note = name == global_base_name(id) ? "" : fmt::format("// As {} has it:\n", pass_.entry);
            return fmt::format("{}{} var<storage, read_write> {}: {};\n", note, place, name, whole);
        }
        if (storage == StorageClass::PushConstant)
            return fmt::format("@group(0) @binding({}) var<uniform> {}: {};\n", last_binding() + 1, name,
                               type_text(variable_type(id)));
        const char* words = storage == StorageClass::Workgroup ? "workgroup" : "private";
        return fmt::format("var<{}> {};\n", words, variable_declarator(id, name));
    }

    /// Its declaration as a parameter of a function.
    std::string parameter_text(uint32_t id) {
        const std::string& name = names_.at(id);
        const StorageClass storage = module_.storage_of(id);
        if (storage == StorageClass::Input) return declarator(variable_type(id), name);
        if (is(Language::cuda)) {
            if (is_image(id)) return fmt::format("{} {}", cuda_object(id), name);
            if (is_buffer(id)) return fmt::format("{}* {}", buffer_element(id), name);
            if (storage == StorageClass::PushConstant)
                return fmt::format("const {}& {}", type_text(variable_type(id)), name);
            return fmt::format("{}& {}", type_text(variable_type(id)), name);
        }
        if (is_image(id)) return fmt::format("{} {}", msl_texture(id), name);
        if (is_plain_array(id)) return fmt::format("device {}* {}", buffer_element(id), name);
        if (is_buffer(id)) return fmt::format("device {}& {}", buffer_element(id), name);
        if (storage == StorageClass::PushConstant)
            return fmt::format("constant {}& {}", type_text(variable_type(id)), name);
        if (storage == StorageClass::Workgroup)
            return fmt::format("threadgroup {}", variable_declarator(id, array_reference(id, name)));
        return fmt::format("thread {}& {}", type_text(variable_type(id)), name);
    }
    std::string array_reference(uint32_t id, const std::string& name) const {
        return type(variable_type(id)).op == Op::OpTypeArray ? fmt::format("(&{})", name) : "&" + name;
    }
    std::string buffer_element(uint32_t id) {
        if (!is_plain_array(id)) return type_text(variable_type(id));
        const uint32_t element = type(type(variable_type(id)).members[0]).element;
        return is_atomic_array(id) ? atomic_type_text(element) : type_text(element);
    }
    std::string variable_declarator(uint32_t id, const std::string& name) {
        return declarator(variable_type(id), name, is_atomic_array(id));
    }
    /// Whole words are read by a surface: a texture's channels have the width of the image's channels.
    const char* cuda_object(uint32_t id) const {
        return is_written_image(id) || is_word_texture(id) ? "cudaSurfaceObject_t" : "cudaTextureObject_t";
    }
    std::string msl_texture(uint32_t id) const {
        const char* access = is_written_image(id) ? "write" : sampled_.contains(id) ? "sample" : "read";
        return fmt::format("texture2d<{}, access::{}>", is_word_texture(id) ? "uint" : "float", access);
    }

    // Places.

    bool is_pointer_parameter(uint32_t id) const { return is(Language::wgsl) && references_.contains(id); }

    Text variable_text(uint32_t id) {
        const auto known = names_.find(id);
        if (known == names_.end()) refuse("a variable without a declaration");
        if (is_pointer_parameter(id)) return {fmt::format("(*{})", known->second)};
        if (is_buffer(id) && !is_plain_array(id)) {
            if (is(Language::hlsl)) return {known->second + "[0]"};
            if (is(Language::cuda)) return {fmt::format("(*{})", known->second)};
        }
        return {known->second};
    }

    Text place_text(const Expression& place) {
        if (place.kind == Kind::variable) return variable_text(place.id);
        if (place.kind != Kind::chain) return value_text(place);
        const Expression& root = *place.parts.front();
        std::string text = place_text(root).text;
        uint32_t at = root.type;
        size_t first = 1;
        if (root.kind == Kind::variable && is_plain_array(root.id)) {
            at = type(at).members[0];
            first = 2;
        }
        for (size_t i = first; i < place.parts.size(); i++) {
            const Expression& index = *place.parts[i];
            const SpirvType& of = type(at);
            if (of.op == Op::OpTypeStruct) {
                const uint32_t member = number_of(index);
                text += "." + member_name(at, member);
                at = of.members[member];
                continue;
            }
            if (of.op == Op::OpTypeVector && index.kind == Kind::constant)
                text += fmt::format(".{}", component_names[number_of(index)]);
            else if (of.op == Op::OpTypeVector && is(Language::cuda))
                text = fmt::format("(&{}.x)[{}]", text, index_text(index));
            else
                text += fmt::format("[{}]", index_text(index));
            at = of.element;
        }
        return {text};
    }
    std::string index_text(const Expression& index) {
        if (index.kind == Kind::constant && scalar_of(index.type) == Scalar::uint32)
            return fmt::format("{}", number_of(index));
        return value_text(index).text;
    }

    bool is_atomic_place(const Expression& place) const {
        const auto holder = holder_of(place);
        return holder && atomics_.contains(*holder);
    }

    // Expressions.

    /// Adds parentheses if the expression binds less tightly than needed.
    std::string bound(const Expression& expression, int precedence) {
        const Text text = value_text(expression);
        return text.precedence < precedence ? fmt::format("({})", text.text) : text.text;
    }

    Text value_text(const Expression& expression) {
        switch (expression.kind) {
            case Kind::constant:
                return constant_text(expression.id);
            case Kind::temporary:
                return {names_.at(expression.id)};
            case Kind::load:
                if (is_atomic_place(*expression.parts[0])) {
                    const std::string place = place_text(*expression.parts[0]).text;
                    if (is(Language::wgsl)) return {fmt::format("atomicLoad(&{})", place)};
                    if (is(Language::msl))
                        return {fmt::format("atomic_load_explicit(&{}, memory_order_relaxed)", place)};
                }
                return place_text(*expression.parts[0]);
            case Kind::variable:
            case Kind::chain:
                return place_text(expression);
            case Kind::call:
                return call_text(expression, {});
            case Kind::operation:
                return operation_text(expression);
        }
        refuse("such an expression");
    }

    std::string list_text(const Expression& expression) {
        std::vector<std::string> parts;
        for (const ExpressionPointer& part : expression.parts) parts.push_back(value_text(*part).text);
        return fmt::format("{}", fmt::join(parts, ", "));
    }

    const StructuredFunction& function(uint32_t id) const {
        return *std::ranges::find(functions_, id, &StructuredFunction::id);
    }

    /// `instead` has replacement texts for arguments, by position.
    Text call_text(const Expression& expression, const std::map<size_t, std::string>& instead) {
        const StructuredFunction& called = function(expression.id);
        std::vector<std::string> arguments;
        for (size_t i = 0; i < expression.parts.size(); i++) {
            const Expression& part = *expression.parts[i];
            if (const auto other = instead.find(i); other != instead.end()) {
                arguments.push_back(other->second);
            } else if (called.parameters[i].is_reference && is(Language::wgsl)) {
                arguments.push_back(is_pointer_parameter(part.id) ? names_.at(part.id) : "&" + place_text(part).text);
            } else {
                arguments.push_back(value_text(part).text);
            }
        }
        for (const uint32_t id : globals_)
            if (is_passed(id) && called.globals.contains(id)) arguments.push_back(names_.at(id));
        return {fmt::format("{}({})", function_names_.at(expression.id), fmt::join(arguments, ", "))};
    }

    Text operation_text(const Expression& expression) {
        const Operator known = binary_operator(expression.op);
        if (!known.symbol.empty()) return binary_text(expression, known);
        const auto part = [&](size_t i) -> const Expression& { return *expression.parts.at(i); };
        const auto unary = [&](const char* symbol) {
            need_cuda_unary(expression, symbol);
            return Text{symbol + bound(part(0), unary_precedence + 1), unary_precedence};
        };
        switch (expression.op) {
            case Op::OpSNegate:
            case Op::OpFNegate:
                return unary("-");
            case Op::OpNot:
                return unary("~");
            case Op::OpLogicalNot:
                return unary("!");
            case Op::OpSelect:
                return select_text(expression);
            case Op::OpConvertSToF:
            case Op::OpConvertUToF:
            case Op::OpConvertFToS:
            case Op::OpConvertFToU:
                return conversion_text(expression);
            case Op::OpBitcast:
                return bitcast_text(expression);
            case Op::OpCompositeConstruct:
                return construct_text(expression);
            case Op::OpCompositeExtract:
                return extract_text(expression);
            case Op::OpVectorShuffle:
                return shuffle_text(expression);
            case Op::OpVectorExtractDynamic:
                if (is(Language::cuda)) refuse("a component by a number that changes");
                return {fmt::format("{}[{}]", bound(part(0), primary_precedence), value_text(part(1)).text)};
            case Op::OpAll:
            case Op::OpAny:
                return all_text(expression);
            case Op::OpDot:
                return dot_text(expression);
            case Op::OpExtInst:
                return glsl_text(expression);
            case Op::OpImage:
                return value_text(part(0));
            case Op::OpImageFetch:
            case Op::OpImageRead:
                return fetch_text(expression);
            case Op::OpImageSampleExplicitLod:
                return sample_text(expression);
            case Op::OpImageWrite:
                return write_text(expression);
            case Op::OpControlBarrier:
                return {barrier_text()};
            case Op::OpAtomicIAdd:
                return atomic_text(expression);
            default:
                refuse(op_name(expression.op));
        }
    }

    static bool is_comparison(const Operator& of) { return of.precedence == 8 || of.precedence == 9; }
    static bool is_shift(const Operator& of) { return of.precedence == 11; }
    /// Whether it operates on bits or truth values: readers, and some languages, want parentheses around operands mixed
    /// with these.
    static bool is_of_bits(const Operator& of) { return of.precedence <= 7 || is_shift(of); }

    /// The operand as a number, if the language accepts one beside a vector.
    std::optional<std::string> scalar_beside_vector(const Expression& expression, const Operator& of) {
        if (is(Language::cuda) || is_comparison(of) || of.precedence < 5) return std::nullopt;
        if (is(Language::wgsl) && is_of_bits(of)) return std::nullopt;
        const bool is_construct = expression.kind == Kind::operation && expression.op == Op::OpCompositeConstruct;
        if (is_construct && is_vector(expression.type) && expression.parts.size() == 1)
            return bound(*expression.parts[0], of.precedence + 1);
        if (expression.kind != Kind::constant || !is_vector(expression.type) || !is_splat(expression.id))
            return std::nullopt;
        const Instruction& constant = module_.constants.at(expression.id);
        if (constant.op == Op::OpConstantNull) return zero_text(type(expression.type).element);
        const Text number = constant_text(constant.operands.front());
        return number.precedence < primary_precedence ? fmt::format("({})", number.text) : number.text;
    }

    std::string operand_text(const Expression& operand, const Operator& of, bool is_right, bool beside_vector) {
        if (beside_vector)
            if (const auto number = scalar_beside_vector(operand, of)) return *number;
        if (is(Language::wgsl) && is_shift(of) && is_right) return shift_amount(operand);
        const Operator inner = operand.kind == Kind::operation ? binary_operator(operand.op) : Operator{};
        const bool is_mixed = !inner.symbol.empty() && inner.symbol != of.symbol &&
                              ((is_of_bits(of) && !(of.precedence <= 4 && is_comparison(inner))) ||
                               (is_comparison(of) && (is_of_bits(inner) || is_comparison(inner))));
        if (is_mixed) return fmt::format("({})", value_text(operand).text);
        return bound(operand, of.precedence + (is_right ? 1 : 0));
    }

    std::string shift_amount(const Expression& amount) {
        if (amount.kind == Kind::constant && scalar_of(amount.type) == Scalar::int32) {
            const Instruction& constant = module_.constants.at(amount.id);
            if (constant.op == Op::OpConstant) return fmt::format("{}u", constant.operands[0]);
            if (constant.op == Op::OpConstantComposite && is_splat(amount.id))
                return fmt::format("{}({}u)", vector_type(language_, Scalar::uint32, components_of(amount.type)),
                                   module_.constants.at(constant.operands[0]).operands[0]);
        }
        if (scalar_of(amount.type) == Scalar::uint32) return bound(amount, unary_precedence);
        return fmt::format("{}({})", vector_type(language_, Scalar::uint32, components_of(amount.type)),
                           value_text(amount).text);
    }

    Text binary_text(const Expression& expression, const Operator& of) {
        const Expression &left = *expression.parts[0], &right = *expression.parts[1];
        if (is(Language::cuda) && (is_vector(left.type) || is_vector(right.type)))
            need_componentwise(fmt::format("operator{}", of.symbol), expression.type, {left.type, right.type},
                               [&](const std::vector<std::string>& parts) {
                                   return fmt::format("{} {} {}", parts[0], of.symbol, parts[1]);
                               });
        return {fmt::format("{} {} {}", operand_text(left, of, false, is_vector(right.type)), of.symbol,
                            operand_text(right, of, true, is_vector(left.type))),
                of.precedence};
    }

    void need_cuda_unary(const Expression& expression, const std::string& symbol) {
        if (!is(Language::cuda) || !is_vector(expression.type)) return;
        need_componentwise("operator" + symbol, expression.type, {expression.parts[0]->type},
                           [&](const std::vector<std::string>& parts) { return symbol + parts[0]; });
    }

    Text select_text(const Expression& expression) {
        const Expression &condition = *expression.parts[0], &yes = *expression.parts[1], &no = *expression.parts[2];
        const bool by_component = is_vector(condition.type);
        if (is(Language::wgsl) || (is(Language::msl) && by_component))
            return {fmt::format("select({}, {}, {})", value_text(no).text, value_text(yes).text,
                                value_text(condition).text)};
        if (by_component) refuse("a choice by component");
        return {fmt::format("{} ? {} : {}", bound(condition, conditional_precedence + 1),
                            bound(yes, conditional_precedence + 1), bound(no, conditional_precedence)),
                conditional_precedence};
    }

    Text converted(uint32_t to, const Expression& from) {
        if (!is(Language::cuda) || !is_vector(to)) return {fmt::format("{}({})", type_text(to), value_text(from).text)};
        const std::string name = "to_" + type_text(to);
        need_componentwise(name, to, {from.type}, [&](const std::vector<std::string>& parts) {
            return fmt::format("{}({})", vector_type(language_, scalar_of(to), 1), parts[0]);
        });
        return {fmt::format("{}({})", name, value_text(from).text)};
    }
    Text conversion_text(const Expression& expression) { return converted(expression.type, *expression.parts[0]); }

    Text bitcast_text(const Expression& expression) {
        const Expression& from = *expression.parts[0];
        const Scalar to_scalar = scalar_of(expression.type), from_scalar = scalar_of(from.type);
        // Integers keep their bits.
        if (to_scalar != Scalar::float32 && from_scalar != Scalar::float32) return converted(expression.type, from);
        const std::string value = value_text(from).text, name = type_text(expression.type);
        switch (language_) {
            case Language::hlsl:
                return {fmt::format("{}({})",
                                    to_scalar == Scalar::float32  ? "asfloat"
                                    : to_scalar == Scalar::uint32 ? "asuint"
                                                                  : "asint",
                                    value)};
            case Language::wgsl:
                return {fmt::format("bitcast<{}>({})", name, value)};
            case Language::msl:
                return {fmt::format("as_type<{}>({})", name, value)};
            default:
                break;
        }
        const std::string scalar = fmt::format("__{}_as_{}", cuda_letter(from_scalar), cuda_letter(to_scalar));
        if (!is_vector(from.type)) return {fmt::format("{}({})", scalar, value)};
        need_componentwise("bits_to_" + name, expression.type, {from.type}, [&](const std::vector<std::string>& parts) {
            return fmt::format("{}({})", scalar, parts[0]);
        });
        return {fmt::format("bits_to_{}({})", name, value)};
    }
    static const char* cuda_letter(Scalar scalar) {
        return scalar == Scalar::float32 ? "float" : scalar == Scalar::uint32 ? "uint" : "int";
    }

    Text construct_text(const Expression& expression) {
        const SpirvType& of = type(expression.type);
        if (of.op == Op::OpTypeArray) refuse("an array that is made of values");
        const std::vector<ExpressionPointer>& parts = expression.parts;
        if (of.op == Op::OpTypeVector && parts.size() == 1) {
            if (is(Language::hlsl) && parts[0]->kind != Kind::constant)
                return {fmt::format("({}){}", type_text(expression.type), bound(*parts[0], primary_precedence)),
                        unary_precedence};
            return {splat_text(expression.type, value_text(*parts[0]).text)};
        }
        const bool is_mixed =
            std::ranges::any_of(parts, [&](const ExpressionPointer& part) { return is_vector(part->type); });
        if (!is(Language::cuda) || of.op != Op::OpTypeVector || !is_mixed) {
            std::vector<std::string> texts;
            texts.reserve(parts.size());
            for (const ExpressionPointer& part : parts) texts.push_back(value_text(*part).text);
            return {constructed(expression.type, texts)};
        }
        std::string parameters, values;
        for (size_t i = 0; i < parts.size(); i++) {
            const char name = static_cast<char>('a' + i);
            parameters += fmt::format("{}{} {}", i ? ", " : "", type_text(parts[i]->type), name);
            for (uint32_t k = 0; k < components_of(parts[i]->type); k++)
                values += fmt::format("{}{}{}", values.empty() ? "" : ", ", name,
                                      is_vector(parts[i]->type) ? fmt::format(".{}", component_names[k]) : "");
        }
        const std::string name = "make_" + type_text(expression.type);
        const std::string head = fmt::format("{} {}({})", type_text(expression.type), name, parameters);
        need(head,
             fmt::format("{}{} {{ return {}({}); }}\n", inline_words(), head, type_text(expression.type), values));
        return {fmt::format("{}({})", name, list_text(expression))};
    }

    Text extract_text(const Expression& expression) {
        const Expression& from = *expression.parts[0];
        std::string text = bound(from, primary_precedence);
        uint32_t at = from.type;
        for (const uint32_t place : expression.literals) {
            const SpirvType& of = type(at);
            if (of.op == Op::OpTypeStruct) {
                text += "." + member_name(at, place);
                at = of.members.at(place);
                continue;
            }
            text += of.op == Op::OpTypeVector ? fmt::format(".{}", component_names[place]) : fmt::format("[{}]", place);
            at = of.element;
        }
        return {text};
    }

    Text shuffle_text(const Expression& expression) {
        const Expression& from = *expression.parts[0];
        const uint32_t count = components_of(from.type);
        std::string names;
        for (const uint32_t place : expression.literals) {
            if (place >= count && !are_equal(from, *expression.parts[1])) refuse("such a swizzle");
            names += component_names[place % count];
        }
        if (!is(Language::cuda)) return {fmt::format("{}.{}", bound(from, primary_precedence), names)};
        // blockIdx has a type specific to CUDA.
        const bool is_input = from.kind == Kind::load && from.parts[0]->kind == Kind::variable &&
                              is_global(from.parts[0]->id) &&
                              module_.storage_of(from.parts[0]->id) == StorageClass::Input;
        const std::string from_type = is_input ? "uint3" : type_text(from.type);
        std::string values;
        for (const char name : names) values += fmt::format("{}a.{}", values.empty() ? "" : ", ", name);
        const std::string head = fmt::format("{} {}({} a)", type_text(expression.type), names, from_type);
        need(head,
             fmt::format("{}{} {{ return {}({}); }}\n", inline_words(), head, type_text(expression.type), values));
        return {fmt::format("{}({})", names, value_text(from).text)};
    }

    Text all_text(const Expression& expression) {
        const bool is_all = expression.op == Op::OpAll;
        const Expression& of = *expression.parts[0];
        const char* name = is_all ? "all" : "any";
        if (is(Language::cuda)) {
            std::string values;
            for (uint32_t i = 0; i < components_of(of.type); i++)
                values += fmt::format("{}a.{}", i ? is_all ? " && " : " || " : "", component_names[i]);
            const std::string head = fmt::format("bool {}({} a)", name, type_text(of.type));
            need(head, fmt::format("{}{} {{ return {}; }}\n", inline_words(), head, values));
        }
        return {fmt::format("{}({})", name, value_text(of).text)};
    }

    void need_dot(uint32_t vector) {
        if (!is(Language::cuda)) return;
        std::string values;
        for (uint32_t i = 0; i < components_of(vector); i++)
            values += fmt::format("{0}a.{1} * b.{1}", i ? " + " : "", component_names[i]);
        const std::string name = type_text(vector), head = fmt::format("float dot({0} a, {0} b)", name);
        need(head, fmt::format("{}{} {{ return {}; }}\n", inline_words(), head, values));
    }
    Text dot_text(const Expression& expression) {
        need_dot(expression.parts[0]->type);
        return {fmt::format("dot({})", list_text(expression))};
    }

    Text glsl_text(const Expression& expression) {
        const uint32_t instruction = expression.number;
        if (const auto packed = pack_text(expression)) return *packed;
        const Scalar scalar = scalar_of(expression.parts[0]->type);
        std::string name(glsl_function(language_, instruction, scalar));
        // HLSL's function returns integers.
        if (is(Language::hlsl) && instruction == GLSLstd450FSign)
            return {fmt::format("{}(sign({}))", type_text(expression.type), list_text(expression))};
        if (!is(Language::cuda)) {
            if (name.empty()) refuse(fmt::format("GLSL's instruction {}", instruction));
            return {fmt::format("{}({})", name, list_text(expression))};
        }
        std::vector<uint32_t> types;
        for (const ExpressionPointer& part : expression.parts) types.push_back(part->type);
        const auto formula = std::ranges::find(formulas, instruction, &Formula::instruction);
        if (formula != std::end(formulas)) {
            need_componentwise(formula->name, expression.type, types, [&](const std::vector<std::string>& parts) {
                std::string text;
                for (const char* at = formula->text; *at; at++) {
                    const bool is_argument =
                        *at >= 'a' && *at <= 'c' && !is_letter(at[1]) && (at == formula->text || !is_letter(at[-1]));
                    text += is_argument ? parts.at(static_cast<size_t>(*at - 'a')) : std::string(1, *at);
                }
                return text;
            });
            return {fmt::format("{}({})", formula->name, list_text(expression))};
        }
        if (const auto geometric = cuda_geometric_text(expression)) return *geometric;
        if (name.empty()) refuse(fmt::format("GLSL's instruction {}", instruction));
        if (!is_vector(expression.type)) return {fmt::format("{}({})", name, list_text(expression))};
        // The name as GLSL has it: without the letter of its type, or CUDA's colons. These colons keep a vector's
        // function of the same name, in the kernel's namespace, from hiding the function for numbers.
        const std::string called = scalar == Scalar::float32
                                       ? name.substr(name[0] == 'f' && name != "floorf" ? 1 : 0,
                                                     name.size() - 1 - (name[0] == 'f' && name != "floorf" ? 1 : 0))
                                       : name.substr(name.find_first_not_of(':'));
        need_componentwise(called, expression.type, types, [&](const std::vector<std::string>& parts) {
            return fmt::format("{}({})", name, fmt::join(parts, ", "));
        });
        return {fmt::format("{}({})", called, list_text(expression))};
    }
    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

    void need_difference(uint32_t vector) {
        need_componentwise("operator-", vector, {vector, vector}, [](const std::vector<std::string>& parts) {
            return fmt::format("{} - {}", parts[0], parts[1]);
        });
    }
    void need_product(uint32_t vector) {
        need_componentwise(
            "operator*", vector, {vector, type(vector).element},
            [](const std::vector<std::string>& parts) { return fmt::format("{} * {}", parts[0], parts[1]); });
    }

    std::optional<Text> cuda_geometric_text(const Expression& expression) {
        const uint32_t vector = expression.parts[0]->type;
        const std::string name = type_text(vector);
        const auto helper = [&](const std::string& head, const std::string& value) {
            need(head, fmt::format("{}{} {{ return {}; }}\n", inline_words(), head, value));
        };
        switch (expression.number) {
            case GLSLstd450Length:
                need_dot(vector);
                helper(fmt::format("float length({} a)", name), "sqrtf(dot(a, a))");
                return Text{fmt::format("length({})", list_text(expression))};
            case GLSLstd450Distance:
                need_dot(vector);
                need_difference(vector);
                helper(fmt::format("float distance({0} a, {0} b)", name), "sqrtf(dot(a - b, a - b))");
                return Text{fmt::format("distance({})", list_text(expression))};
            case GLSLstd450Normalize:
                need_dot(vector);
                need_product(vector);
                helper(fmt::format("{0} normalize({0} a)", name), "a * rsqrtf(dot(a, a))");
                return Text{fmt::format("normalize({})", list_text(expression))};
            default:
                return std::nullopt;
        }
    }

    /// Halves and bytes in a word, if the language has no function for them.
    std::optional<Text> pack_text(const Expression& expression) {
        const auto call = [&](const char* name, const std::string& result, const std::string& parameter,
                              const std::string& value) {
            const std::string head = fmt::format("{} {}({} a)", result, name, parameter);
            need(head, fmt::format("{}{} {{\n    return {};\n}}\n", inline_words(), head, value));
            return Text{fmt::format("{}({})", name, list_text(expression))};
        };
        const std::string word = vector_text(Scalar::uint32, 1);
        const auto two = [&] { return vector_text(Scalar::float32, 2); };
        const auto four = [&] { return vector_text(Scalar::float32, 4); };
        const bool is_hlsl = is(Language::hlsl), is_msl = is(Language::msl);
        if (is(Language::wgsl)) return std::nullopt;
        switch (expression.number) {
            case GLSLstd450PackHalf2x16:
                if (!is_hlsl && !is_msl) need_half();
                return call("pack_half", word, two(),
                            is_hlsl  ? "f32tof16(a.x) | (f32tof16(a.y) << 16)"
                            : is_msl ? "as_type<uint>(half2(a))"
                                     : "__half_as_ushort(__float2half_rn(a.x)) | (unsigned("
                                       "__half_as_ushort(__float2half_rn(a.y))) << 16)");
            case GLSLstd450UnpackHalf2x16:
                if (!is_hlsl && !is_msl) need_half();
                return call("unpack_half", two(), word,
                            is_hlsl  ? "float2(f16tof32(a & 0xffff), f16tof32(a >> 16))"
                            : is_msl ? "float2(as_type<half2>(a))"
                                     : "vec2(__half2float(__ushort_as_half(a & 0xffff)), "
                                       "__half2float(__ushort_as_half(a >> 16)))");
            case GLSLstd450PackUnorm4x8:
                if (is_msl) return std::nullopt;
                return call("pack_bytes", word, four(),
                            is_hlsl ? "dot(uint4(round(saturate(a) * 255.0f)), uint4(1, 1 << 8, 1 << 16, 1 << 24))"
                                    // Adding 2^23 rounds: what is left of it in the bits above is cut off.
                                    : "(__float_as_uint(__saturatef(a.x) * 255.0f + 8388608.0f) & 0xff) |\n           "
                                      "((__float_as_uint(__saturatef(a.y) * 255.0f + 8388608.0f) & 0xff) << 8) |\n"
                                      "           "
                                      "((__float_as_uint(__saturatef(a.z) * 255.0f + 8388608.0f) & 0xff) << 16) |\n"
                                      "           "
                                      "(__float_as_uint(__saturatef(a.w) * 255.0f + 8388608.0f) << 24)");
            case GLSLstd450UnpackUnorm4x8:
                if (is_msl) return std::nullopt;
                return call("unpack_bytes", four(), word,
                            is_hlsl ? "float4(uint4(a, a >> 8, a >> 16, a >> 24) & 0xff) * (1.0f / 255.0f)"
                                    : "vec4((a & 0xff) / 255.0f, (a >> 8 & 0xff) / 255.0f, "
                                      "(a >> 16 & 0xff) / 255.0f, (a >> 24) / 255.0f)");
            default:
                return std::nullopt;
        }
    }
    void need_half() {
        to_.declare(Section::before, "cuda_fp16", [](const std::string&) { return "#include <cuda_fp16.h>\n"; });
    }

    // Images.

    Text fetch_text(const Expression& expression) {
        const uint32_t image = image_of(*expression.parts[0]);
        const std::string name = names_.at(image), at = value_text(*expression.parts[1]).text;
        switch (language_) {
            case Language::hlsl:
                return {fmt::format("{}.Load(int3({}, 0))", name, at)};
            case Language::wgsl:
                return {fmt::format("textureLoad({}, {}, 0)", name, at)};
            case Language::msl:
                return {fmt::format("{}.read(uint2({}))", name, at)};
            default:
                need_cuda_fetch(image);
                return {fmt::format("texel_fetch({}, {})", name, at)};
        }
    }

    void need_cuda_fetch(uint32_t image) {
        const std::string texel = texel_vector(image), at = vector_text(Scalar::int32, 2);
        if (is_word_texture(image))
            return need(texel + " texel_fetch",
                        fmt::format("__device__ inline {0} texel_fetch(cudaSurfaceObject_t image, {1} at) {{\n"
                                    "    return {0}(surf2Dread<unsigned>(image, at.x * 4, at.y, "
                                    "cudaBoundaryModeZero), 0, 0, 1);\n}}\n\n",
                                    texel, at));
        // Only PTX addresses a texel by integers; HIP has only tex2D (see patterns/snippet/kernel.cpp).
        need(texel + " texel_fetch",
             fmt::format("__device__ inline {0} texel_fetch(cudaTextureObject_t source, {1} at) {{\n"
                         "#ifdef __CUDA_ARCH__\n"
                         "    float r, g, b, a;\n"
                         "    asm(\"tex.2d.v4.f32.s32 {{%0, %1, %2, %3}}, [%4, {{%5, %6}}];\"\n"
                         "        : \"=f\"(r), \"=f\"(g), \"=f\"(b), \"=f\"(a)\n"
                         "        : \"l\"(source), \"r\"(at.x), \"r\"(at.y));\n"
                         "    return {0}(r, g, b, a);\n"
                         "#else\n"
                         "    const float4 texel = tex2D<float4>(source, at.x + 0.5f, at.y + 0.5f);\n"
                         "    return {0}(texel.x, texel.y, texel.z, texel.w);\n"
                         "#endif\n"
                         "}}\n\n",
                         texel, at));
    }

    Text sample_text(const Expression& expression) {
        const uint32_t image = image_of(*expression.parts[0]);
        const std::string name = names_.at(image), at = value_text(*expression.parts[1]).text;
        switch (language_) {
            case Language::hlsl:
                return {fmt::format("{0}.SampleLevel({0}_sampler, {1}, 0)", name, at)};
            case Language::wgsl:
                return {fmt::format("textureSampleLevel({0}, {0}_sampler, {1}, 0)", name, at)};
            case Language::msl:
                need("sampler", "constexpr sampler bilinear(filter::linear, address::clamp_to_edge);\n\n");
                return {fmt::format("{}.sample(bilinear, {}, level(0))", name, at)};
            default:
                refuse("a bilinear sampler beside texels by their numbers");
        }
    }

    Text write_text(const Expression& expression) {
        const uint32_t image = image_of(*expression.parts[0]);
        const std::string name = names_.at(image), at = value_text(*expression.parts[1]).text,
                          value = value_text(*expression.parts[2]).text;
        switch (language_) {
            case Language::hlsl: {
                constexpr const char* swizzles[] = {".x", ".xy", ".xyz", ""};
                const char* swizzle = swizzles[written_format().channels - 1];
                const std::string whole = bound(*expression.parts[2], *swizzle ? primary_precedence : 0);
                return {fmt::format("{}[{}] = {}{}", name, at, whole, swizzle)};
            }
            case Language::wgsl:
                return {fmt::format("textureStore({}, {}, {})", name, at, value)};
            case Language::msl:
                need("texel_store",
                     "/// Nothing beyond the edges.\n"
                     "inline void texel_store(texture2d<float, access::write> image, int2 at, float4 value) {\n"
                     "    const uint2 to = uint2(at);\n"
                     "    if (to.x < image.get_width() && to.y < image.get_height()) { image.write(value, to); }\n"
                     "}\n\n");
                return {fmt::format("texel_store({}, {}, {})", name, at, value)};
            default:
                return {fmt::format("{}({}, {}, {})", cuda_store(), name, at, value)};
        }
    }

    std::string cuda_store() {
        const KernelFormat& format = written_format();
        const std::string channel = cuda_channel_function(format);
        if (channel.find("__half") != std::string::npos) need_half();
        if (!channel.empty()) {
            // Each format has its own function, found by its name.
            std::string text = channel;
            const std::string name = fmt::format("to_{}", cuda_channel(format.channel));
            const std::string from = "tilewise_channel";
            const std::string called = format.channel == Channel::half ? "to_half" : name;
            text.replace(text.find(from), from.size(), called);
            need(called, text);
        }
        const std::string channel_name = channel.empty() ? ""
                                         : format.channel == Channel::half
                                             ? "to_half"
                                             : fmt::format("to_{}", cuda_channel(format.channel));
        std::vector<std::string> values;
        for (unsigned i = 0; i < format.channels; i++)
            values.push_back(channel.empty() ? fmt::format("value.{}", component_names[i])
                                             : fmt::format("{}(value.{})", channel_name, component_names[i]));
        std::string stored = fmt::format("{}", fmt::join(values, ", "));
        if (format.channels > 1)
            stored = fmt::format("make_{}{}({})", channel.empty() ? "float" : cuda_channel(format.channel),
                                 format.channels, stored);
        return to_.declare(Section::helpers, "texel_store", [&](const std::string& name) {
            return fmt::format(
                "/// Nothing beyond the edges.\n"
                "__device__ inline void {}(cudaSurfaceObject_t image, {} at, {} value) {{\n"
                "    surf2Dwrite({}, image, at.x * {}, at.y, cudaBoundaryModeZero);\n}}\n\n",
                name, vector_text(Scalar::int32, 2), vector_text(Scalar::float32, 4), stored,
                format.channels * channel_bytes(format.channel));
        });
    }

    const char* barrier_text() const {
        switch (language_) {
            case Language::hlsl:
                return "GroupMemoryBarrierWithGroupSync()";
            case Language::wgsl:
                return "workgroupBarrier()";
            case Language::msl:
                return "threadgroup_barrier(mem_flags::mem_threadgroup)";
            default:
                return "__syncthreads()";
        }
    }

    /// In HLSL, the variable `result` comes after it, see let_text().
    Text atomic_text(const Expression& expression) {
        const std::string place = place_text(*expression.parts[0]).text, value = value_text(*expression.parts[1]).text;
        switch (language_) {
            case Language::hlsl:
                return {fmt::format("InterlockedAdd({}, {}", place, value)};
            case Language::wgsl:
                return {fmt::format("atomicAdd(&{}, {})", place, value)};
            case Language::msl:
                return {fmt::format("atomic_fetch_add_explicit(&{}, {}, memory_order_relaxed)", place, value)};
            default:
                return {fmt::format("atomicAdd(&{}, {})", place, value)};
        }
    }

    // Statements.

    std::string statements_text(const Statements& list, const std::string& indent) {
        scopes_.emplace_back();
        std::string text;
        for (const Statement& each : list) {
            text += comment_above(each.line, indent);
            text += statement_text(each, indent);
        }
        scopes_.pop_back();
        return text;
    }

    std::string statement_text(const Statement& statement, const std::string& indent) {
        switch (statement.kind) {
            case Statement::Kind::declare:
            case Statement::Kind::assign:
                return indent + simple_text(statement) + ";\n";
            case Statement::Kind::let:
                return let_text(statement, indent);
            case Statement::Kind::evaluate:
                return evaluate_text(statement, indent);
            case Statement::Kind::branch:
                return branch_text(statement, indent);
            case Statement::Kind::loop:
                return loop_text(statement, indent);
            case Statement::Kind::leave:
                return indent + "break;\n";
            case Statement::Kind::next:
                return indent + "continue;\n";
            case Statement::Kind::end:
                return indent +
                       (statement.value ? fmt::format("return {};\n", value_text(*statement.value).text) : "return;\n");
        }
        return {};
    }

    /// Without the end of the statement.
    std::string simple_text(const Statement& statement) {
        if (statement.kind == Statement::Kind::declare) return declaration_text(statement);
        const Expression &to = *statement.to, &value = *statement.value;
        if (type(to.type).op == Op::OpTypeArray) refuse("the copy of an array");
        const std::string place = place_text(to).text;
        if (is_atomic_place(to)) {
            const std::string text = value_text(value).text;
            if (is(Language::wgsl)) return fmt::format("atomicStore(&{}, {})", place, text);
            if (is(Language::msl))
                return fmt::format("atomic_store_explicit(&{}, {}, memory_order_relaxed)", place, text);
        }
        const Operator of = value.kind == Kind::operation ? binary_operator(value.op) : Operator{};
        const bool is_compound = !of.symbol.empty() && !is_comparison(of) && of.precedence > 4 &&
                                 value.parts[0]->kind == Kind::load && are_equal(*value.parts[0]->parts[0], to);
        if (!is_compound) return fmt::format("{} = {}", place, value_text(value).text);
        const Expression& right = *value.parts[1];
        if (is(Language::cuda) && is_vector(to.type)) {
            binary_text(value, of);
            const std::string head =
                fmt::format("{0}& operator{1}=({0}& a, {2} b)", type_text(to.type), of.symbol, type_text(right.type));
            need(head, fmt::format("{}{} {{ return a = a {} b; }}\n", inline_words(), head, of.symbol));
        }
        std::string amount = is_shift(of) && is(Language::wgsl) ? shift_amount(right) : value_text(right).text;
        if (const auto number = is_vector(to.type) ? scalar_beside_vector(right, of) : std::nullopt) amount = *number;
        return fmt::format("{} {}= {}", place, of.symbol, amount);
    }

    std::string declaration_text(const Statement& statement) {
        const uint32_t id = statement.id;
        const uint32_t of = module_.variables.contains(id) ? variable_type(id)
                            : statement.to                 ? statement.to->type
                                                           : type_of_phi(id);
        // Its value is expressed by what is visible before it.
        const std::string value = statement.value ? value_text(*statement.value).text : "";
        const std::string name = fresh(name_of(id, "chosen"));
        names_[id] = name;
        const bool is_constant = statement.value && !changed_.contains(id);
        std::string text = declarator(of, name);
        if (is(Language::wgsl)) {
            if (is_constant) return fmt::format("let {} = {}", name, value);
            if (statement.value) return fmt::format("var {} = {}", name, value);
            return "var " + text;
        }
        if (is_constant) text = "const " + text;
        return statement.value ? fmt::format("{} = {}", text, value) : text;
    }
    uint32_t type_of_phi(uint32_t id) const { return phi_types_.at(id); }

    std::string let_text(const Statement& statement, const std::string& indent) {
        const Expression& value = *statement.value;
        const std::string base = value.kind == Kind::load && value.parts[0]->kind == Kind::variable
                                     ? "old_" + name_of(value.parts[0]->id, "value")
                                     : "value";
        if (is(Language::hlsl) && value.op == Op::OpAtomicIAdd) {
            const std::string call = atomic_text(value).text;
            const std::string name = fresh(base);
            names_[statement.id] = name;
            return fmt::format("{0}{1};\n{0}{2}, {3});\n", indent, declarator(value.type, name), call, name);
        }
        const auto [before, text, after] = effect_text(value, indent);
        const std::string name = fresh(base);
        names_[statement.id] = name;
        const std::string head = is(Language::wgsl) ? "let " + name : "const " + declarator(value.type, name);
        return fmt::format("{}{}{} = {};\n{}", before, indent, head, text, after);
    }

    std::string evaluate_text(const Statement& statement, const std::string& indent) {
        const Expression& value = *statement.value;
        if (value.op == Op::OpMemoryBarrier) refuse("memory shared among workgroups");
        const auto [before, text, after] = effect_text(value, indent);
        const char* end = is(Language::hlsl) && value.op == Op::OpAtomicIAdd ? ");\n" : ";\n";
        const bool is_unused_value =
            is(Language::wgsl) && value.kind == Kind::call && type(value.type).op != Op::OpTypeVoid;
        return fmt::format("{}{}{}{}{}{}", before, indent, is_unused_value ? "_ = " : "", text, end, after);
    }

    /// A call, with copies of what WGSL's pointers cannot refer to: parts of variables.
    struct Effect {
        std::string before, text, after;
    };
    Effect effect_text(const Expression& value, const std::string& indent) {
        if (value.kind != Kind::call || !is(Language::wgsl)) return {"", value_text(value).text, ""};
        Effect effect;
        std::map<size_t, std::string> instead;
        const StructuredFunction& called = function(value.id);
        for (size_t i = 0; i < value.parts.size(); i++) {
            const Expression& part = *value.parts[i];
            if (!called.parameters[i].is_reference || part.kind == Kind::variable) continue;
            const std::string place = place_text(part).text;
            const std::string copy = fresh(name_of(called.parameters[i].id, "part"));
            effect.before += fmt::format("{}var {} = {};\n", indent, copy, place);
            effect.after += fmt::format("{}{} = {};\n", indent, place, copy);
            instead[i] = "&" + copy;
        }
        effect.text = call_text(value, instead).text;
        return effect;
    }

    std::string branch_text(const Statement& statement, const std::string& indent) {
        const std::string inner = indent + "    ";
        const bool is_negated = statement.body.empty();
        std::string condition = value_text(*statement.value).text;
        if (is_negated) condition = "!" + bound(*statement.value, unary_precedence + 1);
        std::string text = fmt::format("{}if ({}) {{\n", indent, condition);
        text += statements_text(is_negated ? statement.other : statement.body, inner);
        if (!is_negated && !statement.other.empty())
            text += fmt::format("{}}} else {{\n{}", indent, statements_text(statement.other, inner));
        return text + indent + "}\n";
    }

    const char* unroll_words() const {
        switch (language_) {
            case Language::hlsl:
                return "[unroll] ";
            case Language::wgsl:
                return "";
            default:
                return "#pragma unroll\n";
        }
    }

    static bool is_simple(const Statement& statement) {
        return statement.kind == Statement::Kind::assign || statement.kind == Statement::Kind::declare;
    }

    /// Prints `i++` rather than `i += 1`.
    std::string step_text(const Statement& statement) {
        std::string text = simple_text(statement);
        for (const auto& [sum, step] : {std::pair(" += 1", "++"), {" += 1u", "++"}, {" -= 1", "--"}, {" -= 1u", "--"}})
            if (text.ends_with(sum)) return text.substr(0, text.size() - std::string_view(sum).size()) + step;
        return text;
    }

    std::string loop_text(const Statement& loop, const std::string& indent) {
        const std::string inner = indent + "    ";
        scopes_.emplace_back();
        std::string text;
        if (loop.unroll) {
            const std::string_view words = unroll_words();
            text += words.empty() ? "" : indent + std::string(words);
        }
        const bool is_on_line = loop.unroll && is(Language::hlsl);
        const std::string begin = is_on_line ? "" : indent;
        const bool has_simple_step =
            std::ranges::all_of(loop.next, is_simple) && loop.next.size() <= (is(Language::wgsl) ? 1U : 4U);
        if (loop.asked_last || !has_simple_step) {
            text += general_loop_text(loop, begin, indent, inner);
        } else {
            const std::string first = loop.first.empty() ? "" : simple_text(loop.first.front());
            const std::string condition = loop.value ? value_text(*loop.value).text : "";
            std::vector<std::string> steps;
            for (const Statement& each : loop.next) steps.push_back(step_text(each));
            const std::string step = fmt::format("{}", fmt::join(steps, ", "));
            if (first.empty() && step.empty() && !condition.empty())
                text += fmt::format("{}while ({}) {{\n", begin, condition);
            else
                text += fmt::format("{}for ({};{}{};{}{}) {{\n", begin, first, condition.empty() ? "" : " ", condition,
                                    step.empty() ? "" : " ", step);
            text += statements_text(loop.body, inner) + indent + "}\n";
        }
        scopes_.pop_back();
        return text;
    }

    std::string general_loop_text(const Statement& loop, const std::string& begin, const std::string& indent,
                                  const std::string& inner) {
        std::string text;
        if (!loop.first.empty()) refuse("such a loop");
        if (is(Language::wgsl)) {
            text = begin + "loop {\n";
            if (loop.value && !loop.asked_last)
                text += fmt::format("{}if (!{}) {{ break; }}\n", inner, bound(*loop.value, unary_precedence + 1));
            text += statements_text(loop.body, inner) + inner + "continuing {\n" +
                    statements_text(loop.next, inner + "    ");
            if (loop.asked_last)
                text += fmt::format("{}    break if !{};\n", inner, bound(*loop.value, unary_precedence + 1));
            return text + inner + "}\n" + indent + "}\n";
        }
        if (!loop.asked_last) refuse("such a loop");
        text = begin + "do {\n" + statements_text(loop.body, inner) + statements_text(loop.next, inner);
        return text + fmt::format("{}}} while ({});\n", indent, value_text(*loop.value).text);
    }

    // Functions.

    void find_changed(const Statements& list) {
        for (const Statement& each : list) {
            const auto change = [&](const Expression& place) {
                const Expression* at = &place;
                while (at->kind == Kind::chain) at = at->parts.front().get();
                if (at->kind == Kind::variable) changed_.insert(at->id);
            };
            if (each.kind == Statement::Kind::assign) {
                change(*each.to);
                if (!module_.variables.contains(each.to->id)) phi_types_[each.to->id] = each.to->type;
            }
            for (const Statements* inside : {&each.first, &each.body, &each.other, &each.next}) find_changed(*inside);
        }
        for_each_expression(list, [&](const Expression& each) {
            if (each.kind != Kind::call) return;
            for (size_t i = 0; i < each.parts.size(); i++) {
                if (!function(each.id).parameters[i].is_reference) continue;
                const Expression* at = each.parts[i].get();
                while (at->kind == Kind::chain) at = at->parts.front().get();
                changed_.insert(at->id);
            }
        });
    }

    std::string parameter_declaration(const Parameter& parameter, std::string& copies) {
        const std::string name = fresh(name_of(parameter.id, "value"));
        names_[parameter.id] = name;
        if (is(Language::wgsl)) {
            if (parameter.is_reference) {
                references_.insert(parameter.id);
                return fmt::format("{}: ptr<function, {}>", name, type_text(parameter.type));
            }
            if (!parameter.is_changed) return declarator(parameter.type, name);
            const std::string own = fresh(name);
            names_[parameter.id] = own;
            copies += fmt::format("    var {} = {};\n", own, name);
            return declarator(parameter.type, name);
        }
        if (!parameter.is_reference) return declarator(parameter.type, name);
        switch (language_) {
            case Language::hlsl:
                return "inout " + declarator(parameter.type, name);
            case Language::msl:
                return "thread " + declarator(parameter.type, "&" + name);
            default:
                return declarator(parameter.type, "&" + name);
        }
    }

    std::vector<uint32_t> passed_to(const StructuredFunction& of) const {
        std::vector<uint32_t> passed;
        for (const uint32_t id : globals_)
            if (is_passed(id) && of.globals.contains(id)) passed.push_back(id);
        return passed;
    }

    void print_function(const StructuredFunction& of) {
        changed_.clear();
        phi_types_.clear();
        own_arrays_.clear();
        array_lines_.clear();
        scopes_.assign(1, passed_names_);
        find_changed(of.body);
        const bool is_entry = of.id == module_.entry;
        std::string copies;
        std::vector<std::string> parameters;
        for (const Parameter& each : of.parameters) parameters.push_back(parameter_declaration(each, copies));
        if (!is_entry)
            for (const uint32_t id : passed_to(of)) parameters.push_back(parameter_text(id));
        const std::string comment = comment_above(of.line, "");
        std::string body;
        if (is_entry) body = entry_locals(of);
        const std::string statements = statements_text(of.body, "    ");
        body = array_lines_ + copies + body + statements;
        if (is_entry) {
            to_.declare(Section::functions, pass_.entry,
                        [&](const std::string& name) { return comment + entry_head(of, name) + body + "}\n\n"; });
            return;
        }
        const std::string result = type_text(of.result_type);
        function_names_[of.id] =
            to_.declare(Section::functions, name_of(of.id, "function"), [&](const std::string& name) {
                const std::string list = fmt::format("{}", fmt::join(parameters, ", "));
                const std::string head =
                    is(Language::wgsl) ? fmt::format("fn {}({}){}", name, list, result == "void" ? "" : " -> " + result)
                                       : fmt::format("{}{} {}({})", inline_words(), result, name, list);
                return fmt::format("{}{} {{\n{}}}\n\n", comment, head, body);
            });
    }

    /// Declares variables that are global in the other languages.
    std::string entry_locals(const StructuredFunction& of) {
        std::string text;
        for (const uint32_t id : passed_to(of)) {
            const StorageClass storage = module_.storage_of(id);
            if (storage == StorageClass::Private)
                text += fmt::format("    {};\n", declarator(variable_type(id), names_.at(id)));
            if (storage == StorageClass::Workgroup)
                text += fmt::format("    threadgroup {};\n", variable_declarator(id, names_.at(id)));
        }
        return text;
    }

    std::string entry_head(const StructuredFunction& of, const std::string& name) {
        const auto [x, y, z] = module_.local_size;
        std::vector<std::string> parameters;
        for (const uint32_t id : globals_) {
            if (!of.globals.contains(id) || !is_passed(id)) continue;
            const StorageClass storage = module_.storage_of(id);
            if (storage == StorageClass::Private || storage == StorageClass::Workgroup) continue;
            parameters.push_back(entry_parameter(id));
        }
        switch (language_) {
            case Language::hlsl:
                return fmt::format("[numthreads({}, {}, {})]\nvoid {}({}) {{\n", x, y, z, name,
                                   fmt::join(parameters, ", "));
            case Language::wgsl:
                return fmt::format("@compute @workgroup_size({}, {}, {})\nfn {}({}) {{\n", x, y, z, name,
                                   fmt::join(parameters, ", "));
            case Language::msl: {
                const std::string below = ",\n" + std::string(sizeof("kernel void (") - 1 + name.size(), ' ');
                return fmt::format("[[max_total_threads_per_threadgroup({})]]\nkernel void {}({}) {{\n", x * y * z,
                                   name, fmt::join(parameters, below));
            }
            default: {
                const std::string below = ",\n" + std::string(name.size() + 1, ' ');
                return fmt::format("__global__ void __launch_bounds__({})\n{}({}) {{\n", x * y * z, name,
                                   fmt::join(parameters, below));
            }
        }
    }

    std::string entry_parameter(uint32_t id) {
        const StorageClass storage = module_.storage_of(id);
        std::string plain = parameter_text(id);
        if (is(Language::cuda)) {
            // Arguments of a launch are values.
            if (storage == StorageClass::PushConstant)
                return fmt::format("{} {}", type_text(variable_type(id)), names_.at(id));
            return plain;
        }
        if (storage == StorageClass::Input) {
            const spv::BuiltIn builtin = builtin_of(id).value();
            struct Names {
                spv::BuiltIn builtin;
                const char* hlsl;
                const char* wgsl;
                const char* msl;
            };
            constexpr Names all[] = {
                {spv::BuiltIn::WorkgroupId, "SV_GroupID", "workgroup_id", "threadgroup_position_in_grid"},
                {spv::BuiltIn::LocalInvocationIndex, "SV_GroupIndex", "local_invocation_index",
                 "thread_index_in_threadgroup"},
                {spv::BuiltIn::LocalInvocationId, "SV_GroupThreadID", "local_invocation_id",
                 "thread_position_in_threadgroup"},
                {spv::BuiltIn::GlobalInvocationId, "SV_DispatchThreadID", "global_invocation_id",
                 "thread_position_in_grid"}};
            const Names& names = *std::ranges::find(all, builtin, &Names::builtin);
            if (is(Language::hlsl)) return fmt::format("{} : {}", plain, names.hlsl);
            if (is(Language::wgsl)) return fmt::format("@builtin({}) {}", names.wgsl, plain);
            return fmt::format("{} [[{}]]", plain, names.msl);
        }
        const auto is_texture = [&](uint32_t each) { return is_image(each); };
        const auto is_memory = [&](uint32_t each) { return is_buffer(each); };
        if (is_image(id)) return fmt::format("{} [[texture({})]]", plain, register_of(id, is_texture));
        if (is_buffer(id)) return fmt::format("{} [[buffer({})]]", plain, register_of(id, is_memory));
        // After all bindings if there are buffers, so that it is the same in all passes.
        const bool has_buffers = std::ranges::any_of(globals_, is_memory);
        return fmt::format("{} [[buffer({})]]", plain, has_buffers ? last_binding() + 1 : 0);
    }

    const ShaderPass& pass_;
    const SpirvModule& module_;
    const std::vector<StructuredFunction>& functions_;
    Language language_;
    Declarations& to_;
    std::vector<std::string> lines_;
    std::set<size_t> printed_comments_;
    std::vector<uint32_t> globals_;
    std::map<uint32_t, std::string> names_, struct_names_, function_names_;
    std::set<std::string> passed_names_;
    /// Changed by atomic operations, see holder_of().
    std::set<std::pair<uint32_t, uint32_t>> atomics_;
    std::set<uint32_t> sampled_;
    // State of the function that is printed.
    std::vector<std::set<std::string>> scopes_;
    std::set<uint32_t> references_, changed_;
    std::map<uint32_t, uint32_t> phi_types_;
    std::map<uint32_t, std::string> own_arrays_;
    std::string array_lines_;
};

}  // namespace

std::string Declarations::text(Section section) const {
    std::string text;
    for (const std::string& each : sections_[static_cast<size_t>(section)]) text += each;
    return text;
}

void print_pass(const ShaderPass& pass, const SpirvModule& module, const std::vector<StructuredFunction>& functions,
                Language language, Declarations& to) {
    Printer(pass, module, functions, language, to).print();
}

}  // namespace tilewise::kernels
