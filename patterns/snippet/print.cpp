#include "patterns/snippet/print.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tilewise {

using namespace ir;

namespace {

constexpr size_t line_width = 100;

bool is_c_like(Language language) { return language != Language::wgsl && language != Language::rust; }
bool is_cpp(Language language) { return language == Language::cuda || language == Language::cpp; }
/// Whether the language widens operands that meet a wide one by itself, and has `const`.
bool is_c_or_cpp(Language language) { return is_cpp(language) || language == Language::c_pdep; }

const char* symbol(Op op) {
    switch (op) {
        case Op::bit_and:
            return "&";
        case Op::bit_or:
            return "|";
        case Op::bit_xor:
            return "^";
        case Op::shift_left:
            return "<<";
        case Op::shift_right:
            return ">>";
        case Op::add:
            return "+";
        case Op::subtract:
            return "-";
        case Op::multiply:
            return "*";
        case Op::divide:
            return "/";
        case Op::modulo:
            return "%";
        default:
            return nullptr;
    }
}

bool associates(Op op) {
    return op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor || op == Op::add || op == Op::multiply;
}

struct Printer {
    const Function& function;
    Language language;
    std::vector<unsigned> uses;
    std::map<Value, std::string> variables = {};  ///< inputs, and values that have a variable

    const Node& node(Value v) const { return function.program.nodes[v]; }

    std::string number(uint64_t value, bool wide, bool as_mask) const {
        const char* suffix = language == Language::rust ? "" : wide && value >> 32 != 0 ? "ull" : "u";
        return as_mask && value > 9 ? fmt::format("{:#x}{}", value, suffix) : fmt::format("{}{}", value, suffix);
    }

    /// Whether the operand needs no parentheses, neither for the language nor for a reader.
    bool bare(Value operand, Op parent, bool left) const {
        if (variables.contains(operand)) return true;
        const Op op = node(operand).op;
        if (op == Op::constant || op == Op::minimum || op == Op::deposit || op == Op::extract) return true;
        if (op == Op::widen) return !is_c_or_cpp(language) || bare(node(operand).a, parent, left);
        if (op == Op::narrow) return language != Language::rust;
        if (op == Op::divide_or_zero) return !is_c_like(language);
        if (op == parent && associates(op) && left) return true;
        return op == Op::multiply && (parent == Op::add || parent == Op::subtract);
    }

    std::string operand(Value v, Op parent, bool left) const {
        if (node(v).op == Op::constant && (parent == Op::shift_left || parent == Op::shift_right) && !left)
            return fmt::format("{}", node(v).constant);
        const bool mask = parent == Op::bit_and || parent == Op::bit_or || parent == Op::bit_xor;
        const std::string text =
            node(v).op == Op::constant ? number(node(v).constant, node(v).wide, mask) : expression(v);
        return bare(v, parent, left) ? text : "(" + text + ")";
    }

    /// C, C++ and CUDA widen operands that meet a wide one by themselves.
    std::string widened(Value v) const {
        if (language == Language::rust) return fmt::format("u64::from({})", expression(node(v).a));
        return expression(node(v).a);
    }

    std::string cast(const std::string& type, Value a) const {
        const char* form = language == Language::c_pdep ? "({})({})" : "static_cast<{}>({})";
        return fmt::format(fmt::runtime(form), type, expression(a));
    }

    /// Whether C would compute a wide value in 32 bits: if its operands are a widened one and a constant.
    bool needs_wide_operand(const Node& n) const {
        return is_c_or_cpp(language) && n.wide && n.possible >> 32 != 0 && node(n.a).op == Op::widen &&
               !variables.contains(n.a) && node(n.b).op == Op::constant;
    }

    std::string narrowed(Value v) const {
        const Value a = node(v).a;
        if (language == Language::rust) return operand(a, Op::narrow, true) + " as u32";
        return cast(type_name(language, 1), a);
    }

    std::string quotient_or_zero(Value a, Value b) const {
        const std::string quotient = operand(a, Op::divide, true) + " / " + operand(b, Op::divide, false);
        const std::string divisor = operand(b, Op::divide, false);
        if (language == Language::wgsl) return fmt::format("select({}, 0u, {} == 0u)", quotient, divisor);
        if (language == Language::rust)
            return fmt::format("{}.checked_div({}).unwrap_or(0)", operand(a, Op::divide, true), divisor);
        return fmt::format("{} == 0u ? 0u : {}", divisor, quotient);
    }

