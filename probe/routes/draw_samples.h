// Samples that no shader can store: those of depth and stencil, and of all images where the device has no storage
// images of several samples. They are drawn, one sample of every texel at a time, which needs no feature of a device.
#pragma once
#include "probe/case.h"
#include "probe/vulkan/graphics.h"

namespace tilewise::probe {

struct SampleDraw {
    vulkan::Graphics graphics;
    uint32_t samples = 1;
    uint32_t bits = 1;  ///< drawn one by one: a stencil's 8
};

/// To the case's aspect of the view, whose image has one layer and is in the layout GENERAL: of a depth or stencil
/// format, or of integers.
void create_sample_draw(const vulkan::Device& device, const Case& target, VkImageView view, VkBuffer texels,
                        SampleDraw& draw);

/// From the texels that begin so many words into the buffer.
void record_sample_draw(VkCommandBuffer commands, const SampleDraw& draw, uint32_t first_word);

}  // namespace tilewise::probe
