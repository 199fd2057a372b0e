// Box blur: the mean of the (2r+1)^2 texels around each texel; beyond an edge, the edge's texel counts.
#pragma once
#include "kernels/image/check.h"
#include "kernels/shader/registers.h"
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace tilewise::kernels {

struct BoxRequest {
    Format format = Format::rgba8;
    Size size;
    uint32_t radius = 1;
};
constexpr uint32_t max_box_radius = 16;

/// texelFetch of a texture, or imageLoad of a storage image.
enum class Access { fetch, load };

/// One texel an invocation, all its neighbours read.
struct BoxDirect {
    Access access = Access::fetch;
    /// The radius is not known to the compiler.
    bool run_time_radius = false;
};

/// Running sums: how box_running divides the image; see box/box_running.comp.
struct RunningShape {
    /// A workgroup has so many, and a strip so many columns, the neighbours' included.
    uint32_t invocations = 128;
    /// So many are summed before a barrier.
    uint32_t rows = 4;
    /// One invocation computes so many at a time, along a row.
    uint32_t results = 4;
    /// One workgroup walks down so many; a multiple of `rows`.
    uint32_t strip_rows = 128;
    /// A texel that leaves the box is fetched again, which takes fewer registers.
    bool refetch = false;
};

using BoxMethod = std::variant<BoxDirect, RunningShape>;

/// As Job::method has it: the name of running sums leaves their shape out.
std::string method_name(const BoxMethod& method);

/// The method that is called so and has the workgroup of a timing, among those of this version and of earlier ones on a
/// device with 48 KiB of shared memory and workgroups of 160 invocations; none where it is another one.
std::optional<BoxMethod> box_method_of(const BoxRequest& request, const std::string& name, Size workgroup,
                                       uint32_t invocations);

/// Throws UsageError for a radius that there is no box blur of.
Job box_direct(ImagePool& pool, const References& references, const BoxRequest& request, const Order& order,
               BoxDirect method = {});

/// What it consists of, for whoever makes many: its shader, what that is bound to (throws as above), and the job of a
/// pass made of both.
Variant box_direct_variant(const BoxRequest& request, BoxDirect method = {});
ComputePassInputs box_direct_inputs(ImagePool& pool, const BoxRequest& request, const Order& order,
                                    BoxDirect method = {});
Job box_direct(ImagePool& pool, const References& references, const BoxRequest& request, const Order& order,
               ComputePass pass, BoxDirect method = {});

RegisterCounts box_direct_registers(ImagePool& pool, const BoxRequest& request, std::span<const Order> orders);

/// What was fastest on an H100 or H200 (R8G8B8A8, R16G16B16A16 and R32G32B32A32 at radius 1 to 16), within the shared
/// memory and the invocations of a workgroup that the device has. Throws UsageError for a radius that there is no box
/// blur of.
RunningShape running_shape(const WorkgroupLimits& limits, const BoxRequest& request);
/// Of shared memory.
uint32_t running_bytes(const BoxRequest& request, const RunningShape& shape);
/// The columns of results of a strip.
uint32_t strip_width(const BoxRequest& request, const RunningShape& shape);
Variant running_variant(const BoxRequest& request, const RunningShape& shape);

/// Running sums: down the columns in registers, along the rows in shared memory. R8G8B8A8 of radius 8 to 15 may be up
/// to 0.07 of a step off before it is rounded. Throws UsageError for a shape that cannot be, Error for one that needs
/// more shared memory than the device has.
Job box_running(ImagePool& pool, const References& references, const BoxRequest& request, const RunningShape& shape);

}  // namespace tilewise::kernels
