// How a grid was visited: which of the simple orders it is, or the nearest one.
#pragma once
#include "patterns/model/layout.h"
#include <span>
#include <string>

namespace tilewise {

struct Visit {
    /// "row" (x fastest), "column" (y fastest) or "morton" (bits of x and y in turn); the first if several are equally
    /// near.
    std::string nearest;
    bool exact = false;      ///< it is exactly that order
    double correlation = 0;  ///< Spearman's correlation with the nearest order: 1 is the same, 0 unrelated, -1 reversed
    /// Half of the positions are visited at most this many places away from their place in that order.
    uint32_t displacement = 0;
    double adjacent = 0;  ///< the share of steps from one visit to the next that go to a neighbour
};

/// `rank` gives, for each position (x fastest), when it was visited: each of 0 .. size - 1 once (asserted). z is 1.
Visit describe_visit(const Coord& grid, std::span<const uint32_t> rank);

/// Spearman's correlation of two rankings without ties; 1 for fewer than two.
double rank_correlation(std::span<const uint32_t> a, std::span<const uint32_t> b);

}  // namespace tilewise
