// How derive_remap compares boxes, and how it explains its choice. Not for users of the library.
#pragma once
#include "patterns/remap/remap.h"

namespace tilewise {

/// Coordinate bits of the box, and the address bits that they move.
struct OrderStep {
    uint64_t address = 0;
    Coord at{};

    OrderStep& operator^=(const OrderStep& other) {
        address ^= other.address;
        for (Axis a : all_axes) at[a] ^= other.at[a];
        return *this;
    }
};

/// Memory order in one box, and the figures that decide between boxes.
struct BoxOrder {
    std::vector<OrderStep> steps;  // one for each bit of the lane slot
    OrderCost cost;
    uint64_t compactness = 0;  // texels read with a radius of at least 1
    uint64_t terms = 0;        // coordinate bits over all columns
};

void require_invocations(uint32_t invocations);  ///< throws UsageError if no workgroup can have this many

/// Whether a tall box may touch more segments than the compact one: if a square of radius 2 or more is read, the halo
/// of a box counts for more than the box.
inline bool may_touch_more(const RemapRequest& request) {
    return request.reads == Neighbourhood::square && request.radius >= 2;
}

/// "0-6, 9": the bits that are set. Bits from `tile_bytes` on belong to tiles, whose places depend on the image.
std::string address_bit_ranges(uint64_t bits, uint64_t tile_bytes);

/// Explains the compact shape, or one that touches fewer segments.
std::string why_this_shape(const BoxOrder& chosen, const BoxOrder& compact, const RemapRequest& request);
/// Explains a tall shape, chosen instead of `other`, which would be the compact choice.
std::string why_this_tall(const BoxOrder& chosen, const BoxOrder& other, const RemapRequest& request);
/// Explains a wide shape: subgroups side by side.
std::string why_this_wide(const BoxOrder& chosen, const RemapRequest& request);
std::string why_the_given_shape(const BoxOrder& order);
std::string why_this_order(const BoxOrder& chosen, const Pattern& pattern, const RemapRequest& request);
std::string what_it_saves(const std::vector<OrderCost>& orders, const RemapRequest& request);

}  // namespace tilewise
