// The workgroup for a kernel on a device: the one answer to the question that snippet, validate and tune ask.
//
//   what is known of the device + the kernel's radius and registers
//     -> number of invocations, shape (patterns/remap/policy.h) -> RemapRequest -> derive_remap
#pragma once
#include "patterns/model/image_layout.h"
#include "patterns/remap/remap.h"
#include <map>
#include <optional>

namespace tilewise {

/// What is known of how a device and driver run workgroups.
struct KnownDevice {
    struct Lanes {
        uint32_t subgroup_size = 0;  ///< 0: not known
        LaneMatrix order = {};       ///< empty: invocation i runs in lane slot i, or no matrix says where
        std::string disorder = {};   ///< why no matrix says it; empty where one does
    };
    std::map<uint32_t, Lanes> lanes = {};  ///< by the invocations of a workgroup
    bool launches_along_rows = false;      ///< of the grid of workgroups; false where it is not known
    uint32_t subgroup_size = 0;            ///< where `lanes` has none; 0: not known
    uint32_t max_invocations = 0;          ///< of a workgroup; 0: not known
    /// The device starts so many workgroups in a microsecond, and fetches so many texels at best, by the bytes of a
    /// texel. 0 and none say that this was not measured.
    double group_starts = 0;
    std::map<uint32_t, double> fetches = {};
    /// The most registers of an invocation with which as many run at once as with few; 0: not measured.
    uint32_t registers_for_all = 0;
};

/// Registers that the driver's compiler gives an invocation of the kernel, by the invocations of its workgroup; none
/// where they are not known.
using Registers = std::map<uint32_t, uint32_t>;

/// The subgroup's size in workgroups of so many invocations: as given, as measured, as the driver says, or the default.
/// Example:
///     assert(subgroup_size_of({.subgroup_size = 64}, 256, {}) == 64);
uint32_t subgroup_size_of(const KnownDevice& device, uint32_t invocations, std::optional<uint32_t> given);

struct WorkgroupQuestion {
    uint32_t radius = 0;                          ///< texels that the kernel reads beyond its own, each way
    Neighbourhood reads = Neighbourhood::square;  ///< within the radius
    Registers registers = {};
    std::optional<Extent_px> extent = {};  ///< of the image, where it is known
    bool any_group_order = false;          ///< the kernel's workgroups may be dispatched in blocks
    // What is given is taken as it is.
    std::optional<uint32_t> invocations = {};
    std::optional<Coord> shape = {};  ///< of the workgroup: memory order in that box
    std::optional<uint32_t> subgroup_size = {};
};

struct WorkgroupChoice {
    Derivation derivation;
    GroupOrder groups = {};          ///< linear where the question allows no other, and where it gives the shape
    bool registers_unknown = false;  ///< they would have decided the number of invocations: the default was taken
    bool occupancy_unknown = false;  ///< KnownDevice::registers_for_all would have decided: policy.h's was assumed
    bool figures_unknown = false;    ///< likewise: of several with as few registers the default was taken
    std::string lane_disorder = {};  ///< lanes are in no linear order, and were taken as in order
};

/// The numbers of invocations that the kernel's registers decide between, the default first; one alone where registers
/// do not matter: without a radius, or where invocations or shape are given.
/// Example:
///     const std::vector<uint32_t> numbers = invocations_to_compare(layout.pattern, {}, {.radius = 16});
///     assert(numbers.front() == default_invocations && numbers.size() > 1);
///     assert(invocations_to_compare(layout.pattern, {}, {.radius = 0}).size() == 1);
std::vector<uint32_t> invocations_to_compare(const Pattern& pattern, const KnownDevice& device,
                                             const WorkgroupQuestion& question);

/// Throws Error for a linear pattern (rows are memory order), UsageError for what is no workgroup.
/// Example:
///     const WorkgroupChoice choice = choose_workgroup(layout.pattern, {}, {.invocations = 64});
///     assert((choice.derivation.remap.shape == Coord{8, 8, 1, 1}));
WorkgroupChoice choose_workgroup(const Pattern& pattern, const KnownDevice& device, const WorkgroupQuestion& question);

/// For a linear pattern, where rows are memory order: the shape that is given, or the most compact one.
/// Example:
///     assert((linear_workgroup({.invocations = 64}).shape == Coord{8, 8, 1, 1}));
Remap linear_workgroup(const WorkgroupQuestion& question);

}  // namespace tilewise
