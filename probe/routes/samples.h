// Images of several samples: no copy from a buffer writes them. The samples of another image are stored one by one by a
// shader, or drawn, and an image copy, which keeps every bit, brings them to the image that is probed. That other image
// is one of integers; of depth and stencil one of the same format.
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
    const vulkan::Compute* compute = nullptr;  ///< of the case at hand; null: it is drawn
    SampleDraw draw;
    std::array<uint32_t, 3> extent = {};  ///< texels, and samples
    VkImageAspectFlags aspects = 0;       ///< of the source
};

/// For a case of depth, stencil, or color with an element of 1, 2, 4, 8 or 16 bytes. `staging` keeps its buffer until
/// the commands have run.
void open_samples(const vulkan::Device& device, SampleShader& shader, const Case& probed,
                  const vulkan::HostBuffer& staging);

/// From the staging buffer to a subresource of the image, which is in the layout TRANSFER_DST_OPTIMAL.
void record_samples(VkCommandBuffer commands, const SampleShader& shader, const VkBufferImageCopy& region,
                    VkImage image);

}  // namespace tilewise::probe
