// How a grid was visited: which of the plain orders it is, or which it is nearest to.
#pragma once
#include "patterns/model/layout.h"
#include <span>
#include <string>

namespace tilewise {

struct Visit {
    std::string
        nearest;  ///< "row" (x fastest), "column" (y fastest), "morton" (bits of x and y in turn); of equals the first
    bool exact = false;      ///< it is that order, without exception
    double correlation = 0;  ///< Spearman's, with the nearest order: 1 is the same, 0 unrelated, -1 reversed
    uint32_t displacement =
        0;                ///< half of the positions are visited at most so many places from where that order has them
    double adjacent = 0;  ///< of the steps from one visit to the next, the share that goes to a neighbour
};

/// `rank`: by position, x fastest, when it was visited: each of 0 .. size - 1 once (asserted). z is 1.
Visit describe_visit(const Coord& grid, std::span<const uint32_t> rank);

/// Spearman's correlation of two rankings without ties; 1 for fewer than two.
double rank_correlation(std::span<const uint32_t> a, std::span<const uint32_t> b);

}  // namespace tilewise
