// The methods of a separable filter as data. A name is composed from the properties of a method, and never parsed.
#pragma once
#include "kernels/image/texels.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewise::kernels {

/// Exact: each tap is read. Approximate: one sample of the bilinear sampler gives two taps. Midway: one sample in the
/// middle between two taps, whatever the filter says (the kind that shared memory can hold).
enum class Sampling { exact, approximate, midway };

/// A workgroup of the method with shared memory.
struct SharedShape {
    uint32_t invocations = 128;
    uint32_t lines = 2;
    /// Results that each invocation computes, side by side.
    uint32_t results = 4;
    /// Bits per channel in shared memory: 8, 16 or 32.
    uint32_t precision = 32;
};

/// A workgroup of the fused method; see separable/separable_fused.comp.
struct FusedShape {
    uint32_t invocations = 128;
    /// Results that lie side by side; a multiple of `results`.
    uint32_t width = 112;
    /// Rows of one column that an invocation filters at a time.
    uint32_t rows = 8;
    /// Strips of `rows` that lie one above the other.
    uint32_t strips = 1;
    /// Results that each invocation computes, side by side.
    uint32_t results = 8;
    uint32_t precision = 32;
    /// Use imageLoad instead of texelFetch.
    bool load = false;
    /// As in Variant: unroll loops before the driver sees them.
    bool optimize = false;

    bool operator==(const FusedShape&) const = default;
};

/// Two dispatches, in which each invocation computes one result.
struct DirectMethod {
    Sampling sampling = Sampling::exact;
};
/// Two draws of a fragment shader.
struct FragmentMethod {
    Sampling sampling = Sampling::exact;
};
/// Two dispatches that read through shared memory.
struct SharedMethod {
    SharedShape shape;
    Sampling sampling = Sampling::exact;
};
using FilterMethod = std::variant<DirectMethod, FragmentMethod, SharedMethod, FusedShape>;

/// The name in Job::method.
std::string method_name(const FilterMethod& method);

Sampling sampling_of(const FilterMethod& method);

/// The bits per channel in the method's shared memory; 32 for a method without.
uint32_t precision_of(const FilterMethod& method);

/// The box of results of a workgroup, for the method with shared memory in the pass along the rows.
constexpr Size box_of(const SharedShape& shape) {
    return {shape.lines == 0 ? 0 : shape.invocations / shape.lines * shape.results, shape.lines};
}
constexpr Size box_of(const FusedShape& shape) { return {shape.width, shape.rows * shape.strips}; }

/// The shapes with shared memory that are timed, in this order.
constexpr SharedShape timed_shared_shapes[] = {{128, 2, 4, 32}, {128, 2, 4, 16}, {128, 2, 4, 8}};

/// Every method that separable_jobs() uses on any device. The names of fused shapes do not include their workgroups:
/// these have the default width and invocations.
std::vector<FilterMethod> filter_methods();

/// The one with that name; none if there is none.
std::optional<FilterMethod> filter_method_named(const std::string& name);
/// Likewise; in addition, it must have the workgroup of a timing.
std::optional<FilterMethod> filter_method_of(const std::string& name, Size workgroup, uint32_t invocations);

}  // namespace tilewise::kernels
