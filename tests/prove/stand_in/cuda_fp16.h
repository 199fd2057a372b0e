// The part of CUDA's header with this name that the tests need: converts a float to the nearest half, ties to even. No
// infinities, no NaN.
#pragma once
#include <cmath>
#include <cstring>

inline unsigned short __half_as_ushort(unsigned short half) { return half; }
inline unsigned short __ushort_as_half(unsigned half) { return static_cast<unsigned short>(half); }
inline float __half2float(unsigned short half) {
    const int exponent = half >> 10 & 31;
    const float size = exponent == 0 ? std::ldexp(static_cast<float>(half & 1023), -24)
                                     : std::ldexp(static_cast<float>((half & 1023) | 1024), exponent - 25);
    return half & 0x8000 ? -size : size;
}
inline unsigned short __float2half_rn(float value) {
    unsigned bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const unsigned sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    // Below 2^-14 halves are multiples of 2^-24.
    const unsigned half = size < 0x38800000 ? static_cast<unsigned>(std::rint(std::ldexp(std::fabs(value), 24)))
                                            : ((size + 0xfff + (size >> 13 & 1)) >> 13) - (112U << 10);
    return static_cast<unsigned short>(sign | half);
}
