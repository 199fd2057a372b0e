// From a table of offsets to the exact layout, or to the reason why there is none.
#pragma once
#include "patterns/model/layout.h"
#include "patterns/model/table.h"
#include <string>

namespace tilewise {

enum class Fit { exact, no_fit };

struct Solution {
    Fit fit = Fit::no_fit;
    Coord extent = unit_extent;  ///< of the table; the layout is proved for it
    uint64_t elements = 0;       ///< of the table
    uint64_t mismatches = 0;     ///< with no_fit: elements that the nearest layout found does not reproduce
    Layout layout;               ///< valid with exact
    std::string reason;          ///< with no_fit: one line that names what is wrong
};

/// Finds the layout in canonical form. Among the tiles that repeat along every axis of the image, it is the smallest
/// with F = G = 0; failing that, the smallest with F = 0; then the smallest with F. If all these fail, the same is
/// tried with tiles that span an axis of the image, and finally with the whole image as one tile. An XOR counts only if
/// its axis shows three tiles or more, unless nothing else is left. `exact` is returned only if the layout reproduces
/// every element and no two elements share a byte.
///
/// Time is linear in the number of elements; memory beyond the table is a few kilobytes plus one row. Throws nothing of
/// its own: a table with faults or missing offsets has no fit. The table must have an offset for each element of its
/// extent.
/// Example:
///     const Solution solution = solve(parse_table_csv("0,0,0\n1,0,4\n0,1,8\n1,1,12\n"));
///     assert(solution.fit == Fit::exact && offset_of(solution.layout, {1, 1, 0, 0}) == 12);
Solution solve(const Table& table);

}  // namespace tilewise
