// The ways to compute a separable filter: two passes (compute, fragment shader, compute with shared memory) or one. All
// filter down the columns first, then along the rows. Between two passes over R8G8B8A8, the intermediate image has
// halves.
#pragma once
#include "kernels/image/check.h"
#include "kernels/separable/filter.h"
#include "kernels/separable/filter_method.h"
#include "kernels/shader/registers.h"
#include "kernels/shader/variant.h"
#include <span>

namespace tilewise::kernels {

struct SeparableRequest {
    FilterText filter;
    Format format = Format::rgba8;
    Size size;
    /// 1 to 32.
    uint32_t radius = 1;
};

/// The shape of the fused method. Below radius 3 it has 4 strips of 4 rows, otherwise one strip of 8 rows, whose
/// columns leave one invocation idle: 128 columns took up to 23% longer (docs/results/nvidia-h200-tried.md). From
/// radius 10 on it has 192 invocations, if a workgroup may have that many, with 7 results each, or 4 from radius 16 on
/// unless a texel has 16 bytes. It has fewer rows if the device has too little shared memory. These are near the
/// fastest shapes for 4096x4096 at radius 1 to 16 on an H200 and an H100 (tilewise_bench_separable finds them).
FusedShape fused_shape(const WorkgroupLimits& limits, Format format, uint32_t radius);
/// Bytes of shared memory.
uint32_t shared_bytes_of(const FusedShape& shape, uint32_t radius);

/// One result per invocation, in two dispatches.
Job separable_direct(ImagePool& pool, const References& references, const SeparableRequest& request, const Order& order,
                     Sampling sampling = Sampling::exact);
/// The larger of the two passes' register counts, for each order.
RegisterCounts separable_direct_registers(ImagePool& pool, const SeparableRequest& request,
                                          std::span<const Order> orders);
/// The same with fragment shaders, in two draws.
Job separable_fragment(ImagePool& pool, const References& references, const SeparableRequest& request,
                       Sampling sampling = Sampling::exact);
/// These throw UsageError if the shape is invalid, or if the device has too little shared memory or too few invocations
/// for it.
Job separable_shared(ImagePool& pool, const References& references, const SeparableRequest& request,
                     const SharedShape& shape = {}, Sampling sampling = Sampling::exact);
Job separable_fused(ImagePool& pool, const References& references, const SeparableRequest& request,
                    const FusedShape& shape);

/// All methods that the device can run: the direct one in each order, the others in their own.
std::vector<Job> separable_jobs(ImagePool& pool, const References& references, const FilterText& filter, Format format,
                                Size size, uint32_t radius, const std::vector<Order>& orders);

/// Rounding to bytes twice would lose too much.
constexpr Format scratch_format(Format format) { return format == Format::rgba8 ? Format::rgba16f : format; }

enum class Direction { x, y };
/// The shaders of these methods, for one direction (fused: for both).
Variant direct_variant(const FilterText& filter, Format result, uint32_t radius, Direction direction,
                       Sampling sampling);
Variant fragment_variant(const FilterText& filter, uint32_t radius, Direction direction, Sampling sampling);
Variant shared_variant(const FilterText& filter, Format result, uint32_t radius, Direction direction,
                       const SharedShape& shape, Sampling sampling);
Variant fused_variant(const FilterText& filter, Format format, uint32_t radius, const FusedShape& shape);

}  // namespace tilewise::kernels
