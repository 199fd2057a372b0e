#include "patterns/convert/kernels.h"
#include <cstring>
#include <type_traits>

namespace tilewise {

namespace {

/// `fixed_bytes` is the size of a piece, or 0 if the compiler cannot know it.
template <ConvertDirection direction, size_t fixed_bytes>
void move_pieces(const Pass& pass, const Cell& cell, const Cell& next) {
    const size_t bytes = fixed_bytes != 0 ? fixed_bytes : pass.piece_bytes;
    const uint64_t unit = pass.unit;
    const std::byte *const from = cell.from, *const ahead = next.from;
    std::byte* const to = cell.to;
    const Step* const end = pass.steps.data() + pass.steps.size();
#pragma GCC unroll 4
    for (const Step* step = pass.steps.data(); step != end; step++) {
        const uint64_t at = memory_offset(*step, cell.inner, unit);
        if constexpr (direction == ConvertDirection::detile) {
            __builtin_prefetch(ahead + memory_offset(*step, next.inner, unit));
            std::memcpy(to + step->rows, from + at, bytes);
        } else {
            __builtin_prefetch(ahead + step->rows);
            std::memcpy(to + at, from + step->rows, bytes);
        }
    }
}

template <ConvertDirection direction>
Kernel choose(size_t bytes) {
    switch (bytes) {
        case 1:
            return move_pieces<direction, 1>;
        case 2:
            return move_pieces<direction, 2>;
        case 3:
            return move_pieces<direction, 3>;
        case 4:
            return move_pieces<direction, 4>;
        case 6:
            return move_pieces<direction, 6>;
        case 8:
            return move_pieces<direction, 8>;
        case 12:
            return move_pieces<direction, 12>;
        case 16:
            return move_pieces<direction, 16>;
        case 24:
            return move_pieces<direction, 24>;
        case 32:
            return move_pieces<direction, 32>;
        case 48:
            return move_pieces<direction, 48>;
        case 64:
            return move_pieces<direction, 64>;
        default:
            return move_pieces<direction, 0>;
    }
}

}  // namespace

Kernel choose_move(ConvertDirection direction, size_t piece_bytes) {
    return direction == ConvertDirection::detile ? choose<ConvertDirection::detile>(piece_bytes)
                                                 : choose<ConvertDirection::tile>(piece_bytes);
}

}  // namespace tilewise
