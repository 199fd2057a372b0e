// How a box of elements is moved: a plan, compiled from the layout's equation for one direction and one processor.
//
// The effect of each coordinate bit is known on both sides. In the rows it adds element bytes or pitches; in memory it
// XORs E's column (bits of a tile's coordinates add strides and XOR G's column). So a set of coordinate bits is a set
// of elements that are arranged alike everywhere, and one table serves all its places:
//
//   cell    a box of such elements, converted at a time. It begins at multiples of its extent.
//   piece   elements side by side in a row and, in some order, in memory: moved by one load or store
//   step    a piece, or the pieces that exchange.h exchanges, moved at a time; a cell is a table of steps
//
//   Apple, RGBA8, pieces of 64 bytes: a piece of a row holds x0 x1 x2 x3, a piece of memory x0 y0 x1 y1. So y0 y1
//   choose among 4 pieces of the rows and x2 x3 among 4 of memory: a step moves 16x4 elements from these to those.
//
//     bit of the address     13 12 11 10  9  8  7  6    5  4  3  2  1  0
//     what is there          y5 x5 y4 x4 y3 x3 y2 x2 | y1 x1 y0 x0  .  .
//
// Elements of a box that do not fill a cell are left to smaller cells: of one step, of one run (elements in sequence on
// both sides), or of one element.
#pragma once
#include "patterns/convert/convert.h"
#include "patterns/convert/exchange.h"
#include "patterns/convert/runs.h"

namespace tilewise {

/// A piece or a step relative to the start of its cell, on both sides.
struct Step {
    uint64_t rows = 0;   ///< bytes, added
    uint64_t shift = 0;  ///< likewise, in memory
    uint64_t inner = 0;  ///< XORed in memory, in offset units
    bool operator==(const Step&) const = default;
};

/// Where a cell begins on both sides, apart from `inner`, which is XORed into that of each step.
struct Cell {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    uint64_t inner = 0;
};

struct Pass;
/// Converts one cell and prefetches what the next one reads: no processor foresees the order of a tile.
using Kernel = void (*)(const Pass& pass, const Cell& cell, const Cell& next);

/// How all cells of one size are converted.
struct Pass {
    Coord cell = unit_extent;
    std::vector<Step> steps;  ///< from low places to high ones, in memory or in the rows
    uint64_t unit = 1;        ///< bytes that `inner` counts
    size_t piece_bytes = 0;
    Exchange exchange;  ///< for the pieces of one step
    std::vector<Step>
        pieces;  ///< `rows` is where the i-th piece of the rows lies in the step, the others where memory's i-th lies
    /// Used where pieces of 48 bytes are written past the caches. Four in sequence form a quad, which is three lines.
    /// Four steps yield as many quads as a step has pieces.
    std::vector<Step> quads;      ///< starts of the quads, relative to the first of the steps
    std::vector<uint16_t> seats;  ///< for the pieces of the first step, then the second: bytes from the first quad
    Kernel kernel = nullptr;
    const char* instructions = "";
    uint64_t fixed_inner = 0;  ///< bits of `inner` that the exchange already handles: the same for every cell
    /// A cell is this many bytes of memory without a gap, starting where these bits of `inner` are 0; otherwise 0
    /// bytes.
    uint64_t block_bytes = 0, block_inner = 0;
};

struct Plan {
    bool pieces_stream = false;     ///< the first pass itself writes past the caches
    bool rows_in_sequence = false;  ///< each row of the box is one run, and there are no passes
    std::vector<Pass> passes;       ///< each leaves what does not fill its cells to the next; the last leaves nothing
    /// The pitch of the rows that the first pass writes, if these are a buffer that is written out in one go.
    Pitch strip;
    uint32_t strip_cells = 0;  ///< along x; 0 if there is no such buffer
    size_t strip_bytes = 0;
};

struct Conversion {
    const Layout& layout;  ///< proved one-to-one for the box
    Box box;
    Pitch pitch;  ///< without zeros
    ConvertDirection direction = ConvertDirection::detile;
    Isa isa = Isa::scalar;
    bool streams = false;  ///< the output is not meant to stay in the caches
    uintptr_t to = 0;      ///< the address of the output
};

/// With this processor's instructions; writes past the caches if the box is too large for them.
Conversion conversion_of(const Layout& layout, const Box& box, const Pitch& pitch, ConvertDirection direction,
                         const std::byte* to);

Plan make_plan(const Conversion& conversion);

/// The first pass in one line.
std::string plan_name(const Plan& plan);

}  // namespace tilewise
