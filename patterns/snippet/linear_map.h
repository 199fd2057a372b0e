// A GF(2)-linear map of the bits of some values, expressed as bit moves and emitted as few operations on whole words.
#pragma once
#include "patterns/snippet/ir.h"
#include <cstdint>
#include <vector>

namespace tilewise::ir {

/// A bit move: bit `in_bit` of inputs[input] is XORed into bit `out_bit` of result `output`.
struct Move {
    unsigned input = 0, in_bit = 0, output = 0, out_bit = 0;
    auto operator<=>(const Move&) const = default;
};

/// Adds moves of bit `in_bit` of an input into each bit of the result that is set in the column.
void add_moves(std::vector<Move>& moves, unsigned input, unsigned in_bit, unsigned output, uint64_t column);
/// Removes moves that occur an even number of times.
void cancel_pairs(std::vector<Move>& moves);

/// The bits `mask` of one result, moved by a distance, are XORed into another result.
struct AddedResult {
    unsigned output = 0, from = 0;
    uint64_t mask = 0;
    int distance = 0;
};

struct LinearMapTask {
    std::vector<Value> inputs;            ///< all of 32 bits
    std::vector<Move> moves;              ///< each at most once
    std::vector<uint64_t> constants;      ///< one per output, XORed into it
    std::vector<AddedResult> added = {};  ///< from the last one to the first, after all moves
};

/// Returns one value per output. Several methods are tried, and the one with the fewest operations is kept; but a
/// method that is harder to read must save an eighth of them.
std::vector<Value> emit_linear_map(Program& program, const LinearMapTask& task);

}  // namespace tilewise::ir
