// Pieces of a few rows exchange parts of theirs and become pieces of memory; or the way back.
//
// A piece is what a vector register holds, and there are 2^n of them on either side. Of the bits that number the
// elements of them all, some number a row's piece, some memory's, and the others stay within pieces. Stage by stage one
// bit of the one kind takes the place of one of the other, which concerns two registers at a time. RGBA8, Apple, 64
// bytes (y0 y1 number the row's pieces, x2 x3 memory's):
//
//               register  within it                 register  within it
//     begin      y1 y0    x3 x2 x1 x0
//     stage 0    y1 x2    (x3 y0 x1 x0)      registers 0 and 1, 2 and 3
//     stage 1    x3 x2     y1 x1 y0 x0       registers 0 and 2, 1 and 3
//
// Where an element stands within its register is free before the last stage, so that any order within a piece, an XOR
// of coordinates included, costs nothing more.
#pragma once
#include "patterns/convert/direction.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewise {

/// Instructions that a conversion may use: none for vectors, those that shuffle 16 bytes (AVX2 and NEON), those beside
/// them that pick among 128 bytes.
enum class Isa { scalar, shuffles, avx512 };
/// The best that this processor has.
Isa best_isa();

/// Where an element stands.
struct Seat {
    unsigned piece = 0;     ///< among those of one side
    unsigned position = 0;  ///< in elements from the piece's begin
};

/// What becomes of one register in one stage: for each byte where it comes from.
struct alignas(64) Pick {
    /// Byte i is byte source[i] % 64 of the stage's first register, or of its second one from 64 on.
    std::array<uint8_t, 64> source{};
};

struct Exchange {
    unsigned stages = 0;
    std::vector<Pick> picks;  ///< of stage 0's registers, then stage 1's; of one for no stage
};

/// Element i goes from from[i] to to[i]. Both sides have 2^stages pieces of as many elements. Bit by bit, an element's
/// piece on one side says nothing of that on the other side, or it is the same.
Exchange make_exchange(unsigned stages, const std::vector<Seat>& from, const std::vector<Seat>& to,
                       size_t element_bytes);

}  // namespace tilewise
