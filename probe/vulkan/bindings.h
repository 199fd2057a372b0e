// Shader bindings: storage buffers, storage images and textures in one descriptor set, and push constants.
#pragma once
#include "probe/vulkan/check.h"
#include "probe/vulkan/device.h"
#include <cstddef>
#include <span>

namespace tilewise::vulkan {

using OwnedSetLayout = Owned<VkDescriptorSetLayout, &vkDestroyDescriptorSetLayout>;
using OwnedDescriptorPool = Owned<VkDescriptorPool, &vkDestroyDescriptorPool>;
using OwnedPipelineLayout = Owned<VkPipelineLayout, &vkDestroyPipelineLayout>;
using OwnedPipeline = Owned<VkPipeline, &vkDestroyPipeline>;
using OwnedImageView = Owned<VkImageView, &vkDestroyImageView>;
using OwnedShaderModule = Owned<VkShaderModule, &vkDestroyShaderModule>;

struct BindingCounts {
    uint32_t buffers = 0;     ///< storage buffers: set 0, bindings 0 .. buffers - 1
    uint32_t images = 0;      ///< storage images: the bindings after those
    uint32_t textures = 0;    ///< images with a sampler: the bindings after those
    uint32_t push_bytes = 0;  ///< push constants; a multiple of 4, at most 128
    VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT;
};

struct Bindings {
    OwnedSetLayout set_layout;
    OwnedDescriptorPool pool;
    OwnedPipelineLayout layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    BindingCounts counts;
};
void create_bindings(const Device& device, const BindingCounts& counts, Bindings& bindings);

/// Binding i becomes the whole of buffers[i]. Must not be called while work with these bindings is recorded or runs.
void bind_buffers(const Device& device, const Bindings& bindings, std::span<const VkBuffer> buffers);

/// Binding `counts.buffers` + i becomes images[i], in the layout GENERAL. Same restriction as above.
void bind_images(const Device& device, const Bindings& bindings, std::span<const VkImageView> images);

/// Binding `counts.buffers + counts.images` + i becomes textures[i], in the layout GENERAL. Same restriction as above.
void bind_textures(const Device& device, const Bindings& bindings, VkSampler sampler,
                   std::span<const VkImageView> textures);

/// `push` has counts.push_bytes bytes.
void use_bindings(VkCommandBuffer commands, VkPipelineBindPoint point, const Bindings& bindings,
                  std::span<const std::byte> push);

OwnedShaderModule create_shader_module(const Device& device, std::span<const uint32_t> spirv);

}  // namespace tilewise::vulkan
