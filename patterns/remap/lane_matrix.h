// The lane slot of each invocation in its workgroup (subgroup * size + lane), as a matrix over GF(2).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewise {

/// Bit i of the lane slot is the XOR of the invocation's bits in rows[i]. One-to-one.
using LaneMatrix = std::vector<uint64_t>;

struct LaneFit {
    std::optional<LaneMatrix> matrix;
    std::string reason;  ///< if there is no matrix: one line naming an invocation that no matrix puts where it is
};

/// `slots` lists the slot of each invocation, each of 0 .. size - 1 once (asserted). A size that is not a power of two
/// has no matrix.
/// Example:
///     const std::vector<uint32_t> slots = {0, 2, 1, 3};
///     assert((fit_lanes(slots).matrix == LaneMatrix{0b10, 0b01}));
LaneFit fit_lanes(std::span<const uint32_t> slots);

/// Example:
///     assert(is_identity(lane_identity(5)) && lane_slot_of(lane_identity(5), 19) == 19);
LaneMatrix lane_identity(unsigned bits);
bool is_identity(const LaneMatrix& matrix);
uint64_t lane_slot_of(const LaneMatrix& matrix, uint64_t invocation);

/// Converts a matrix to names such as {"i0", "i2", "i1^i3"}, and back. lanes_from_names() throws Error for an unknown
/// name and for a matrix that is not one-to-one.
/// Example:
///     const std::vector<std::string> names = {"i1", "i0"};
///     assert(lane_names(lanes_from_names(names)) == names);
std::vector<std::string> lane_names(const LaneMatrix& matrix);
LaneMatrix lanes_from_names(std::span<const std::string> names);

/// A hash of 16 hexadecimal digits, the same for the same table wherever it was seen: FNV-1a of the slots, four bytes
/// each, lowest byte first. FNV's authors publish the hashes of the empty input and of "foob".
/// Example:
///     assert(lane_table_hash({}) == "cbf29ce484222325");
///     assert(lane_table_hash(std::vector<uint32_t>{0x626f6f66}) == "dd120e790c2512af");
std::string lane_table_hash(std::span<const uint32_t> slots);

}  // namespace tilewise
