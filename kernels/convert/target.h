// The device image that is filled.
#pragma once
#include "kernels/convert/convert.h"

namespace tilewise::kernels {

/// An image of the kind, the memory that it is bound to and, if it has one, a buffer over the same memory.
struct Target {
    vulkan::Memory memory;
    vulkan::OwnedImage image;
    vulkan::OwnedBuffer alias;
    VkDeviceSize bytes = 0;
    /// The regions for copying the image from rows.
    std::vector<VkBufferImageCopy> regions;
};

constexpr VkImageUsageFlags loaded_usage =
    VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;

/// Returns false if `aliased` is set and no memory can hold both.
bool create_target(Context& context, const ConvertImage& image, VkImageUsageFlags usage, bool aliased, Target& target);

/// All texels, as rows, copied by vkCmdCopyImageToBuffer into the memory's buffer. The image is in the layout GENERAL.
std::vector<std::byte> texels_of(Context& context, const Target& target, const ConvertBuffers& buffers);

}  // namespace tilewise::kernels
