#include "patterns/code_linear.h"
#include <map>
#include <optional>

namespace tilewise::code {

namespace {

/// a, or the value alone where there is nothing to join it to.
void join_to(Program& program, std::optional<Value>& sum, Value value) {
    sum = sum ? join(program, *sum, value) : value;
}

/// Which bits of each input are taken, by input.
using Masks = std::map<unsigned, uint64_t>;

/// The bits of several inputs that move by the same distance, each where it was.
Value gather(Program& program, const std::vector<Value>& inputs, const Masks& masks) {
    std::map<uint64_t, std::optional<Value>> by_mask;  // equal masks need one operation
    for (const auto& [i, mask] : masks) join_to(program, by_mask[mask], inputs[i]);
    std::optional<Value> sum;
    for (const auto& [mask, value] : by_mask) join_to(program, sum, apply_number(program, Op::bit_and, *value, mask));
    return *sum;
}

uint64_t shifted(uint64_t value, int distance) { return distance < 0 ? value >> -distance : value << distance; }

Value shift(Program& program, Value value, int distance) {
    return distance < 0 ? apply_number(program, Op::shift_right, value, static_cast<uint64_t>(-distance))
                        : apply_number(program, Op::shift_left, value, static_cast<uint64_t>(distance));
}

/// What moves by the same distance moves together: one mask and one shift.
std::vector<Value> by_distance(Program& program, const LinearMapTask& task) {
    std::vector<std::map<int, Masks>> groups(task.constants.size());
    for (const Move& move : task.moves)
        groups[move.output][static_cast<int>(move.out_bit) - static_cast<int>(move.in_bit)][move.input] |=
            uint64_t{1} << move.in_bit;
    std::vector<Value> results;
    for (size_t o = 0; o < groups.size(); o++) {
        std::optional<Value> sum;
        for (const auto& [distance, masks] : groups[o]) {
            if (masks.size() == 1) {
                const auto [i, mask] = *masks.begin();
                const Value moved = shift(program, task.inputs[i], distance);
                const uint64_t wanted = shifted(mask, distance);
                if (distance < 0 || (program.nodes[moved].possible & ~wanted) == 0)
                    join_to(program, sum, apply_number(program, Op::bit_and, moved, wanted));
                else
                    join_to(program, sum,
                            shift(program, apply_number(program, Op::bit_and, task.inputs[i], mask), distance));
            } else {
                join_to(program, sum, shift(program, gather(program, task.inputs, masks), distance));
            }
        }
        if (!sum) sum = constant(program, 0);
        if (task.constants[o] != 0) sum = join(program, *sum, constant(program, task.constants[o]));
        results.push_back(*sum);
    }
    return results;
}

}  // namespace

std::vector<Value> emit_linear_map(Program& program, const LinearMapTask& task) { return by_distance(program, task); }

}  // namespace tilewise::code