    std::string smaller(Value a, Value b) const {
        const auto argument = [&](Value v) {
            return node(v).op == Op::constant ? number(node(v).constant, false, false) : expression(v);
        };
        if (language == Language::rust) return fmt::format("{}.min({})", operand(a, Op::divide, false), argument(b));
        if (language == Language::c_pdep)
            return fmt::format("({0} < {1} ? {0} : {1})", operand(a, Op::divide, false), operand(b, Op::divide, false));
        return fmt::format("{}min({}, {})", language == Language::cpp ? "std::" : "", argument(a), argument(b));
    }

    std::string intrinsic(const char* name, Value a, Value mask) const {
        return fmt::format("{}({}, {})", name, expression(a), number(node(mask).constant, false, true));
    }

    std::string expression(Value v) const {
        const auto variable = variables.find(v);
        return variable != variables.end() ? variable->second : operation(v);
    }

    std::string operation(Value v) const {
        const Node& n = node(v);
        switch (n.op) {
            case Op::constant:
                return number(n.constant, n.wide, false);
            case Op::widen:
                return widened(v);
            case Op::narrow:
                return narrowed(v);
            case Op::divide_or_zero:
                return quotient_or_zero(n.a, n.b);
            case Op::minimum:
                return smaller(n.a, n.b);
            case Op::deposit:
                return intrinsic("_pdep_u32", n.a, n.b);
            case Op::extract:
                return intrinsic("_pext_u32", n.a, n.b);
            default:
                return fmt::format("{} {} {}",
                                   needs_wide_operand(n) ? cast(type_name(language, 1, Number::uint64), node(n.a).a)
                                                         : operand(n.a, n.op, true),
                                   symbol(n.op), operand(n.b, n.op, false));
        }
    }

