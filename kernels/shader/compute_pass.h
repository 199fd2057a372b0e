// One dispatch of a compute kernel: its pipeline, its bindings, and the number of workgroups.
#pragma once
#include "kernels/image/texture.h"
#include "kernels/shader/inputs.h"
#include "kernels/shader/variant.h"

namespace tilewise::kernels {

struct ComputePassInputs : ShaderInputs {
    std::array<uint32_t, 3> groups = {1, 1, 1};
    /// The pass reports its compute.registers.
    bool statistics = false;
};

struct ComputePass {
    vulkan::Compute compute;
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::vector<uint32_t> push;
};

/// May be called on several threads at once.
ComputePass create_compute_pass(Context& context, std::span<const uint32_t> spirv, const ComputePassInputs& inputs);
ComputePass create_compute_pass(Context& context, const Variant& variant, const ComputePassInputs& inputs);
void record(VkCommandBuffer commands, const ComputePass& stage);

/// The number of workgroups of `shape` that cover `size`.
std::array<uint32_t, 3> groups_over(Size size, Size shape);

}  // namespace tilewise::kernels
