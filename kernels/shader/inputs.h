// What a shader is bound to, whether it computes or draws.
#pragma once
#include "kernels/context.h"
#include "probe/vulkan/bindings.h"

namespace tilewise::kernels {

struct ShaderInputs {
    /// Storage buffers have the bindings from 0 on.
    std::vector<VkBuffer> buffers;
    /// Storage images have the bindings after those.
    std::vector<VkImageView> images;
    /// Images with a sampler have the bindings after those.
    std::vector<VkImageView> textures;
    /// That sampler is bilinear; else it takes the nearest texel.
    bool bilinear = false;
    /// These are the specialization constants from 0 on.
    std::vector<uint32_t> constants;
    /// These are the push constants.
    std::vector<uint32_t> push;
};

/// `bindings` were made for as many of each kind.
void bind(const Context& context, const ShaderInputs& inputs, const vulkan::Bindings& bindings);

}  // namespace tilewise::kernels