    /// The value after `before`, on one line, or with one operand of its outermost chain per line.
    std::string statement(const std::string& before, Value v) const {
        std::string line = fmt::format("    {}{};\n", before, variables.contains(v) ? expression(v) : operation(v));
        const Op op = node(v).op;
        if (line.size() <= line_width || !associates(op) || variables.contains(v)) return line;
        std::vector<Value> chain;
        Value head = v;
        for (; node(head).op == op && !variables.contains(head); head = node(head).a) chain.push_back(node(head).b);
        line = fmt::format("    {}{}", before, operand(head, op, true));
        for (auto next = chain.rbegin(); next != chain.rend(); ++next)
            line += fmt::format("\n        {} {}", symbol(op), operand(*next, op, false));
        return line + ";\n";
    }
};

/// The values that become variables, in order, with their names: those that have a name or are used more than once. A
/// name that is already in use is assigned anew; but if the earlier value is still needed, the later one gets another
/// name.
std::vector<std::pair<Value, std::string>> choose_variables(const Function& function,
                                                            const std::vector<unsigned>& uses) {
    const Program& program = function.program;
    std::vector<Value> chosen;
    for (Value v = 0; v < uses.size(); v++) {
        const Op op = program.nodes[v].op;
        if (uses[v] == 0 || op == Op::input || op == Op::constant) continue;
        const bool returned = std::ranges::count(function.results, v) == 1 && uses[v] == 1;
        if ((program.names.contains(v) && !(returned && function.results.size() == 1)) || uses[v] > 1)
            chosen.push_back(v);
    }
    // For each chosen value, the last statement that reads it, by its place among the chosen.
    std::map<Value, size_t> last_use;
    const auto read = [&](auto& self, Value v, size_t place, bool top) -> void {
        if (!top && std::ranges::binary_search(chosen, v)) {
            last_use[v] = place;
            return;
        }
        const Node& node = program.nodes[v];
        if (node.op == Op::input || node.op == Op::constant) return;
        self(self, node.a, place, false);
        self(self, node.b, place, false);
    };
    for (size_t i = 0; i < chosen.size(); i++) read(read, chosen[i], i, true);
    for (Value result : function.results) read(read, result, chosen.size(), false);

    std::vector<std::pair<Value, std::string>> variables;
    std::map<std::string, Value> holds;
    for (const auto& [v, name] : program.names)
        if (program.nodes[v].op == Op::input) holds[name] = v;
    for (const Parameter& parameter : function.parameters) holds.try_emplace(parameter.name, Value{0});
    for (size_t i = 0; i < chosen.size(); i++) {
        const auto named = program.names.find(chosen[i]);
        const std::string wanted = named == program.names.end() ? "bits" : named->second;
        std::string name = wanted;
        const auto taken = [&] {
            const auto held = holds.find(name);
            if (held == holds.end()) return false;
            const Node &before = program.nodes[held->second], &now = program.nodes[chosen[i]];
            return before.op == Op::input || before.wide != now.wide || last_use[held->second] > i;
        };
        for (unsigned n = 2; taken(); n++) name = fmt::format("{}{}", wanted, n);
        holds[name] = chosen[i];
        variables.emplace_back(chosen[i], name);
    }
    return variables;
}

Number unsigned_number(bool wide) { return wide ? Number::uint64 : Number::uint32; }

std::string struct_text(Language language, unsigned components, bool wide) {
    const std::string name = type_name(language, components, unsigned_number(wide));
    const std::string number = type_name(language, 1, unsigned_number(wide));
    const char* names = components == 2 ? "x, y" : components == 3 ? "x, y, z" : "x, y, z, w";
    if (language == Language::cpp) return fmt::format("struct {} {{\n    {} {};\n}};\n", name, number, names);
    if (language == Language::c_pdep)
        return fmt::format("typedef struct {{\n    {} {};\n}} {};\n", number, names, name);
    std::string text = fmt::format("#[derive(Clone, Copy)]\npub struct {} {{\n", name);
    for (unsigned i = 0; i < components; i++) text += fmt::format("    pub {}: {},\n", "xyzw"[i], number);
    return text + "}\n";
}

/// The text before the functions.
std::string preamble(const std::vector<const Function*>& functions, Language language) {
    std::string text;
    if (language == Language::msl) text = "#include <metal_stdlib>\nusing namespace metal;\n\n";
    if (language == Language::cpp) {
        const bool has_minimum = std::ranges::any_of(functions, [](const Function* function) {
            return std::ranges::any_of(function->program.nodes,
                                       [](const Node& node) { return node.op == Op::minimum; });
        });
        text = fmt::format("{}#include <cstdint>\n\n", has_minimum ? "#include <algorithm>\n" : "");
    }
    if (language == Language::c_pdep) text = "#include <immintrin.h>\n#include <stdint.h>\n\n";
    if (language != Language::cpp && language != Language::rust && language != Language::c_pdep) return text;
    std::set<std::pair<unsigned, bool>> types;
    for (const Function* function : functions) {
        for (const Parameter& parameter : function->parameters) types.emplace(parameter.components, parameter.wide);
        types.emplace(static_cast<unsigned>(function->results.size()), false);
    }
    for (const auto& [components, wide] : types)
        if (components > 1) text += struct_text(language, components, wide) + "\n";
    return text;
}

/// The name of a parameter; compilers warn about one that has a name but is not used.
std::string parameter_name(const Parameter& parameter, Language language, bool used) {
    if (used) return parameter.name;
    if (language == Language::rust) return "_" + parameter.name;
    return is_cpp(language) || language == Language::msl ? "" : parameter.name;
}

/// `uses`: for the program's values, the first of which are the parameters' components; none if all are used.
std::string head(const Function& function, Language language, const std::string& result,
                 const std::vector<unsigned>& uses = {}) {
    const bool name_first = language == Language::wgsl || language == Language::rust;
    std::string parameters, unused;
    Value input = 0;
    for (const Parameter& parameter : function.parameters) {
        const std::string type = type_name(language, parameter.components, unsigned_number(parameter.wide));
        const auto first = uses.begin() + (uses.empty() ? 0 : input);
        const bool used =
            uses.empty() || std::any_of(first, first + parameter.components, [](unsigned n) { return n > 0; });
        input += parameter.components;
        const std::string name = parameter_name(parameter, language, used);
        parameters += parameters.empty() ? "" : ", ";
        parameters += name_first ? name + ": " + type : name.empty() ? type : type + " " + name;
        // Before C23, a parameter must have a name.
        if (!used && language == Language::c_pdep) unused += fmt::format("    (void){};\n", name);
    }
    if (name_first)
        return fmt::format("{}fn {}({}) -> {} {{\n", language == Language::rust ? "pub " : "", function.name,
                           parameters, result);
    const char* before = language == Language::msl      ? "inline "
                         : language == Language::cuda   ? "__host__ __device__ inline "
                         : language == Language::cpp    ? "constexpr "
                         : language == Language::c_pdep ? "static inline "
                                                        : "";
    return fmt::format("{}{} {}({}) {{\n{}", before, result, function.name, parameters, unused);
}

/// "uint v = ", or "v = " if the variable is assigned anew.
std::string assignment(Language language, const std::string& name, bool wide, bool first, bool again_later) {
    if (!first && language != Language::rust) return name + " = ";
    // Rust shadows the name with another value.
    const bool constant = !again_later || language == Language::rust;
    return declaration(language, type_name(language, 1, unsigned_number(wide)), name, constant);
}

}  // namespace

