// What an offset is made of, axis by axis, and runs: elements that lie side by side along x in the image and in memory.
#pragma once
#include "patterns/model/layout.h"
#include <type_traits>

namespace tilewise {

/// What one coordinate contributes to an offset: see patterns/model/layout.h.
struct Share {
    uint64_t shift = 0;  ///< t * stride, bytes
    uint64_t inner = 0;  ///< E(l) XOR G(t)
    uint64_t index = 0;  ///< F(t)
};
inline Share operator+(const Share& a, const Share& b) {
    return {a.shift + b.shift, a.inner ^ b.inner, a.index ^ b.index};
}
Share share_of(const Layout& layout, Axis axis, uint32_t value);
uint64_t swapped(const Share& share, uint64_t tile_bytes);

uint64_t all_bits(const std::vector<uint64_t>& columns, size_t from = 0);

/// How many elements from any multiple of it on lie side by side along x in memory; a power of two. For rows without a
/// gap it is at least `width`.
uint64_t run_elements(const Layout& layout, uint32_t width);

/// Calls with a compile-time constant for the sizes that runs have often, so that each copy becomes a few
/// instructions; with 0 for all others.
template <class Call>
void with_constant(size_t bytes, const Call& call) {
    switch (bytes) {
        case 1:
            return call(std::integral_constant<size_t, 1>());
        case 2:
            return call(std::integral_constant<size_t, 2>());
        case 3:
            return call(std::integral_constant<size_t, 3>());
        case 4:
            return call(std::integral_constant<size_t, 4>());
        case 6:
            return call(std::integral_constant<size_t, 6>());
        case 8:
            return call(std::integral_constant<size_t, 8>());
        case 12:
            return call(std::integral_constant<size_t, 12>());
        case 16:
            return call(std::integral_constant<size_t, 16>());
        case 24:
            return call(std::integral_constant<size_t, 24>());
        case 32:
            return call(std::integral_constant<size_t, 32>());
        case 48:
            return call(std::integral_constant<size_t, 48>());
        case 64:
            return call(std::integral_constant<size_t, 64>());
        default:
            return call(std::integral_constant<size_t, 0>());
    }
}

}  // namespace tilewise
