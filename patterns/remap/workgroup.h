// The workgroup for a kernel on a device: `snippet`, `validate` and `tune` all get their answer here.
//
//   known facts about the device + the kernel's radius and registers
//     -> number of invocations, shape (patterns/remap/policy.h) -> RemapRequest -> derive_remap
#pragma once
#include "patterns/model/image_layout.h"
#include "patterns/remap/remap.h"
#include <map>
#include <optional>

namespace tilewise {

/// Known facts about how a device and driver run workgroups.
struct KnownDevice {
    struct Lanes {
        uint32_t subgroup_size = 0;  ///< 0: not known
        LaneMatrix order = {};       ///< empty: invocation i runs in lane slot i, or no matrix describes the order
        std::string disorder = {};   ///< why no matrix describes it; empty if one does
    };
    std::map<uint32_t, Lanes> lanes = {};  ///< by the number of invocations of a workgroup
    bool launches_along_rows = false;      ///< workgroups launch along the rows of their grid; false if not known
    uint32_t subgroup_size = 0;            ///< used if `lanes` has no entry; 0: not known
    uint32_t max_invocations = 0;          ///< of a workgroup; 0: not known
    /// How many workgroups the device starts per microsecond, and how many texels it fetches at best, by the bytes of a
    /// texel. 0 and an empty map: not measured.
    double group_starts = 0;
    std::map<uint32_t, double> fetches = {};
    /// The most registers per invocation at which as many invocations run at once as with fewer; 0: not measured.
    uint32_t registers_for_all = 0;
};

/// Registers per invocation that the driver's compiler gives the kernel, by the number of invocations of its workgroup;
/// empty if not known.
using Registers = std::map<uint32_t, uint32_t>;

/// The subgroup size in workgroups of `invocations`: the given one, the measured one, the driver's, or the default.
/// Example:
///     assert(subgroup_size_of({.subgroup_size = 64}, 256, {}) == 64);
uint32_t subgroup_size_of(const KnownDevice& device, uint32_t invocations, std::optional<uint32_t> given);

struct WorkgroupQuestion {
    uint32_t radius = 0;                          ///< texels that the kernel reads beyond its own, each way
    Neighbourhood reads = Neighbourhood::square;  ///< within the radius
    Registers registers = {};
    std::optional<Extent_px> extent = {};  ///< of the image, if known
    bool any_group_order = false;          ///< the kernel's workgroups may be dispatched in blocks
    // Values given here are used unchanged.
    std::optional<uint32_t> invocations = {};
    std::optional<Coord> shape = {};  ///< of the workgroup; invocations follow memory in that box
    std::optional<uint32_t> subgroup_size = {};
};

struct WorkgroupChoice {
    Derivation derivation;
    GroupOrder groups = {};          ///< linear if the question allows no other order, or if it gives the shape
    bool registers_unknown = false;  ///< registers would have decided the number of invocations: the default was taken
    bool occupancy_unknown = false;  ///< KnownDevice::registers_for_all would have decided: policy.h's was assumed
    bool figures_unknown = false;    ///< likewise for rates: of numbers with as few registers the default was taken
    std::string lane_disorder = {};  ///< why lanes are in no linear order; they were treated as in order
};

/// The numbers of invocations among which the kernel's registers decide, the default first. Only one if registers do
/// not matter: without a radius, or if invocations or shape are given.
/// Example:
///     const std::vector<uint32_t> numbers = invocations_to_compare(layout.pattern, {}, {.radius = 16});
///     assert(numbers.front() == default_invocations && numbers.size() > 1);
///     assert(invocations_to_compare(layout.pattern, {}, {.radius = 0}).size() == 1);
std::vector<uint32_t> invocations_to_compare(const Pattern& pattern, const KnownDevice& device,
                                             const WorkgroupQuestion& question);

/// Answers the question. Throws Error for a linear pattern (rows are memory order), UsageError for an invalid
/// workgroup.
/// Example:
///     const WorkgroupChoice choice = choose_workgroup(layout.pattern, {}, {.invocations = 64});
///     assert((choice.derivation.remap.shape == Coord{8, 8, 1, 1}));
WorkgroupChoice choose_workgroup(const Pattern& pattern, const KnownDevice& device, const WorkgroupQuestion& question);

/// For a linear pattern, whose rows are memory order: the given shape, or the most compact one.
/// Example:
///     assert((linear_workgroup({.invocations = 64}).shape == Coord{8, 8, 1, 1}));
Remap linear_workgroup(const WorkgroupQuestion& question);

}  // namespace tilewise
