// Arithmetic on powers of two and multiples.
#pragma once
#include <bit>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tilewise {

/// The n of 2^n; asserts that the value is such a power.
constexpr unsigned log2_exact(uint64_t power_of_two) {
    assert(std::has_single_bit(power_of_two));
    return static_cast<unsigned>(std::countr_zero(power_of_two));
}

/// How many pieces of that size hold the value: the quotient, rounded up.
template <std::unsigned_integral Number>
constexpr Number ceil_div(Number value, std::type_identity_t<Number> size) {
    return static_cast<Number>(value / size + (value % size != 0));
}

/// The smallest multiple that is no less than the value. The caller makes sure that it fits in 64 bits.
constexpr uint64_t round_up(uint64_t value, uint64_t multiple) { return ceil_div(value, multiple) * multiple; }

}  // namespace tilewise
