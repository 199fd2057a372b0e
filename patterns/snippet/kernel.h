// A compute shader over an image that can be dispatched unchanged, with one place for the reader's own computation.
#pragma once
#include "patterns/snippet/snippet.h"
#include <array>
#include <string>

namespace tilewise {

constexpr uint32_t max_kernel_radius = 64;
constexpr uint32_t max_kernel_invocations = 1024;  ///< of a workgroup: the limit in Direct3D, Metal and CUDA

/// Loops over the texels around a texel are unrolled up to this radius: on an H200 this is up to 1% faster than what
/// the driver does by itself. Beyond it, unrolling only makes the code longer.
constexpr uint32_t max_unrolled_radius = 4;

/// Emits the kernel. Each invocation computes one texel of the result, in the order of request.remap; if that is row
/// order, the texel is the invocation's position in the grid. Workgroups follow request.group_order by way of the grid
/// in which they are dispatched. Unedited, the kernel computes the mean of the (2 radius + 1)^2 texels of the source
/// around the texel; beyond an edge, the edge's texel counts. The `comment` goes above it, before the text about the
/// kernel itself. Throws UsageError for a language without kernels, for a format that its kernels do not write, for a
/// workgroup with depth or of more than max_kernel_invocations, and for a radius of more than max_kernel_radius.
/// Example:
///     SnippetRequest request;
///     request.remap = derive_remap(layout.pattern, {}).remap;
///     request.format = "R8G8B8A8_UNORM";
///     assert(emit_kernel(request, "").find("void main()") != std::string::npos);
std::string emit_kernel(const SnippetRequest& request, const std::string& comment);

/// C code for the host, for use in such a comment: it computes how many workgroups of that shape to dispatch so that
/// they cover an image in that order.
/// Example:
///     const std::string code = groups_function({}, {16, 16, 1, 1});
///     assert(code.find("void tilewise_groups(uint32_t width, uint32_t height, uint32_t groups[3])") != code.npos);
///     assert(code.find(groups_lines({}, {16, 16, 1, 1})) != code.npos);
std::string groups_function(const GroupOrder& order, const Coord& shape);

/// The statements of that function, from `width` and `height` to `groups`, one per line.
/// Example:
///     assert(groups_lines({}, {16, 8, 1, 1}).find("groups[1] = (height + 7) / 8;") != std::string::npos);
std::string groups_lines(const GroupOrder& order, const Coord& shape);

/// The position of a workgroup in that grid, from the components of `group`: x and y, as most languages write it.
/// Example:
///     assert(group_position_text({}, "gl_WorkGroupID")[1] == "gl_WorkGroupID.y");
std::array<std::string, 2> group_position_text(const GroupOrder& order, const std::string& group);

}  // namespace tilewise
