// The intermediate representation (IR) of a snippet: a small program of integer operations, before it is printed in a
// language.
//
// Values are numbered in the order of their operations, and each is computed once (equal operations are shared). All
// are unsigned, with 32 bits or, if `wide`, 64. For each value it is known which bits can be set: masks that clear
// nothing are left out, and values with no bit in common are joined by OR. Example: x in Morton order for a 4x4
// workgroup (index: y1 x1 y0 x0):
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
    divide_or_zero,  ///< 0 if the divisor is 0
    modulo,
    minimum,
    deposit,  ///< x86's pdep: moves the low bits of a, in order, to the 1 bits of the mask b
    extract,  ///< x86's pext, the inverse: the bits of a at the 1 bits of the mask b, side by side
};

using Value = uint32_t;

struct Node {
    Op op = Op::input;
    bool wide = false;
    Value a = 0, b = 0;     ///< operands; narrow and widen have one, input and constant none
    uint64_t constant = 0;  ///< for constants
    uint64_t possible = 0;  ///< bits that can be set
};

struct Program {
    std::vector<Node> nodes;
    std::map<Value, std::string> names;  ///< of inputs ("stride.x") and of values that are to become variables
    /// Finds equal operations: a hash table with open addressing of the values of all nodes but inputs. A free slot
    /// holds a number that is no value's. Searches create and discard operations by the million, so none may allocate
    /// memory.
    std::vector<Value> known;
    bool has_pdep = false;  ///< move bits by deposit and extract, with constant masks
};

/// Discards the values from `first` on; none of them may be an input.
void forget_from(Program& program, size_t first);

/// `possible`: bits that the caller can set.
Value input(Program& program, std::string name, bool wide, uint64_t possible);
Value constant(Program& program, uint64_t value, bool wide = false);
Value widen(Program& program, Value a);
Value narrow(Program& program, Value a);
/// An operation on two values of the same width. Operations without effect (a mask over bits that cannot be set, a
/// shift by 0) are left out; constant results are computed at once.
Value apply(Program& program, Op op, Value a, Value b);
Value apply_number(Program& program, Op op, Value a, uint64_t b);
/// a | b if no bit can be set in both, otherwise a ^ b.
Value join(Program& program, Value a, Value b);

/// Names the value, so that it becomes a variable. Several values may have the same name: the variable is then
/// reassigned, so each value must have its last use before the next one is computed. Inputs and constants keep their
/// names.
void give_name(Program& program, Value value, const std::string& name);

/// Records what the caller knows about the value: bits outside `possible` are never set.
void assume_bits(Program& program, Value value, uint64_t possible);

/// Whether the node costs work on a GPU: every node does except inputs, constants and conversions.
bool is_operation(const Node& node);
/// The number of operations that `results` need.
unsigned count_operations(const Program& program, std::span<const Value> results);
/// For each value, how often other values or `results` use it; 0 if `results` do not need it.
std::vector<unsigned> use_counts(const Program& program, const std::vector<Value>& results);

/// Repeats in `program` the operations that lead to a value in `nodes`. These belong to a copy of `program` that was
/// made when it had `shared` nodes and has grown since.
Value transplant(Program& program, const std::vector<Node>& nodes, Value value, size_t shared);

uint64_t compute(Op op, bool wide, uint64_t a, uint64_t b);

/// A function: the components of its parameters are the program's inputs, in this order.
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

/// The same function in 32 bits, without conversions: all inputs and results are cut to their low 32 bits.
Function in_32_bits(const Function& function);

/// Adds a parameter; returns its components x, y, z, w as inputs of 32 or 64 bits.
std::vector<Value> add_parameter(Function& function, const Parameter& parameter, uint64_t possible = ~uint64_t{0});

}  // namespace tilewise::ir
