// Which invocation of a workgroup runs in which subgroup and lane: Vulkan leaves this to the driver.
#pragma once
#include "probe/probe.h"
#include <span>

namespace tilewise::probe {

/// The built-in by which a shader finds its texel. Compilers choose the walk by it; a remap reads the index.
enum class LaneBuiltin { index, id };  ///< gl_LocalInvocationIndex, gl_LocalInvocationID
constexpr LaneBuiltin all_lane_builtins[] = {LaneBuiltin::index, LaneBuiltin::id};
const char* lane_builtin_name(LaneBuiltin builtin);  ///< "index", "id"

/// The workgroup shapes that are measured; all are powers of two.
std::span<const Coord> lane_shapes();
/// Whether the device runs workgroups of this shape.
bool is_within_limits(const DeviceInfo& device, const Coord& shape);

struct LaneOrder {
    Coord shape = unit_extent;
    LaneBuiltin builtin = LaneBuiltin::index;
    std::string why_not;         ///< one line if it could not be measured; the rest is then empty
    std::string disorder;        ///< one line if what the shaders wrote is not an order; there are no slots then
    uint32_t subgroup_size = 0;  ///< lanes of a subgroup as observed: the highest lane plus one, as a power of two
    uint32_t declared_size = 0;  ///< gl_SubgroupSize
    /// The lane slot of each invocation index, subgroup * subgroup_size + lane; each slot occurs once.
    std::vector<uint32_t> slots;
    bool checked = false;  ///< a second shader, using ballot and broadcast, saw the same subgroups and lanes
};

/// Measures three runs of several workgroups on a worker; these and the second shader must agree.
LaneOrder measure_lane_order(Workers& workers, const DeviceInfo& device, const Coord& shape, LaneBuiltin builtin);

/// What lane_order.comp wrote for one workgroup, by invocation index.
struct LaneWords {
    uint32_t subgroup, lane, declared_size, subgroups;
};
/// Fills in the sizes, and either slots or disorder.
void fill_slots(std::span<const LaneWords> written, LaneOrder& order);

/// What lane_check.comp wrote.
struct PeerWords {
    uint32_t first, before, all, elected;
};
/// One line that names the first invocation about which the two disagree; "" if they agree.
std::string disagreement(const LaneOrder& order, std::span<const PeerWords> peers);

}  // namespace tilewise::probe
