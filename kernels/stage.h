// One dispatch of a compute kernel: its pipeline, what it is bound to, how many workgroups.
#pragma once
#include "kernels/texture.h"
#include "kernels/variant.h"

namespace tilewise::kernels {

struct StageInputs {
    std::vector<VkBuffer> buffers;      ///< storage buffers: bindings from 0 on
    std::vector<VkImageView> images;    ///< storage images: the bindings after those
    std::vector<VkImageView> textures;  ///< with a sampler: the bindings after those
    bool bilinear = false;              ///< that sampler; else it takes the nearest texel
    std::vector<uint32_t> constants;    ///< specialization constants from 0 on
    std::vector<uint32_t> push;         ///< push constants
    std::array<uint32_t, 3> groups = {1, 1, 1};
};

struct Stage {
    vulkan::Compute compute;
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::vector<uint32_t> push;
};

/// Can be called on several threads at once.
Stage create_stage(Context& context, std::span<const uint32_t> spirv, const StageInputs& inputs);
Stage create_stage(Context& context, const Variant& variant, const StageInputs& inputs);
void record(VkCommandBuffer commands, const Stage& stage);

/// Workgroups of `shape` that cover `size`.
std::array<uint32_t, 3> groups_over(Size size, Size shape);

}  // namespace tilewise::kernels
