// The ways to compute a separable filter: two passes (compute, fragment shader, compute with shared memory) or one.
// All filter down the columns first, then along the rows. Between two passes of R8G8B8A8 there are halves.
#pragma once
#include "kernels/image/check.h"
#include "kernels/separable/filter.h"
#include "kernels/shader/registers.h"
#include "kernels/shader/variant.h"
#include <optional>
#include <span>

namespace tilewise::kernels {

struct SeparableRequest {
    FilterText filter;
    Format format = Format::rgba8;
    Size size;
    uint32_t radius = 1;  ///< 1 to 32
};

/// Exact: each tap is read. Approximate: two taps are one sample of the bilinear sampler. Midway: one in their middle,
/// whatever the filter says (what shared memory can hold).
enum class Sampling { exact, approximate, midway };

/// A workgroup of the method with shared memory.
struct SharedShape {
    uint32_t invocations = 128, lines = 2;
    uint32_t results = 4;     ///< side by side, of one invocation
    uint32_t precision = 32;  ///< bits a channel in shared memory: 8, 16 or 32
};

/// A workgroup of the fused method; see separable/separable_fused.comp.
struct FusedShape {
    uint32_t invocations = 128;
    uint32_t width = 112;  ///< of the results; a multiple of `results`
    uint32_t rows = 8;     ///< of one column that an invocation filters at a time
    uint32_t strips = 1;   ///< of so many rows, one above the other
    uint32_t results = 8;  ///< side by side, of one invocation
    uint32_t precision = 32;
    bool load = false;      ///< imageLoad instead of texelFetch
    bool optimize = false;  ///< as in Variant: loops are unrolled before the driver sees them
};
/// 4 strips of 4 rows below radius 3, else one of 8, whose columns leave an invocation idle: 128 of them took up to 23%
/// longer (docs/results/nvidia-h200.md); from radius 10 on 192 invocations, where a workgroup may have so many, with 7
/// results each, or 4 from radius 16 on unless a texel has 16 bytes. Less where the device has too little shared memory. Near the fastest shapes of 4096x4096 at radius 1 to 16 on an
/// H200 and an H100 (tilewise_bench_separable finds them).
FusedShape fused_shape(const Context& context, Format format, uint32_t radius);

/// One result an invocation, in two dispatches.
Job separable_direct(ImagePool& pool, const References& references, const SeparableRequest& request, const Order& order,
                     Sampling sampling = Sampling::exact);
/// The more of the two passes' registers, for each order.
RegisterCounts separable_direct_registers(ImagePool& pool, const SeparableRequest& request,
                                          std::span<const Order> orders);
/// The same by fragment shaders, in two draws.
Job separable_fragment(ImagePool& pool, const References& references, const SeparableRequest& request,
                       Sampling sampling = Sampling::exact);
/// Throw UsageError where the shape is none, or the device has not enough shared memory or invocations for it.
Job separable_shared(ImagePool& pool, const References& references, const SeparableRequest& request,
                     const SharedShape& shape = {}, Sampling sampling = Sampling::exact);
Job separable_fused(ImagePool& pool, const References& references, const SeparableRequest& request,
                    const FusedShape& shape);

/// All methods that the device can do: the direct one in each order, the others in theirs.
std::vector<Job> separable_jobs(ImagePool& pool, const References& references, const FilterText& filter, Format format,
                                Size size, uint32_t radius, const std::vector<Order>& orders);

/// As Job::method has it.
std::string direct_name(Sampling sampling);
std::string fragment_name(Sampling sampling);
std::string shared_name(const SharedShape& shape, Sampling sampling);
std::string fused_name(const FusedShape& shape);
/// What such a name and workgroup say; none where they are no shape that this program makes.
struct NamedShared {
    SharedShape shape;
    Sampling sampling = Sampling::exact;
};
std::optional<NamedShared> shared_of_name(const std::string& name, Size workgroup, uint32_t invocations);
std::optional<FusedShape> fused_of_name(const std::string& name, Size workgroup, uint32_t invocations);

/// Two roundings to bytes would be too many.
constexpr Format scratch_format(Format format) { return format == Format::rgba8 ? Format::rgba16f : format; }

enum class Direction { x, y };
/// The shaders behind them, for one direction (fused: for both).
Variant direct_variant(const FilterText& filter, Format result, uint32_t radius, Direction direction,
                       Sampling sampling);
Variant fragment_variant(const FilterText& filter, uint32_t radius, Direction direction, Sampling sampling);
Variant shared_variant(const FilterText& filter, Format result, uint32_t radius, Direction direction,
                       const SharedShape& shape, Sampling sampling);
Variant fused_variant(const FilterText& filter, Format format, uint32_t radius, const FusedShape& shape);

}  // namespace tilewise::kernels
