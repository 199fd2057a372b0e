// How a box of elements is moved: a plan, compiled from the layout's equation for one direction and one processor.
//
// What one bit of a coordinate moves is known on both sides: on the side of the rows it adds element bytes or pitches,
// in memory E's column by XOR (for bits of a tile's coordinates: strides by addition, and G's column by XOR). So a set of
// coordinate bits is a set of elements that lies alike everywhere, and one table serves all its places:
//
//   cell    a box of such a set: what is converted at a time. It begins at multiples of its extent.
//   piece   elements side by side in a row and, in some order, in memory: what one load or store moves
//   step    what is moved at a time, a piece or the pieces that exchange.h exchanges; a cell is a table of them
//
//   Apple, RGBA8, pieces of 64 bytes: x0 x1 x2 x3 are within a piece of a row, x0 y0 x1 y1 within one of memory. So y0 y1
//   choose among 4 pieces of the rows and x2 x3 among 4 of memory: a step moves 16x4 elements from the ones to the others.
//
//     bit of the address     13 12 11 10  9  8  7  6    5  4  3  2  1  0
//     what is there          y5 x5 y4 x4 y3 x3 y2 x2 | y1 x1 y0 x0  .  .
//
// Elements of a box that fill no cell are left to smaller cells: those of one step, of one run (elements in sequence on
// both sides), of one element.
#pragma once
#include "patterns/convert/convert.h"
#include "patterns/convert/exchange.h"
#include "patterns/convert/runs.h"

namespace tilewise {

/// A piece or a step relative to the begin of its cell, on both sides.
struct Step {
    uint64_t rows = 0;   ///< bytes, added
    uint64_t shift = 0;  ///< likewise, in memory
    uint64_t inner = 0;  ///< XORed in memory, in offset units
    bool operator==(const Step&) const = default;
};

/// Where a cell begins on both sides, except for `inner`, with which every step's is XORed.
struct Cell {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    uint64_t inner = 0;
};

struct Pass;
/// Converts one cell, and asks for what the next one reads: no processor foresees the order of a tile.
using Kernel = void (*)(const Pass& pass, const Cell& cell, const Cell& next);

/// How all cells of one size are converted.
struct Pass {
    Coord cell = unit_extent;
    std::vector<Step> steps;  ///< from low places to high ones, in memory or in the rows
    uint64_t unit = 1;        ///< bytes that `inner` counts
    size_t piece_bytes = 0;
    Exchange exchange;  ///< of the pieces of one step
    std::vector<Step>
        pieces;  ///< of a step: `rows` is where the i-th of the rows is, the others where memory's i-th is
    /// Where pieces of 48 bytes are to be written past the caches: four in sequence, a quad, are three lines. As many quads as
    /// a step has pieces are made of those of four steps.
    std::vector<Step> quads;      ///< where they begin, relative to the first of the steps
    std::vector<uint16_t> seats;  ///< of the first step's pieces, then the second's: bytes from the first quad's begin
    Kernel kernel = nullptr;
    const char* instructions = "";
    uint64_t fixed_inner = 0;  ///< bits of `inner` that the exchange has seen to: the same for every cell
    /// A cell is that many bytes of memory without a gap, which begin where these bits of `inner` are 0; 0 bytes otherwise.
    uint64_t block_bytes = 0, block_inner = 0;
};

struct Plan {
    bool pieces_stream = false;     ///< the first pass writes past the caches by itself
    bool rows_in_sequence = false;  ///< each row of the box is one run, and there are no passes
    std::vector<Pass> passes;       ///< each leaves to the next what fills no cell of its own; the last leaves nothing
    /// The pitch of the rows that the first pass writes, where those are a buffer that is written out in one go.
    Pitch strip;
    uint32_t strip_cells = 0;  ///< along x; 0 where there is no such buffer
    size_t strip_bytes = 0;
};

struct Conversion {
    const Layout& layout;  ///< proved for the box
    Box box;
    Pitch pitch;  ///< with nothing left out
    ConvertDirection direction = ConvertDirection::detile;
    Isa isa = Isa::scalar;
    bool streams = false;  ///< what is written is not meant to stay in the caches
    uintptr_t to = 0;      ///< the address that is written to
};

/// By this processor's instructions; past the caches where the box is too large for them.
Conversion conversion_of(const Layout& layout, const Box& box, const Pitch& pitch, ConvertDirection direction,
                         const std::byte* to);

Plan make_plan(const Conversion& conversion);

/// In one line: the first pass.
std::string plan_name(const Plan& plan);

}  // namespace tilewise
