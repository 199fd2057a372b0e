// Whether two readings of one image agree, and whether the parts of one image are disjoint. Elements are compared one
// by one, computed from layouts if these are known: that takes no memory.
#pragma once
#include "patterns/model/layout.h"
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewise {

/// Where a reading found an image's elements: its layout; or, if none fits, the offsets as they were read.
struct Placement {
    Coord extent = unit_extent;
    std::optional<Layout> layout;
    std::vector<uint64_t> offsets;  ///< without a layout; as in Table
};

struct Difference {
    uint64_t differing = 0;                 ///< elements
    Coord element = {};                     ///< the first that differs
    std::optional<uint64_t> first, second;  ///< its offsets; none where the element was not found
};

/// The difference; none if every element has the same place in both. The extents must be equal.
std::optional<Difference> compare(const Placement& first, const Placement& second);

/// Whether any two elements of these placements, or of one of them, overlap. All placements are in one memory; each
/// comes with the size of its elements.
struct PlacedPart {
    const Placement* placement = nullptr;
    uint32_t element_bytes = 0;
};
bool lie_over_one_another(std::span<const PlacedPart> parts);

}  // namespace tilewise
