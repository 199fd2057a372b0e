// Box blur: the mean of the (2r+1)^2 texels around each texel; beyond an edge, the edge's texel counts.
#pragma once
#include "kernels/job.h"

namespace tilewise::kernels {

struct BoxRequest {
    Format format = Format::rgba8;
    Size size;
    uint32_t radius = 1;
};
constexpr uint32_t most_box_radius = 16;

enum class Access { fetch, load };  ///< texelFetch of a texture, imageLoad of a storage image

/// One texel an invocation, all its neighbours read. `run_time_radius`: the radius is not known to the compiler.
Job box_direct(Workspace& workspace, const BoxRequest& request, const Order& order, Access access = Access::fetch,
               bool run_time_radius = false);

}  // namespace tilewise::kernels