std::string type_name(Language language, unsigned components, Number number) {
    struct Words {
        const char *number, *vector;
    };
    // In the order of Number.
    constexpr std::array<Words, 4> glsl = {{{"uint", "uvec"}, {"uint", "uvec"}, {"int", "ivec"}, {"float", "vec"}}};
    constexpr std::array<Words, 4> hlsl = {{{"uint", "uint"}, {"uint", "uint"}, {"int", "int"}, {"float", "float"}}};
    constexpr std::array<Words, 4> wgsl = {{{"u32", "vec"}, {"u32", "vec"}, {"i32", "vec"}, {"f32", "vec"}}};
    constexpr std::array<Words, 4> cuda = {
        {{"unsigned int", "uint"}, {"unsigned long long", "ulonglong"}, {"int", "int"}, {"float", "float"}}};
    constexpr std::array<Words, 4> cpp = {{{"uint32_t", "TilewiseUint"},
                                           {"uint64_t", "TilewiseUlong"},
                                           {"int32_t", "TilewiseInt"},
                                           {"float", "TilewiseFloat"}}};
    constexpr std::array<Words, 4> rust = {
        {{"u32", "TilewiseUint"}, {"u64", "TilewiseUlong"}, {"i32", "TilewiseInt"}, {"f32", "TilewiseFloat"}}};
    const auto& all = language == Language::glsl                                  ? glsl
                      : language == Language::wgsl                                ? wgsl
                      : language == Language::cuda                                ? cuda
                      : language == Language::cpp || language == Language::c_pdep ? cpp
                      : language == Language::rust                                ? rust
                                                                                  : hlsl;  // and msl
    const Words words = all.at(static_cast<size_t>(number));
    if (components == 1) return words.number;
    if (language == Language::wgsl) return fmt::format("vec{}<{}>", components, words.number);
    return fmt::format("{}{}", words.vector, components);
}

std::string vector_text(Language language, const std::vector<std::string>& components, Number number) {
    std::string text;
    for (size_t i = 0; i < components.size(); i++) {
        const std::string field(1, "xyzw"[i]);
        text += i == 0 ? "" : ", ";
        text += language == Language::rust && components[i] != field ? field + ": " + components[i] : components[i];
    }
    const std::string type = type_name(language, static_cast<unsigned>(components.size()), number);
    switch (language) {
        case Language::rust:
            return fmt::format("{} {{ {} }}", type, text);
        case Language::cpp:
            return fmt::format("{}{{{}}}", type, text);
        case Language::c_pdep:
            return fmt::format("({}){{{}}}", type, text);
        case Language::cuda:
            return fmt::format("make_{}({})", type, text);
        default:
            return fmt::format("{}({})", type, text);
    }
}

std::string declaration(Language language, const std::string& type, const std::string& name, bool constant) {
    if (language == Language::wgsl) return fmt::format("{} {} = ", constant ? "let" : "var", name);
    if (language == Language::rust) return fmt::format("let {}{} = ", constant ? "" : "mut ", name);
    return fmt::format("{}{} {} = ", is_c_or_cpp(language) && constant ? "const " : "", type, name);
}

