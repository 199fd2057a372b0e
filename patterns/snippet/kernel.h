// A compute shader over an image that can be dispatched as it is, with one place for what the reader wants computed.
#pragma once
#include "patterns/snippet/snippet.h"

namespace tilewise {

constexpr uint32_t max_kernel_radius = 64;
constexpr uint32_t max_kernel_invocations = 1024;  ///< of a workgroup: Direct3D, Metal and CUDA have no more

/// Loops over the texels around one are unrolled up to this radius: on an H200 faster by up to 1% than what the driver does by
/// itself. Larger ones only make longer code.
constexpr uint32_t max_unrolled_radius = 4;

/// Each invocation takes one texel of the result, in the order of request.remap; where that is row order, its place in the
/// grid. Workgroups are in request.group_order. As it stands it computes the mean of the (2 radius + 1)^2 texels of the source around it; beyond an edge, the edge's
/// texel counts. `comment`: above it, before what it says of itself.
/// Throws UsageError for a language without kernels, for a format that its kernels do not write, for a workgroup with depth
/// or of more than max_kernel_invocations, and for a radius of more than max_kernel_radius.
std::string emit_kernel(const SnippetRequest& request, const std::string& comment);

/// For such a comment: C for the host, which gives the workgroups of so many texels that cover an image.
std::string groups_function(uint32_t width, uint32_t height);

}  // namespace tilewise
