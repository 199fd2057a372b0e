// Compute shaders over storage buffers, storage images and textures: a pipeline, what it is bound to, a dispatch.
#pragma once
#include "probe/vulkan/commands.h"
#include "probe/vulkan/memory.h"
#include <array>
#include <span>

namespace tilewise::vulkan {

using OwnedSetLayout = Owned<VkDescriptorSetLayout, &vkDestroyDescriptorSetLayout>;
using OwnedDescriptorPool = Owned<VkDescriptorPool, &vkDestroyDescriptorPool>;
using OwnedPipelineLayout = Owned<VkPipelineLayout, &vkDestroyPipelineLayout>;
using OwnedPipeline = Owned<VkPipeline, &vkDestroyPipeline>;
using OwnedImageView = Owned<VkImageView, &vkDestroyImageView>;

struct ComputeShader {
    std::span<const uint32_t> spirv;
    const char* entry = "main";
    uint32_t buffers = 1;                 ///< storage buffers: set 0, bindings 0 .. buffers - 1
    uint32_t images = 0;                  ///< storage images: the bindings after those
    uint32_t textures = 0;                ///< images with a sampler: the bindings after those
    uint32_t push_bytes = 0;              ///< of push constants; a multiple of 4, at most 128
    std::span<const uint32_t> constants;  ///< specialization constants 0, 1, ...: 32 bits each
};

struct Compute {
    OwnedSetLayout set_layout;
    OwnedDescriptorPool pool;
    OwnedPipelineLayout layout;
    OwnedPipeline pipeline;
    VkDescriptorSet set = VK_NULL_HANDLE;
    uint32_t first_image = 0, first_texture = 0;  ///< bindings
};
void create_compute(const Device& device, const ComputeShader& shader, Compute& compute);

/// Binding i is the whole of buffers[i]. Not while a dispatch of this pipeline is recorded or runs.
void bind_buffers(const Device& device, const Compute& compute, std::span<const VkBuffer> buffers);

/// Binding `buffers of the shader` + i is images[i], in the layout GENERAL. When: as above.
void bind_images(const Device& device, const Compute& compute, std::span<const VkImageView> images);

/// Binding `buffers and images of the shader` + i is textures[i], in the layout GENERAL. When: as above.
void bind_textures(const Device& device, const Compute& compute, VkSampler sampler,
                   std::span<const VkImageView> textures);

/// Records a dispatch. `push`: as many bytes as the shader has of push constants.
void dispatch(VkCommandBuffer commands, const Compute& compute, std::array<uint32_t, 3> groups,
              std::span<const std::byte> push = {});

/// Records a dispatch alone, runs it and waits: what it wrote can be read through the buffers' maps afterwards.
void run_compute(const Device& device, const Commands& commands, const Compute& compute, std::array<uint32_t, 3> groups,
                 std::span<const std::byte> push = {});

}  // namespace tilewise::vulkan
