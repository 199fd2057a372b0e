// One guess of the solver: once the tile is given, the few elements at powers of two along each axis determine the
// rest.
//
// NVIDIA H100, RGBA8, 256x256. Guess: a tile of 16x128. Offsets in hexadecimal, that of (0,0) being 0:
//
//   along x   x =  1    2    4    8     16    32    64   128
//                  4    8   40  100   2000  4000  8000 10000
//   along y   y =  1    2    4    8     16    32    64   128
//                 10   20   80  200    400   800  1000 20000
//
// Offsets inside the tile (x up to 8, y up to 64) give the columns of E; they must be independent:
//
//   bit   12  11  10   9   8   7   6   5   4   3   2   1   0
//   E     y6  y5  y4  y3  x3  y2  x2  y1  y0  x1  x0   0   0
//
// Offsets beyond the tile must double from bit to bit, as strides do: 2000 along x, 20000 along y. A guess with G or F
// first splits each step into whole tiles and a place in the tile. AMD Navi 21, RGBA8, guess 128x128 (64 KiB):
//
//   step to      offset   tiles | bit 15 ... 0 in the tile
//   (128,  0)     10400       1 | 0000 0100 0000 0000     stride.x = 1 tile,  G's tx0 in bit 10
//   (  0,128)     24800       2 | 0100 1000 0000 0000     stride.y = 2 tiles, G's ty0 in bits 14 and 11
#pragma once
#include "patterns/model/layout.h"
#include "patterns/model/table.h"
#include <functional>

namespace tilewise {

using TileLog2 = std::array<unsigned, axis_count>;

/// Which maps besides E may be nonzero: none, G (the bank XOR), F (the tile-index XOR), or both.
enum class Outer { plain, outer_xor, index_xor, both_xor };

struct Guess {
    TileLog2 tile{};
    /// The tile takes 2^growth times the bytes of its elements: the image is narrower than the real tile.
    unsigned growth = 0;
    uint64_t base = 0;
    Outer outer = Outer::plain;
};

/// The elements that a guess reads: along each axis the coordinates 0, 1, 2, 4, 8, ...; the other coordinates are zero
/// except for one, which is `row`. Guesses from different rows share no element, so a single wrong element cannot spoil
/// all of them.
struct Probes {
    std::array<std::vector<uint64_t>, axis_count> at_power;  ///< offset at 2^j along the axis
    std::array<uint64_t, axis_count> at_zero;
    std::array<Coord, axis_count> zero;  ///< where at_zero was read
    Coord extent;
    Element element;

    Probes(const Table& table, uint32_t row);
    unsigned bits(Axis a) const { return static_cast<unsigned>(at_power[a].size()); }
};

/// Calls accept(layout) for each layout that the guess allows, until it returns true; returns whether it did. There is
/// no layout if the probed elements contradict each other, or if two elements of the image would share a byte. Usually
/// there is one; with F, there is one for each choice, axis by axis, of how many low bits of the tile index F may
/// change. Layouts agree with the probed elements only: prove them on the table.
bool try_guess(const Probes& probes, const Guess& guess, const std::function<bool(const Layout&)>& accept);

/// For each axis, the smallest tile beyond which the probed offsets double from bit to bit, as a stride must.
TileLog2 smallest_additive_tile(const Probes& probes);

}  // namespace tilewise
