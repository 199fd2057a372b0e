// The proof that no two elements of an image share a byte; it needs the layout alone, no table.
//
//   - Within a tile, E is injective and, like G and c, moves by whole elements.
//   - Tiles do not overlap. From the smallest stride to the largest, each is at least as large as the span of all tiles
//     along the axes before it. RGBA8, tiles of 128x128 (64 KiB), an image of 3x2x4 tiles:
//
//       axis   stride   tiles   span of the tiles so far
//       x       10000       3   10000 + 2 * 10000 =  30000
//       y       30000       2   30000 + 1 * 30000 =  60000
//       z       80000       4   60000 + 3 * 80000 = 1e0000
//
//   - F permutes tiles: see index_xor_is_one_to_one().
//   - The end of the last tile is within 64 bits.
//
// This does not prove a layout whose tiles interleave without overlapping (strides of 2 and 3, two tiles along each
// axis, ..), and such a layout is refused: no GPU is known to have one.
#pragma once
#include "patterns/model/layout.h"

namespace tilewise {

/// Why it is not proved that every element of an image of that extent has its own bytes; null if it is proved.
/// Example:
///     assert(!why_not_one_to_one(layout, {256, 256, 1, 1}));
///     Layout crowded = layout;
///     crowded.stride[axis_y] = 4;
///     assert(why_not_one_to_one(crowded, {256, 256, 1, 1}));
const char* why_not_one_to_one(const Layout& layout, const Coord& extent);

/// Bytes from the origin of the base to the end of the last tile. Throws Error if the layout is not proved one-to-one.
/// Example:
///     assert(end_of_tiles(layout, {256, 256, 1, 1}) == 4 * 65536);
uint64_t end_of_tiles(const Layout& layout, const Coord& extent);

/// Whether F permutes tiles rather than merging some: strides are whole tiles, and the bits that an axis XORs into the
/// tile index lie below the stride of that axis and of every axis with a larger stride, because each of these strides
/// is a multiple of a power of two above them.
/// Example:
///     Layout swapped = layout, merged = layout;
///     swapped.pattern.index_xor.columns[axis_y] = {1};
///     merged.pattern.index_xor.columns[axis_x] = {1};
///     assert(index_xor_is_one_to_one(swapped) && !index_xor_is_one_to_one(merged));
bool index_xor_is_one_to_one(const Layout& layout);

}  // namespace tilewise
