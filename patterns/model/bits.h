// Arithmetic on powers of two and multiples.
#pragma once
#include <bit>
#include <cassert>
#include <cstdint>

namespace tilewise {

/// The n of 2^n; asserts that the value is such a power.
constexpr unsigned log2_exact(uint64_t power_of_two) {
    assert(std::has_single_bit(power_of_two));
    return static_cast<unsigned>(std::countr_zero(power_of_two));
}

/// The smallest multiple that is no less than the value. The caller makes sure that it fits in 64 bits.
constexpr uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace tilewise
