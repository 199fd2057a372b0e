// Whole images between a layout and rows in scan order. Boxes are in elements, everything else in bytes.
#pragma once
#include "patterns/model/layout.h"
#include <cstddef>
#include <span>

namespace tilewise {

/// Rows in scan order: bytes from one row (y), slice (z) and sample to the next. Zero means without a gap.
struct Pitch {
    uint64_t row = 0, slice = 0, sample = 0;
};

/// A part of an image, in elements. The whole image is {{}, extent}.
struct Box {
    Coord from = {};
    Coord extent = unit_extent;
};

/// The pitch with every zero replaced. Throws Error where a row, slice or sample would not fit in what is given.
/// Example:
///     const Pitch pitch = full_pitch({.bytes = 4}, {100, 50, 1, 1});
///     assert(pitch.row == 400 && pitch.slice == 400 * 50);
Pitch full_pitch(const Element& element, const Coord& extent, Pitch pitch = {});

/// Bytes of rows of that extent: up to the last byte of the last element. Throws Error as full_pitch() does, and beyond
/// 64 bits.
/// Example:
///     assert(rows_bytes({.bytes = 4}, {100, 50, 1, 1}, {.row = 512}) == 49 * 512 + 400);
uint64_t rows_bytes(const Element& element, const Coord& extent, Pitch pitch = {});

/// The elements of whole tiles that cover the extent.
/// Example:
///     assert((whole_tiles(layout.pattern, {100, 200, 1, 1}).extent == Coord{128, 256, 1, 1}));
Box whole_tiles(const Pattern& pattern, const Coord& extent);

/// Bytes from the start of the memory (not from the layout's base) up to the last byte of any element of the box.
/// Throws Error where that is beyond 64 bits, or where tiles lie in one another too far to say which ends last. The work
/// does not grow with the image: numbers of any size may come from a file.
/// Example:
///     assert(tiled_bytes(layout, {{}, {256, 256, 1, 1}}) == 262144);
uint64_t tiled_bytes(const Layout& layout, const Box& box);

/// The pattern with its tiles one after another in its own order, without a gap except where F asks for one. Throws
/// Error where that is beyond 64 bits.
/// Example:
///     const Layout dense = dense_layout(layout.pattern, {512, 512, 1, 1});
///     assert(dense.stride[axis_x] == 65536 && dense.stride[axis_y] == 4 * 65536);
Layout dense_layout(const Pattern& pattern, const Coord& extent);

/// Copies the box out of the layout into rows: `tiled` begins where offsets count from, `rows` holds the box alone.
/// Throws Error, before it writes, where either is too short: naming the bytes that it has and needs; where two
/// elements would share a byte; or for a pitch that full_pitch() refuses.
/// Example:
///     std::vector<std::byte> tiled(262144), rows(262144);
///     tiled[170196] = std::byte{5};
///     detile(layout, {{}, {256, 256, 1, 1}}, tiled, rows);
///     assert(rows[(133 * 256 + 77) * 4] == std::byte{5});
void detile(const Layout& layout, const Box& box, std::span<const std::byte> tiled, std::span<std::byte> rows,
            Pitch pitch = {});

/// The way back. Bytes of `tiled` that belong to no element of the box stay as they are.
/// Example:
///     std::vector<std::byte> tiled(262144), rows(262144);
///     rows[(133 * 256 + 77) * 4] = std::byte{5};
///     tile(layout, {{}, {256, 256, 1, 1}}, rows, tiled);
///     assert(tiled[170196] == std::byte{5});
void tile(const Layout& layout, const Box& box, std::span<const std::byte> rows, std::span<std::byte> tiled,
          Pitch pitch = {});

}  // namespace tilewise
