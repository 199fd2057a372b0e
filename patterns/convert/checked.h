// Sums and products of bytes that must not exceed 64 bits; each throws Error if it would.
#pragma once
#include "patterns/model/error.h"
#include <cstdint>

namespace tilewise {

inline constexpr const char* beyond_64_bits =
    "the image reaches beyond 64 bits of address; check the extent and the strides";

inline constexpr const char* beyond_32_bits = "a box reaches beyond 32 bits of coordinates";

inline uint64_t checked_sum(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw Error(beyond_64_bits);
    return sum;
}

inline uint64_t checked_product(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) throw Error(beyond_64_bits);
    return product;
}

}  // namespace tilewise
