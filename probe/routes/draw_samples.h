// Samples that no shader can store: those of depth and stencil, and those of all images if the device has no storage
// images with several samples. They are drawn, one sample of every texel at a time, which needs no device feature.
#pragma once
#include "probe/case.h"
#include "probe/vulkan/graphics.h"

namespace tilewise::probe {

struct SampleDraw {
    vulkan::Graphics graphics;
    uint32_t samples = 1;
    uint32_t bits = 1;  ///< drawn one by one: 8 for a stencil
};

/// Prepares drawing to the case's aspect of the view. The view's image has one layer, is in the layout GENERAL, and has
/// a depth, stencil or integer format.
void create_sample_draw(const vulkan::Device& device, const Case& target, VkImageView view, VkBuffer texels,
                        SampleDraw& draw);

/// Records the draw, with texels that begin `first_word` words into the buffer.
void record_sample_draw(VkCommandBuffer commands, const SampleDraw& draw, uint32_t first_word);

}  // namespace tilewise::probe
