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
Pitch full_pitch(const Element& element, const Coord& extent, Pitch pitch = {});

/// Bytes of rows of that extent: up to the last byte of the last element. Throws Error as full_pitch() does, and beyond
/// 64 bits.
uint64_t rows_bytes(const Element& element, const Coord& extent, Pitch pitch = {});

/// The elements of whole tiles that cover the extent.
Box whole_tiles(const Pattern& pattern, const Coord& extent);

/// Bytes from the start of the memory (not from the layout's base) up to the last byte of any element of the box.
/// Throws Error where that is beyond 64 bits, or where tiles lie in one another too far to say which ends last. The work
/// does not grow with the image: numbers of any size may come from a file.
uint64_t tiled_bytes(const Layout& layout, const Box& box);

/// The pattern with its tiles one after another in its own order, without a gap except where F asks for one. Throws
/// Error where that is beyond 64 bits.
Layout dense_layout(const Pattern& pattern, const Coord& extent);

/// Copies the box out of the layout into rows: `tiled` begins where offsets count from, `rows` holds the box alone.
/// Throws Error, before it writes, where either is too short: naming the bytes that it has and needs; where two
/// elements would share a byte; or for a pitch that full_pitch() refuses.
void detile(const Layout& layout, const Box& box, std::span<const std::byte> tiled, std::span<std::byte> rows,
            Pitch pitch = {});

/// The way back. Bytes of `tiled` that belong to no element of the box stay as they are.
void tile(const Layout& layout, const Box& box, std::span<const std::byte> rows, std::span<std::byte> tiled,
          Pitch pitch = {});

}  // namespace tilewise
