// The order of a kernel: which texel of its workgroup's box each invocation takes.
#pragma once
#include "kernels/image/texels.h"
#include "patterns/remap/remap.h"
#include <string>

namespace tilewise::kernels {

struct Order {
    /// It is "row", "morton", "rdna" or "learned".
    std::string name;
    /// It lies along x and y, and has at most 1024 invocations.
    Remap remap;
    /// It lies along x and y; only kernels whose workgroups lie side by side take another than linear.
    GroupOrder groups = {};
};

/// Specialization constants 0 to 15 of shader/order.glsl: invocations, the columns, width and height of the box, blocks
/// of workgroups. A kernel's own constants come after them. Throws UsageError for a remap with depth or of more
/// invocations.
std::vector<uint32_t> order_constants(const Remap& remap, const GroupOrder& groups = {});

/// What is left of an order within a square of 2^bits by 2^bits, counted in units of 2^from texels: of its columns those
/// parts that are new; then, where it does not reach that far, the missing bits of x and y.
Remap order_in_square(const Remap& remap, uint32_t from, uint32_t bits);

Size shape_of(const Remap& remap);

}  // namespace tilewise::kernels
