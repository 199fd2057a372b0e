// Conversion of whole images between a layout and rows in scan order. Boxes are in elements, everything else in bytes.
#pragma once
#include "patterns/model/layout.h"
#include <cstddef>
#include <span>

namespace tilewise {

/// Rows in scan order: bytes from one row (y), slice (z) or sample to the next. Zero means no gap.
struct Pitch {
    uint64_t row = 0, slice = 0, sample = 0;
};

/// A part of an image, in elements. The whole image is {{}, extent}.
struct Box {
    Coord from = {};
    Coord extent = unit_extent;
};

/// The pitch with every zero replaced. Throws Error if a row, slice or sample would not fit into the given pitch.
/// Example:
///     const Pitch pitch = full_pitch({.bytes = 4}, {100, 50, 1, 1});
///     assert(pitch.row == 400 && pitch.slice == 400 * 50);
Pitch full_pitch(const Element& element, const Coord& extent, Pitch pitch = {});

/// Bytes of rows of that extent, up to the last byte of the last element. Throws Error as full_pitch() does, and if the
/// result exceeds 64 bits.
/// Example:
///     assert(rows_bytes({.bytes = 4}, {100, 50, 1, 1}, {.row = 512}) == 49 * 512 + 400);
uint64_t rows_bytes(const Element& element, const Coord& extent, Pitch pitch = {});

/// The box of elements in the whole tiles that cover the extent.
/// Example:
///     assert((whole_tiles(layout.pattern, {100, 200, 1, 1}).extent == Coord{128, 256, 1, 1}));
Box whole_tiles(const Pattern& pattern, const Coord& extent);

/// Bytes from the start of the memory (not from the layout's base) to the last byte of any element of the box. Throws
/// Error if that exceeds 64 bits, or if tiles interleave too deeply to say which ends last. The cost does not grow with
/// the image, since a file may contain numbers of any size.
/// Example:
///     assert(tiled_bytes(layout, {{}, {256, 256, 1, 1}}) == 262144);
uint64_t tiled_bytes(const Layout& layout, const Box& box);

/// The pattern with its tiles one after another in the pattern's order, without a gap except where F requires one.
/// Throws Error if that exceeds 64 bits.
/// Example:
///     const Layout dense = dense_layout(layout.pattern, {512, 512, 1, 1});
///     assert(dense.stride[axis_x] == 65536 && dense.stride[axis_y] == 4 * 65536);
Layout dense_layout(const Pattern& pattern, const Coord& extent);

/// The same pattern with the same constant.
/// Example:
///     assert(dense_layout(layout, {512, 512, 1, 1}).constant == layout.constant);
Layout dense_layout(const Layout& layout, const Coord& extent);

/// Copies the box from the layout into rows. `tiled` begins at the origin of the offsets; `rows` holds only the box.
/// Throws Error before anything is written if either is too short (naming the bytes that it has and needs), if two
/// elements would share a byte, or if full_pitch() refuses the pitch.
/// Example:
///     std::vector<std::byte> tiled(262144), rows(262144);
///     tiled[170196] = std::byte{5};
///     detile(layout, {{}, {256, 256, 1, 1}}, tiled, rows);
///     assert(rows[(133 * 256 + 77) * 4] == std::byte{5});
void detile(const Layout& layout, const Box& box, std::span<const std::byte> tiled, std::span<std::byte> rows,
            Pitch pitch = {});

/// The inverse of detile(). Bytes of `tiled` that belong to no element of the box stay unchanged.
/// Example:
///     std::vector<std::byte> tiled(262144), rows(262144);
///     rows[(133 * 256 + 77) * 4] = std::byte{5};
///     tile(layout, {{}, {256, 256, 1, 1}}, rows, tiled);
///     assert(tiled[170196] == std::byte{5});
void tile(const Layout& layout, const Box& box, std::span<const std::byte> rows, std::span<std::byte> tiled,
          Pitch pitch = {});

}  // namespace tilewise
