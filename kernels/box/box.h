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

/// One texel per invocation, which reads all its neighbours.
struct BoxDirect {
    Access access = Access::fetch;
    /// The compiler does not know the radius.
    bool run_time_radius = false;
};

/// Running sums: how box_running divides the image; see box/box_running.comp.
struct RunningShape {
    /// Invocations of a workgroup, which is also the number of columns in a strip, including the neighbours' columns.
    uint32_t invocations = 128;
    /// Rows that are summed before a barrier.
    uint32_t rows = 4;
    /// Results that one invocation computes at a time, along a row.
    uint32_t results = 4;
    /// Rows that one workgroup walks down; a multiple of `rows`.
    uint32_t strip_rows = 128;
    /// A texel that leaves the box is fetched again, which needs fewer registers.
    bool refetch = false;
};

using BoxMethod = std::variant<BoxDirect, RunningShape>;

/// The name in Job::method; that of running sums does not include their shape.
std::string method_name(const BoxMethod& method);

/// The method with this name whose workgroup is that of a timing. Searches the methods of this version and of earlier
/// ones on a device with 48 KiB of shared memory and workgroups of 160 invocations; none if it is a different one.
std::optional<BoxMethod> box_method_of(const BoxRequest& request, const std::string& name, Size workgroup,
                                       uint32_t invocations);

/// Throws UsageError for a radius that no box blur supports.
Job box_direct(ImagePool& pool, const References& references, const BoxRequest& request, const Order& order,
               BoxDirect method = {});

/// The parts of box_direct(), for callers that create many: its shader, its bindings (throws as above), and the job for
/// a pass built from both.
Variant box_direct_variant(const BoxRequest& request, BoxDirect method = {});
ComputePassInputs box_direct_inputs(ImagePool& pool, const BoxRequest& request, const Order& order,
                                    BoxDirect method = {});
Job box_direct(ImagePool& pool, const References& references, const BoxRequest& request, const Order& order,
               ComputePass pass, BoxDirect method = {});

RegisterCounts box_direct_registers(ImagePool& pool, const BoxRequest& request, std::span<const Order> orders);

/// The fastest shape on an H100 or H200 (R8G8B8A8, R16G16B16A16 and R32G32B32A32 at radius 1 to 16), within the
/// device's shared memory and invocations per workgroup. Throws UsageError for a radius that no box blur supports.
RunningShape running_shape(const WorkgroupLimits& limits, const BoxRequest& request);
/// Bytes of shared memory.
uint32_t running_bytes(const BoxRequest& request, const RunningShape& shape);
/// The columns of results in a strip.
uint32_t strip_width(const BoxRequest& request, const RunningShape& shape);
Variant running_variant(const BoxRequest& request, const RunningShape& shape);

/// Running sums: down the columns in registers, along the rows in shared memory. R8G8B8A8 with radius 8 to 15 may be
/// off by up to 0.07 of a step before rounding. Throws UsageError for an impossible shape, Error for one that needs
/// more shared memory than the device has.
Job box_running(ImagePool& pool, const References& references, const BoxRequest& request, const RunningShape& shape);

}  // namespace tilewise::kernels
