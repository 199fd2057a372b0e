// The gain from an order of invocations, depending on how a kernel reads its image.
#pragma once
#include "patterns/model/enum_names.h"
#include "patterns/remap/remap.h"

namespace tilewise {

/// How a kernel reads its image: box, every texel of a box around its own (or of its lines); gather, some texels
/// anywhere within the radius; copy, only its own texels.
enum class ImageAccess { box, gather, copy };
constexpr EnumNames<ImageAccess, 3> access_names = {"access", {"box", "gather", "copy"}};

/// Whether row, Morton and memory order (the last of `orders`) touch different numbers of segments of 32, 64 or 128
/// bytes. If not, no order gains anything.
/// Example:
///     assert(differ_in_segments(derive_remap(layout.pattern, {}).orders));
bool differ_in_segments(const std::vector<OrderCost>& orders);

/// Whether Morton order touches as few segments of each size as memory order (the last of `orders`), and fewer of some
/// size than row order.
/// Example:
///     assert(is_morton_enough(derive_remap(layout.pattern, {}).orders));
bool is_morton_enough(const std::vector<OrderCost>& orders);

/// A gather reads some texels anywhere within its radius. Neighbouring invocations then read texels that are close
/// together along both axes, but share no square of texels. So memory order gains no more than Morton order, and from
/// some radius on the size of the workgroup gains more than either.
struct GatherRule {
    uint32_t min_element_bytes;
    uint32_t min_radius;
    /// Morton order if true, row order otherwise.
    bool is_morton;
    Coord shape;
    const char* source;
};
/// The last rule that applies counts. The timings that the rules rest on are in docs/remap.md, "Gathers".
constexpr GatherRule gather_rules[] = {
    {0,
     0,
     true,
     {16, 16, 1, 1},
     "a gather of 32 taps on an H100: up to 23% faster than row order, and nowhere slower (docs/remap.md)"},
    {8, 48, false, {32, 32, 1, 1}, "a gather of 32 taps on an H100: 2.0 to 2.2 times as fast as 16x16 (docs/remap.md)"},
};
/// The rule for workgroups of at most `max_invocations` (0: not known).
const GatherRule& gather_rule(uint32_t element_bytes, uint32_t radius, uint32_t max_invocations);
/// Example:
///     assert((gather_remap(gather_rule(4, 8, 1024)).shape == Coord{16, 16, 1, 1}));
Remap gather_remap(const GatherRule& rule);

}  // namespace tilewise
