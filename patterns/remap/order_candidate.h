// What derive_remap weighs, and what it says of its choice. Not for users of the library.
#pragma once
#include "patterns/remap/remap.h"

namespace tilewise {

constexpr uint64_t most_texels_read = 16;  ///< by an invocation of a tall box, the halo shared out

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

/// An order, and what decides between orders.
struct OrderCandidate {
    std::vector<OrderStep> steps;  // one for each bit of the place in the workgroup
    OrderCost cost;
    uint64_t compactness = 0;  // texels read with a radius of at least 1
    uint64_t terms = 0;        // coordinate bits over all columns
};

bool touches_no_more(const OrderCost& a, const OrderCost& b);  ///< segments of any size

/// "0-6, 9": the bits that are set; bits from `tile_bytes` on belong to tiles, whose places the image decides.
std::string address_bit_ranges(uint64_t bits, uint64_t tile_bytes);

/// The compact shape, or one that touches less.
std::string why_this_shape(const OrderCandidate& chosen, const OrderCandidate& compact, const RemapRequest& request);
/// A tall shape, in place of the usual one.
std::string why_this_tall(const OrderCandidate& chosen, const OrderCandidate& usual, const RemapRequest& request);
/// Subgroups side by side.
std::string why_this_wide(const OrderCandidate& chosen, const RemapRequest& request);
std::string why_this_order(const OrderCandidate& chosen, const Pattern& pattern, const RemapRequest& request);
std::string what_it_saves(const std::vector<OrderCost>& candidates, const RemapRequest& request);

}  // namespace tilewise
