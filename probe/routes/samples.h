// Images of several samples cannot be written by a copy from a buffer. Instead, a shader stores the samples of another
// image one by one, or they are drawn; an image copy, which keeps every bit, then brings them to the probed image. That
// other image has an integer format, or the same format for depth and stencil.
#pragma once
#include "probe/case.h"
#include "probe/routes/draw_samples.h"
#include "probe/vulkan/compute.h"
#include <map>

namespace tilewise::probe {

struct SampleShader {
    std::map<uint32_t, vulkan::Compute> computes;  ///< by the bytes of a texel
    vulkan::Memory memory;
    vulkan::OwnedImage source;
    vulkan::OwnedImageView view;
    const vulkan::Compute* compute = nullptr;  ///< for the current case; null: samples are drawn
    SampleDraw draw;
    std::array<uint32_t, 3> extent = {};  ///< texels, and samples
    VkImageAspectFlags aspects = 0;       ///< of the source
};

/// For a case of depth, stencil, or color with an element of 1, 2, 4, 8 or 16 bytes. `staging` must keep its buffer
/// until the commands have run.
void open_samples(const vulkan::Device& device, SampleShader& shader, const Case& probed,
                  const vulkan::HostBuffer& staging);

/// Records the transfer from the staging buffer to a subresource of the image, which is in the layout
/// TRANSFER_DST_OPTIMAL.
void record_samples(VkCommandBuffer commands, const SampleShader& shader, const VkBufferImageCopy& region,
                    VkImage image);

}  // namespace tilewise::probe
