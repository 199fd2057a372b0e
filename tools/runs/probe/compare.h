// Do two readings of one image agree, and do the parts of one image keep apart? Element by element, from layouts where
// they are known: they take no memory.
#pragma once
#include "patterns/model/layout.h"
#include <cstdint>
#include <optional>
#include <span>
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

/// Whether an element of one placement, or of another, lies over an element that was seen before it; all are of one
/// memory, the sizes of their elements beside them.
struct PlacedPart {
    const Placement* placement = nullptr;
    uint32_t element_bytes = 0;
};
bool lie_over_one_another(std::span<const PlacedPart> parts);

}  // namespace tilewise
