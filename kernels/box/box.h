// Box blur: the mean of the (2r+1)^2 texels around each texel; beyond an edge, the edge's texel counts.
#pragma once
#include "kernels/image/check.h"
#include "kernels/shader/registers.h"
#include <optional>
#include <span>

namespace tilewise::kernels {

struct BoxRequest {
    Format format = Format::rgba8;
    Size size;
    uint32_t radius = 1;
};
constexpr uint32_t max_box_radius = 16;

enum class Access { fetch, load };  ///< texelFetch of a texture, imageLoad of a storage image

/// One texel an invocation, all its neighbours read. `run_time_radius`: the radius is not known to the compiler.
Job box_direct(ImagePool& pool, const References& references, const BoxRequest& request, const Order& order,
               Access access = Access::fetch, bool run_time_radius = false);
std::string box_direct_name(Access access, bool run_time_radius);  ///< as Job::method has it
constexpr const char* running_name = "running sums";

/// What it consists of, for whoever makes many: its shader, what that is bound to (throws UsageError for a radius that there
/// is no box blur of), and the job of a pass made of both.
Variant box_direct_variant(const BoxRequest& request, Access access = Access::fetch, bool run_time_radius = false);
ComputePassInputs box_direct_inputs(ImagePool& pool, const BoxRequest& request, const Order& order,
                                    Access access = Access::fetch);
Job box_direct(ImagePool& pool, const References& references, const BoxRequest& request, const Order& order,
               ComputePass pass, Access access = Access::fetch, bool run_time_radius = false);

RegisterCounts box_direct_registers(ImagePool& pool, const BoxRequest& request, std::span<const Order> orders);

/// How box_running divides the image; see box/box_running.comp.
struct RunningShape {
    uint32_t invocations = 128;  ///< of a workgroup, and columns of a strip, the neighbours' included
    uint32_t rows = 4;           ///< summed before a barrier
    uint32_t results = 4;        ///< along a row, that one invocation computes at a time
    uint32_t strip_rows = 128;   ///< that one workgroup walks down; a multiple of `rows`
    bool refetch = false;        ///< a texel that leaves the box is fetched again: fewer registers
};

/// What was fastest on an H100 or H200 (R8G8B8A8, R16G16B16A16 and R32G32B32A32 at radius 1 to 16), within the shared memory
/// and the invocations of a workgroup that the device has. Throws UsageError for a radius that there is no box blur of.
RunningShape running_shape(const Context& context, const BoxRequest& request);

/// The one whose workgroup a Job has, of those that this version or an earlier one takes on a device with 48 KiB of shared
/// memory and workgroups of 160 invocations; none where it is another one.
std::optional<RunningShape> running_shape_of(const BoxRequest& request, Size workgroup, uint32_t invocations);
Variant running_variant(const BoxRequest& request, const RunningShape& shape);

/// Running sums: down the columns in registers, along the rows in shared memory. R8G8B8A8 of radius 8 to 15 may be up to
/// 0.07 of a step off before it is rounded. Throws UsageError for a shape that cannot be, Error for one that needs more
/// shared memory than the device has.
Job box_running(ImagePool& pool, const References& references, const BoxRequest& request, const RunningShape& shape);

}  // namespace tilewise::kernels
