#include "patterns/snippet/ir.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory_resource>

namespace tilewise::ir {

namespace {

constexpr uint64_t word(bool wide) { return wide ? ~uint64_t{0} : 0xffffffff; }

uint64_t all_below(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

uint64_t possible_bits(const Program& program, const Node& node) {
    const Node &a = program.nodes[node.a], &b = program.nodes[node.b];
    const auto width = [](const Node& n) { return static_cast<unsigned>(std::bit_width(n.possible)); };
    switch (node.op) {
        case Op::bit_and:
            return a.possible & b.possible;
        case Op::bit_or:
        case Op::bit_xor:
            return a.possible | b.possible;
        case Op::shift_left:
            return a.possible << b.constant & word(node.wide);
        case Op::shift_right:
            return a.possible >> b.constant;
        case Op::add:
            return all_below(std::max(width(a), width(b)) + 1) & word(node.wide);
        case Op::multiply:
            return all_below(width(a) + width(b)) & word(node.wide);
        case Op::deposit:
        case Op::extract:
            return compute(node.op, node.wide, a.possible, b.constant);
        case Op::modulo:
        case Op::minimum:
            return all_below(std::min(width(a), width(b)));
        default:
            return all_below(width(a)) & word(node.wide);
    }
}

bool commutes(Op op) {
    return op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor || op == Op::add || op == Op::multiply ||
           op == Op::minimum;
}

uint64_t deposited(uint64_t bits, uint64_t mask) {
    uint64_t result = 0;
    for (; mask != 0; mask &= mask - 1, bits >>= 1)
        if (bits & 1) result |= mask & -mask;
    return result;
}

uint64_t extracted(uint64_t bits, uint64_t mask) {
    uint64_t result = 0;
    for (uint64_t place = 1; mask != 0; mask &= mask - 1, place <<= 1)
        if (bits & mask & -mask) result |= place;
    return result;
}

/// Equal nodes, which give the same value, have equal hashes.
size_t hash_of(const Node& node) {
    uint64_t hash = node.constant;
    for (const uint64_t part :
         {uint64_t{node.a}, uint64_t{node.b}, static_cast<uint64_t>(node.op) * 2 + (node.wide ? 1 : 0)})
        hash = (hash ^ hash >> 29 ^ part) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

bool gives_the_same(const Node& a, const Node& b) {
    return a.op == b.op && a.wide == b.wide && a.a == b.a && a.b == b.b && a.constant == b.constant;
}

constexpr Value no_value = ~Value{0};

/// Where the value of such a node is, or belongs.
size_t place_in_table(const Program& program, const Node& node) {
    size_t place = hash_of(node) & (program.known.size() - 1);
    while (program.known[place] != no_value && !gives_the_same(program.nodes[program.known[place]], node))
        place = (place + 1) & (program.known.size() - 1);
    return place;
}

/// Half of the table stays free. It is always filled in the order of the values, so forgetting values from last to
/// first restores its earlier state.
void make_room(Program& program) {
    constexpr size_t least = 64;
    if (2 * (program.nodes.size() + 1) <= program.known.size()) return;
    program.known.assign(std::max(least, 2 * program.known.size()), no_value);
    for (Value value = 0; value < program.nodes.size(); value++)
        if (program.nodes[value].op != Op::input) program.known[place_in_table(program, program.nodes[value])] = value;
}

Value insert(Program& program, Node node) {
    make_room(program);
    Value& known = program.known[place_in_table(program, node)];
    if (known != no_value) return known;
    known = static_cast<Value>(program.nodes.size());
    program.nodes.push_back(node);
    return known;
}

}  // namespace

void forget_from(Program& program, size_t first) {
    while (program.nodes.size() > first) {
        program.known[place_in_table(program, program.nodes.back())] = no_value;
        program.nodes.pop_back();
    }
}

uint64_t compute(Op op, bool wide, uint64_t a, uint64_t b) {
    switch (op) {
        case Op::widen:
            return a;
        case Op::narrow:
            return a & word(false);
        case Op::bit_and:
            return a & b;
        case Op::bit_or:
            return a | b;
        case Op::bit_xor:
            return a ^ b;
        case Op::shift_left:
            return a << b & word(wide);
        case Op::shift_right:
            return a >> b;
        case Op::add:
            return (a + b) & word(wide);
        case Op::subtract:
            return (a - b) & word(wide);
        case Op::multiply:
            return a * b & word(wide);
        case Op::divide:
            return a / b;
        case Op::divide_or_zero:
            return b == 0 ? 0 : a / b;
        case Op::modulo:
            return a % b;
        case Op::minimum:
            return std::min(a, b);
        case Op::deposit:
            return deposited(a, b);
        case Op::extract:
            return extracted(a, b);
        default:
            return 0;
    }
}

Value input(Program& program, std::string name, bool wide, uint64_t possible) {
    const auto value = static_cast<Value>(program.nodes.size());
    program.nodes.push_back({.op = Op::input, .wide = wide, .possible = possible & word(wide)});
    program.names[value] = std::move(name);
    return value;
}

Value constant(Program& program, uint64_t value, bool wide) {
    return insert(program, {.op = Op::constant, .wide = wide, .constant = value, .possible = value});
}

Value widen(Program& program, Value a) {
    const Node& node = program.nodes[a];
    if (node.wide) return a;
    if (node.op == Op::constant) return constant(program, node.constant, true);
    return insert(program, {.op = Op::widen, .wide = true, .a = a, .b = a, .possible = node.possible});
}

Value narrow(Program& program, Value a) {
    const Node& node = program.nodes[a];
    if (!node.wide) return a;
    if (node.op == Op::widen) return node.a;
    if (node.op == Op::constant) return constant(program, node.constant & word(false));
    return insert(program, {.op = Op::narrow, .wide = false, .a = a, .b = a, .possible = node.possible & word(false)});
}

Value apply(Program& program, Op op, Value a, Value b) {
    if (commutes(op) && program.nodes[a].op == Op::constant) std::swap(a, b);
    const Node left = program.nodes[a], right = program.nodes[b];
    if (right.op == Op::constant) {
        const uint64_t c = right.constant;
        if (left.op == Op::constant) return constant(program, compute(op, left.wide, left.constant, c), left.wide);
        switch (op) {
            case Op::bit_and:
                if ((left.possible & ~c) == 0) return a;
                if ((left.possible & c) == 0) return constant(program, 0, left.wide);
                if (left.op == Op::bit_and && program.nodes[left.b].op == Op::constant)
                    return apply_number(program, op, left.a, program.nodes[left.b].constant & c);
                break;
            case Op::bit_or:
            case Op::bit_xor:
            case Op::add:
            case Op::subtract:
            case Op::shift_left:
            case Op::shift_right:
                if (c == 0) return a;
                break;
            case Op::multiply:
            case Op::divide:
                if (c == 1) return a;
                if (std::has_single_bit(c))
                    return apply_number(program, op == Op::divide ? Op::shift_right : Op::shift_left, a,
                                        static_cast<uint64_t>(std::countr_zero(c)));
                break;
            default:
                break;
        }
    }
    if (left.op == Op::constant && left.constant == 0 &&
        (op == Op::shift_left || op == Op::shift_right || op == Op::divide_or_zero))
        return a;
    Node node = {.op = op, .wide = left.wide, .a = a, .b = b};
    node.possible = possible_bits(program, node);
    if (node.possible == 0) return constant(program, 0, left.wide);
    return insert(program, node);
}

Value apply_number(Program& program, Op op, Value a, uint64_t b) {
    return apply(program, op, a, constant(program, b, program.nodes[a].wide));
}

Value join(Program& program, Value a, Value b) {
    const bool disjoint = (program.nodes[a].possible & program.nodes[b].possible) == 0;
    return apply(program, disjoint ? Op::bit_or : Op::bit_xor, a, b);
}

void give_name(Program& program, Value value, const std::string& name) {
    const Op op = program.nodes[value].op;
    if (op != Op::input && op != Op::constant) program.names.try_emplace(value, name);
}

void assume_bits(Program& program, Value value, uint64_t possible) { program.nodes[value].possible &= possible; }

bool is_operation(const Node& node) {
    return node.op != Op::input && node.op != Op::constant && node.op != Op::widen && node.op != Op::narrow;
}

std::vector<unsigned> use_counts(const Program& program, const std::vector<Value>& results) {
    std::vector<unsigned> uses(program.nodes.size());
    for (Value result : results) uses[result]++;
    for (size_t i = program.nodes.size(); i-- > 0;) {
        const Node& node = program.nodes[i];
        if (uses[i] == 0 || node.op == Op::input || node.op == Op::constant) continue;
        uses[node.a]++;
        if (node.op != Op::widen && node.op != Op::narrow) uses[node.b]++;
    }
    return uses;
}

unsigned count_operations(const Program& program, std::span<const Value> results) {
    // Searches call this by the million: the room that most programs need is on the stack.
    std::array<std::byte, 8192> room;
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
    std::pmr::vector<uint8_t> seen(program.nodes.size(), 0, &memory);
    std::pmr::vector<Value> open(results.begin(), results.end(), &memory);
    unsigned count = 0;
    while (!open.empty()) {
        const Value value = open.back();
        open.pop_back();
        const Node& node = program.nodes[value];
        if (seen[value] || node.op == Op::input || node.op == Op::constant) continue;
        seen[value] = 1;
        count += is_operation(node);
        open.push_back(node.a);
        open.push_back(node.b);
    }
    return count;
}

Value transplant(Program& program, const std::vector<Node>& nodes, Value value, size_t shared) {
    if (value < shared) return value;
    Node node = nodes[value];
    if (node.op != Op::constant) {
        node.a = transplant(program, nodes, node.a, shared);
        node.b = transplant(program, nodes, node.b, shared);
    }
    return insert(program, node);
}

Function in_32_bits(const Function& function) {
    Function narrow = {function.name, function.parameters, {}, {}};
    for (Parameter& parameter : narrow.parameters) parameter.wide = false;
    narrow.program.has_pdep = function.program.has_pdep;
    std::vector<Value> values;  // of the new program, by values of the old one
    for (Node node : function.program.nodes) {
        if (node.op == Op::widen || node.op == Op::narrow) {
            values.push_back(values[node.a]);
            continue;
        }
        node.wide = false;
        node.possible &= word(false);
        node.constant &= word(false);
        if (node.op == Op::input) {
            values.push_back(static_cast<Value>(narrow.program.nodes.size()));
            narrow.program.nodes.push_back(node);
            continue;
        }
        if (node.op != Op::constant) node.a = values[node.a], node.b = values[node.b];
        values.push_back(insert(narrow.program, node));
    }
    for (const auto& [value, name] : function.program.names) {
        const Op op = narrow.program.nodes[values[value]].op;
        if (op != Op::constant) narrow.program.names.try_emplace(values[value], name);
    }
    for (const Value result : function.results) narrow.results.push_back(values[result]);
    return narrow;
}

std::vector<Value> add_parameter(Function& function, const Parameter& parameter, uint64_t possible) {
    function.parameters.push_back(parameter);
    std::vector<Value> values;
    for (unsigned i = 0; i < parameter.components; i++) {
        const std::string component(1, "xyzw"[i]);
        const std::string name = parameter.components == 1 ? parameter.name
                                 : parameter.unpacked      ? component
                                                           : parameter.name + "." + component;
        values.push_back(input(function.program, name, parameter.wide, possible));
    }
    return values;
}

}  // namespace tilewise::ir
