// The order of a kernel: which texel of its workgroup's box each invocation processes.
#pragma once
#include "kernels/image/texels.h"
#include "patterns/remap/remap.h"
#include <string>

namespace tilewise::kernels {

struct Order {
    /// "row", "morton", "rdna" or "learned".
    std::string name;
    /// Along x and y, with at most 1024 invocations.
    Remap remap;
    /// Along x and y; other than linear only for kernels whose workgroups lie side by side.
    GroupOrder groups = {};
};

/// Specialization constants 0 to 15 of shader/order.glsl: invocations, the columns, width and height of the box, blocks
/// of workgroups. A kernel's own constants come after them. Throws UsageError for a remap with depth or with more
/// invocations.
std::vector<uint32_t> order_constants(const Remap& remap, const GroupOrder& groups = {});

/// The part of an order that applies within a square of 2^bits by 2^bits, counted in units of 2^from texels: the parts
/// of its columns that are new, followed, if these do not fill the square, by the missing bits of x and y.
Remap order_in_square(const Remap& remap, uint32_t from, uint32_t bits);

Size shape_of(const Remap& remap);

}  // namespace tilewise::kernels
