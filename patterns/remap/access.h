// What an order of invocations is worth by the way in which a kernel reads its image.
#pragma once
#include "patterns/model/enum_names.h"
#include "patterns/remap/remap.h"

namespace tilewise {

/// How a kernel reads its image: every texel of a box around its own (or of its lines), some texels anywhere within the
/// radius, or its own texels alone.
enum class ImageAccess { box, gather, copy };
constexpr EnumNames<ImageAccess, 3> access_names = {"access", {"box", "gather", "copy"}};

/// Whether row, Morton and memory order, the last of these, touch different numbers of segments of 32, 64 or 128 bytes.
/// Where they do not, no order gains anything.
/// Example:
///     assert(differ_in_segments(derive_remap(layout.pattern, {}).orders));
bool differ_in_segments(const std::vector<OrderCost>& orders);

/// Whether Morton order touches as few segments of each size as memory order, the last of these, and fewer of some size
/// than row order does.
/// Example:
///     assert(is_morton_enough(derive_remap(layout.pattern, {}).orders));
bool is_morton_enough(const std::vector<OrderCost>& orders);

/// A gather reads some texels anywhere within its radius. Neighbouring invocations then read texels that are neighbours
/// in both axes, but no square of texels in common: the order of memory is worth no more than Morton order, and from
/// some radius on the size of the workgroup is worth more than either.
struct GatherRule {
    uint32_t min_element_bytes;
    uint32_t min_radius;
    /// Row order where it is not Morton's.
    bool is_morton;
    Coord shape;
    const char* source;
};
/// The last of those that apply counts. The times that they rest on are in docs/remap.md, "Gathers".
constexpr GatherRule gather_rules[] = {
    {0,
     0,
     true,
     {16, 16, 1, 1},
     "a gather of 32 taps on an H100: up to 23% faster than row order, and nowhere slower (docs/remap.md)"},
    {8, 48, false, {32, 32, 1, 1}, "a gather of 32 taps on an H100: 2.0 to 2.2 times as fast as 16x16 (docs/remap.md)"},
};
/// For workgroups of at most so many invocations; 0: not known.
const GatherRule& gather_rule(uint32_t element_bytes, uint32_t radius, uint32_t max_invocations);
/// Example:
///     assert((gather_remap(gather_rule(4, 8, 1024)).shape == Coord{16, 16, 1, 1}));
Remap gather_remap(const GatherRule& rule);

}  // namespace tilewise