namespace {

std::string result_type(const Function& function, Language language) {
    const std::vector<Value>& results = function.results;
    return type_name(language, static_cast<unsigned>(results.size()),
                     unsigned_number(function.program.nodes[results[0]].wide));
}

std::string body(const Function& function, Language language) {
    const std::vector<Value>& results = function.results;
    Printer printer = {function, language, use_counts(function.program, results)};
    std::string text = head(function, language, result_type(function, language), printer.uses);

    Value input = 0;  // the parameters' components are the program's first values
    for (const Parameter& parameter : function.parameters)
        for (unsigned i = 0; i < parameter.components; i++, input++) {
            printer.variables[input] = function.program.names.at(input);
            if (parameter.unpacked && printer.uses[input] > 0)
                text += fmt::format("    {}{}.{};\n",
                                    assignment(language, printer.variables[input], parameter.wide, true, false),
                                    parameter.name, "xyzw"[i]);
        }
    const auto variables = choose_variables(function, printer.uses);
    std::set<std::string> declared;
    for (size_t i = 0; i < variables.size(); i++) {
        const auto& [value, name] = variables[i];
        const bool again = std::any_of(variables.begin() + static_cast<std::ptrdiff_t>(i) + 1, variables.end(),
                                       [&name = name](const auto& later) { return later.second == name; });
        const std::string before =
            assignment(language, name, printer.node(value).wide, declared.insert(name).second, again);
        text += printer.statement(before, value);
        printer.variables[value] = name;
    }

    const std::string keyword = language == Language::rust ? "" : "return ";
    if (results.size() == 1) {
        std::string last = printer.statement(keyword, results[0]);
        if (language == Language::rust) last.erase(last.size() - 2, 1);
        text += last;
    } else {
        std::vector<std::string> components;
        components.reserve(results.size());
        for (Value result : results) components.push_back(printer.expression(result));
        text += fmt::format("    {}{}{}\n", keyword, vector_text(language, components),
                            language == Language::rust ? "" : ";");
    }
    return text + "}\n";
}

/// Chooses among the parts by level and layer.
std::string dispatcher(const ImageFunctions& image, const std::string& name, Language language) {
    const Function& first = image.parts.front().function;
    Function function = {.name = name, .parameters = {first.parameters.front()}};
    if (image.by_level) function.parameters.push_back({"level"});
    if (image.by_layer) function.parameters.push_back({"layer"});
    std::string text = head(function, language, result_type(first, language));
    const bool rust = language == Language::rust;
    for (const ImageFunctions::Part& part : image.parts) {
        std::string call = part.function.name + "(" + first.parameters.front().name;
        if (part.function.parameters.size() > 1) call += ", layer";
        call += ")";
        std::vector<std::string> conditions;
        const char* suffix = rust ? "" : "u";
        if (image.by_level) conditions.push_back(fmt::format("level == {}{}", part.level, suffix));
        // Parts of one level are in the order of their layers.
        const bool last_of_level = &part == &image.parts.back() || (&part)[1].level != part.level;
        if (!last_of_level) conditions.push_back(fmt::format("layer < {}{}", part.layer + part.layers, suffix));
        if (&part == &image.parts.back())
            text += rust ? fmt::format("    {}\n", call) : fmt::format("    return {};\n", call);
        else
            text += fmt::format("    if {}{}{} {{ return {}; }}\n", rust ? "" : "(", fmt::join(conditions, " && "),
                                rust ? "" : ")", call);
    }
    return text + "}\n";
}

}  // namespace

std::string print_preamble(Language language) { return preamble({}, language); }

std::string print_function(const Function& function, Language language) {
    return print_functions({function}, language);
}

std::string print_functions(const std::vector<Function>& functions, Language language) {
    std::vector<const Function*> all;
    for (const Function& function : functions) all.push_back(&function);
    std::string text = preamble(all, language);
    for (const Function& function : functions)
        text += (&function == &functions.front() ? "" : "\n") + body(function, language);
    return text;
}

std::string print_image_functions(const ImageFunctions& image, const std::string& name, Language language) {
    if (image.parts.size() == 1) {
        Function only = image.parts.front().function;
        only.name = name;
        return print_function(only, language);
    }
    std::vector<const Function*> functions;
    for (const ImageFunctions::Part& part : image.parts) functions.push_back(&part.function);
    std::string text = preamble(functions, language);
    for (const Function* function : functions) text += body(*function, language) + "\n";
    return text + dispatcher(image, name, language);
}

}  // namespace tilewise
