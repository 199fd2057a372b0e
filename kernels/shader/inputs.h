// What a shader is bound to, whether it computes or draws.
#pragma once
#include "kernels/context.h"
#include "probe/vulkan/bindings.h"

namespace tilewise::kernels {

struct ShaderInputs {
    std::vector<VkBuffer> buffers;      ///< storage buffers: bindings from 0 on
    std::vector<VkImageView> images;    ///< storage images: the bindings after those
    std::vector<VkImageView> textures;  ///< with a sampler: the bindings after those
    bool bilinear = false;              ///< that sampler; else it takes the nearest texel
    std::vector<uint32_t> constants;    ///< specialization constants from 0 on
    std::vector<uint32_t> push;         ///< push constants
};

/// `bindings` were made for as many of each kind.
void bind(const Context& context, const ShaderInputs& inputs, const vulkan::Bindings& bindings);

}  // namespace tilewise::kernels
