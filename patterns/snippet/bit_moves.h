// Bit moves within one word, with few operations.
#pragma once
#include "patterns/snippet/ir.h"
#include <compare>
#include <cstdint>
#include <vector>

namespace tilewise::ir {

constexpr unsigned word_bits = 32;
constexpr uint64_t bit(unsigned i) { return uint64_t{1} << i; }

struct BitMove {
    unsigned from = 0, to = 0;
    auto operator<=>(const BitMove&) const = default;
    int distance() const { return static_cast<int>(to) - static_cast<int>(from); }
};

/// The word with each bit moved to its place and no other bit set. No two moves share a source or a destination.
/// `budget`: solutions with this many operations or more, counting those that compute the word, are not searched for.
Value move_in_stages(Program& program, Value word, const std::vector<BitMove>& moves, unsigned budget);

/// Shifts left by a positive distance, right by a negative one.
Value shift_by(Program& program, Value value, int distance);
/// The bits of `mask`, moved. The mask is applied on the side of the move where it can be left out or is the smaller
/// number.
Value move_bits(Program& program, Value word, uint64_t mask, int distance);

}  // namespace tilewise::ir
