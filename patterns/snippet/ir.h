// The intermediate representation (IR) of a snippet: a small program of integer operations, before it is written in
// some language.
//
// Values are numbered in the order of their operations; each is computed once (equal operations are shared). All are
// unsigned, 32 bits or, where `wide`, 64. Of each it is known which bits can be set: masks that clear nothing are left
// out, and what has no bit in common is joined by OR. x in Morton order, of a 4x4 workgroup (index: y1 x1 y0 x0):
//
//   value  operation            bits
//     0    input "index"        1111
//     1    constant 1           0001
//     2    value 0 & value 1    0001     x0
//     3    value 0 >> value 1   0111
//     4    constant 2           0010
//     5    value 3 & value 4    0010     x1
//     6    value 2 | value 5    0011     x1 x0
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::ir {

enum class Op : uint8_t {
    input,
    constant,
    widen,   ///< 32 bits to 64
    narrow,  ///< 64 bits to 32
    bit_and,
    bit_or,
    bit_xor,
    shift_left,
    shift_right,
    add,
    subtract,
    multiply,
    divide,
    divide_or_zero,  ///< 0 where the divisor is 0
    modulo,
    minimum,
    deposit,  ///< x86's pdep: the low bits of a, one after the other, to where the mask b has a 1
    extract,  ///< x86's pext, the way back: the bits of a where the mask b has a 1, side by side
};

using Value = uint32_t;

struct Node {
    Op op = Op::input;
    bool wide = false;
    Value a = 0, b = 0;     ///< operands; narrow and widen have one, input and constant none
    uint64_t constant = 0;  ///< of a constant
    uint64_t possible = 0;  ///< bits that can be set
};

struct Program {
    std::vector<Node> nodes;
    std::map<Value, std::string> names;  ///< of inputs ("stride.x") and of values that deserve a variable
    /// Equal operations: a hash table of the values of all nodes but inputs, with open addressing; free places have
    /// the number of no value. Searches make and forget operations by the million, so it must need no memory for each.
    std::vector<Value> known;
    bool has_pdep = false;  ///< bits are moved by deposit and extract, of masks that are constants
};

/// Forgets the values from `first` on, none of which is an input.
void forget_from(Program& program, size_t first);

/// `possible`: bits that the caller can set.
Value input(Program& program, std::string name, bool wide, uint64_t possible);
Value constant(Program& program, uint64_t value, bool wide = false);
Value widen(Program& program, Value a);
Value narrow(Program& program, Value a);
/// An operation of two values of one width. What changes nothing (a mask over bits that cannot be set, a shift by 0) is
/// left out; what is constant is computed.
Value apply(Program& program, Op op, Value a, Value b);
Value apply_number(Program& program, Op op, Value a, uint64_t b);
/// a | b where no bit can be set in both, else a ^ b.
Value join(Program& program, Value a, Value b);

/// Names the value, so that it becomes a variable. A name may be given to several values: the variable is then assigned
/// anew, and each value must be used up before the next one is made. Inputs and constants keep what they have.
void give_name(Program& program, Value value, const std::string& name);

/// Says what the caller knows of the value: other bits are never set.
void assume_bits(Program& program, Value value, uint64_t possible);

/// What makes work on a GPU: all nodes but inputs, constants and conversions.
bool is_operation(const Node& node);
/// Operations that `results` need.
unsigned count_operations(const Program& program, std::span<const Value> results);
/// For each value, how often it is used by others, or by `results`; 0 for what `results` do not need.
std::vector<unsigned> use_counts(const Program& program, const std::vector<Value>& results);

/// Does to `program` what led to a value among `nodes`: those of a copy of it that has grown since it had `shared` of
/// them.
Value transplant(Program& program, const std::vector<Node>& nodes, Value value, size_t shared);

uint64_t compute(Op op, bool wide, uint64_t a, uint64_t b);

/// A function: its parameters' components are the program's inputs, in this order.
struct Parameter {
    std::string name;
    unsigned components = 1;  ///< 1: a number
    bool wide = false;
    bool unpacked = false;  ///< its components become variables x, y, z, w
};
struct Function {
    std::string name = {};
    std::vector<Parameter> parameters = {};
    Program program = {};
    std::vector<Value> results = {};  ///< one, or the components of a vector
};

/// The same in 32 bits: without conversions, all that it takes and computes cut to the low 32 bits.
Function in_32_bits(const Function& function);

/// The components x, y, z, w of a new parameter, as inputs of 32 or 64 bits.
std::vector<Value> add_parameter(Function& function, const Parameter& parameter, uint64_t possible = ~uint64_t{0});

}  // namespace tilewise::ir
