// Bit moves within one word, in few operations.
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

/// The word with each bit moved to its place and no other bit set. No two moves have the same source or the same goal.
/// `budget`: ways that come to so many operations, those before the word among them, are not looked for.
Value move_in_stages(Program& program, Value word, const std::vector<BitMove>& moves, unsigned budget);

/// Left by a positive distance, right by a negative one.
Value shift_by(Program& program, Value value, int distance);
/// The bits of `mask`, moved; the mask goes where it can be left out, or where its number is smaller.
Value move_bits(Program& program, Value word, uint64_t mask, int distance);

}  // namespace tilewise::ir
