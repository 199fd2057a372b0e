// The bindings of a shader, whether it computes or draws.
#pragma once
#include "kernels/context.h"
#include "probe/vulkan/bindings.h"

namespace tilewise::kernels {

struct ShaderInputs {
    /// Storage buffers, at the bindings from 0 on.
    std::vector<VkBuffer> buffers;
    /// Storage images, at the bindings after those.
    std::vector<VkImageView> images;
    /// Images with a sampler, at the bindings after those.
    std::vector<VkImageView> textures;
    /// The sampler is bilinear; otherwise it takes the nearest texel.
    bool bilinear = false;
    /// Specialization constants from 0 on.
    std::vector<uint32_t> constants;
    /// Push constants.
    std::vector<uint32_t> push;
};

/// `bindings` must have been created for as many of each kind.
void bind(const Context& context, const ShaderInputs& inputs, const vulkan::Bindings& bindings);

}  // namespace tilewise::kernels
