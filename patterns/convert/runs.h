// The contribution of each axis to an offset; and runs: elements that lie side by side along x in the image and in
// memory.
#pragma once
#include "patterns/model/layout.h"

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

/// The length of a run: from any multiple of it, this many elements lie side by side along x in memory. A power of two;
/// for rows without a gap it is at least `width`.
uint64_t run_elements(const Layout& layout, uint32_t width);

}  // namespace tilewise
