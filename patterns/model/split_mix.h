// Pseudorandom numbers, each computed from its index alone.
#pragma once
#include <cstdint>

namespace tilewise {

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the output for its state x
/// + gamma.
constexpr uint64_t split_mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

}  // namespace tilewise
