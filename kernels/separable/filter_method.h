// The methods of a separable filter as data. A name is made from what a method consists of, never taken apart.
#pragma once
#include "kernels/image/texels.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewise::kernels {

/// Exact: each tap is read. Approximate: two taps are one sample of the bilinear sampler. Midway: one in their middle,
/// whatever the filter says (what shared memory can hold).
enum class Sampling { exact, approximate, midway };

/// A workgroup of the method with shared memory.
struct SharedShape {
    uint32_t invocations = 128;
    uint32_t lines = 2;
    /// Each invocation computes so many, side by side.
    uint32_t results = 4;
    /// Shared memory has 8, 16 or 32 bits a channel.
    uint32_t precision = 32;
};

/// A workgroup of the fused method; see separable/separable_fused.comp.
struct FusedShape {
    uint32_t invocations = 128;
    /// So many results lie side by side; a multiple of `results`.
    uint32_t width = 112;
    /// An invocation filters so many rows of one column at a time.
    uint32_t rows = 8;
    /// So many strips of `rows` lie one above the other.
    uint32_t strips = 1;
    /// Each invocation computes so many, side by side.
    uint32_t results = 8;
    uint32_t precision = 32;
    /// imageLoad is called instead of texelFetch.
    bool load = false;
    /// As in Variant: loops are unrolled before the driver sees them.
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

/// As Job::method has it.
std::string method_name(const FilterMethod& method);

Sampling sampling_of(const FilterMethod& method);

/// The bits a channel of its shared memory; 32 of a method without.
uint32_t precision_of(const FilterMethod& method);

/// The box of results of a workgroup of the method with shared memory, in the pass along the rows.
constexpr Size box_of(const SharedShape& shape) {
    return {shape.lines == 0 ? 0 : shape.invocations / shape.lines * shape.results, shape.lines};
}
constexpr Size box_of(const FusedShape& shape) { return {shape.width, shape.rows * shape.strips}; }

/// Those with shared memory that are timed, in this order.
constexpr SharedShape timed_shared_shapes[] = {{128, 2, 4, 32}, {128, 2, 4, 16}, {128, 2, 4, 8}};

/// Every method that separable_jobs() makes on any device. The names of fused shapes leave their workgroups out: those
/// have the default width and invocations.
std::vector<FilterMethod> filter_methods();

/// The one of these that is called so; none where none is.
std::optional<FilterMethod> filter_method_named(const std::string& name);
/// Likewise, with the workgroup of a timing, which it must have.
std::optional<FilterMethod> filter_method_of(const std::string& name, Size workgroup, uint32_t invocations);

}  // namespace tilewise::kernels
