// Pieces of a few rows exchange parts and become pieces of memory, or the reverse.
//
// A piece is the content of a vector register; there are 2^n pieces on either side. Of the bits that number the
// elements of all pieces, some choose the piece in the rows, some the piece in memory, and the others stay within
// pieces. Each stage swaps one bit of the first kind with one of the second, which involves two registers at a time.
// RGBA8, Apple, 64 bytes (y0 y1 choose the piece in the rows, x2 x3 the piece in memory):
//
//               register  within it                 register  within it
//     begin      y1 y0    x3 x2 x1 x0
//     stage 0    y1 x2    (x3 y0 x1 x0)      registers 0 and 1, 2 and 3
//     stage 1    x3 x2     y1 x1 y0 x0       registers 0 and 2, 1 and 3
//
// Before the last stage, an element may take any position within its register. So any order within a piece, including
// an XOR of coordinates, costs nothing extra.
#pragma once
#include "patterns/convert/direction.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewise {

/// Instructions that a conversion may use: scalar, no vectors; shuffles, of 16 bytes (AVX2 and NEON); avx512, these and
/// those that pick from 128 bytes.
enum class Isa { scalar, shuffles, avx512 };
/// The best that this processor offers.
Isa best_isa();

/// The position of an element.
struct Seat {
    unsigned piece = 0;     ///< among those of one side
    unsigned position = 0;  ///< in elements from the start of the piece
};

/// How one stage fills one register: the source of each byte.
struct alignas(64) Pick {
    /// Byte i is byte source[i] % 64 of the stage's first register, or of its second one if source[i] is 64 or more.
    std::array<uint8_t, 64> source{};
};

struct Exchange {
    unsigned stages = 0;
    std::vector<Pick> picks;  ///< for stage 0's registers, then stage 1's; for one stage if there is none
};

/// Builds the exchange in which element i goes from from[i] to to[i]. Both sides have 2^stages pieces of as many
/// elements. Each bit of an element's piece on one side either is the same on the other side or says nothing about the
/// piece there.
Exchange make_exchange(unsigned stages, const std::vector<Seat>& from, const std::vector<Seat>& to,
                       size_t element_bytes);

}  // namespace tilewise
