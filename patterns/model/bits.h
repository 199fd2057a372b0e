// Arithmetic on powers of two and multiples.
#pragma once
#include <bit>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tilewise {

/// The exponent n of a value 2^n. Asserts that the value is a power of two.
constexpr unsigned log2_exact(uint64_t power_of_two) {
    assert(std::has_single_bit(power_of_two));
    return static_cast<unsigned>(std::countr_zero(power_of_two));
}

/// How many pieces of `size` it takes to hold the value: the quotient, rounded up.
template <std::unsigned_integral Number>
constexpr Number ceil_div(Number value, std::type_identity_t<Number> size) {
    return static_cast<Number>(value / size + (value % size != 0));
}

/// The smallest multiple of `multiple` that is not below the value. The caller makes sure that it fits in 64 bits.
constexpr uint64_t round_up(uint64_t value, uint64_t multiple) { return ceil_div(value, multiple) * multiple; }

}  // namespace tilewise
