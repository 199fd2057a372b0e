// Do two readings of one image agree? Element by element, from layouts where they are known: they take no memory.
#pragma once
#include "patterns/model/layout.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewise {

/// Where a reading found the elements of an image: its layout, or where none fits, the offsets as they were read.
struct Placement {
    Coord extent = unit_extent;
    std::optional<Layout> layout;
    std::vector<uint64_t> offsets;  ///< without a layout: as in Table
};

struct Difference {
    uint64_t differing = 0;                 ///< elements
    Coord element = {};                     ///< the first that differs
    std::optional<uint64_t> first, second;  ///< its offsets; none where it was not found
};

/// None where every element has one place. The extents must be equal.
std::optional<Difference> compare(const Placement& first, const Placement& second);

}  // namespace tilewise
