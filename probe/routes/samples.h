// Images of several samples: no copy from a buffer writes them. A shader writes the samples of an image of integers, one
// by one, and an image copy, which keeps every bit, brings them to the image that is probed.
#pragma once
#include "probe/case.h"
#include "probe/vulkan/compute.h"
#include <map>
#include <span>

namespace tilewise::probe {

struct SampleShader {
    std::map<uint32_t, vulkan::Compute> computes;  ///< by the bytes of a texel
    vulkan::Memory memory;
    vulkan::OwnedImage integers;
    vulkan::OwnedImageView view;
    const vulkan::Compute* compute = nullptr;  ///< of the case at hand
    std::array<uint32_t, 3> extent = {};       ///< texels, and samples
};

/// For a color case, with an element of 1, 2, 4, 8 or 16 bytes. `staging` keeps its buffer until the commands have run.
void open_samples(const vulkan::Device& device, SampleShader& shader, const Case& probed,
                  const vulkan::HostBuffer& staging);

/// From the staging buffer to the subresources of the image, which is in the layout TRANSFER_DST_OPTIMAL.
void record_samples(VkCommandBuffer commands, const SampleShader& shader, std::span<const VkBufferImageCopy> regions,
                    VkImage image);

}  // namespace tilewise::probe
