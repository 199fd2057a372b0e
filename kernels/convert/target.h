// The image of the device that is filled.
#pragma once
#include "kernels/convert/convert.h"

namespace tilewise::kernels {

/// An image of the kind, the memory that it is bound to and a buffer over the same memory, where it has one.
struct Target {
    vulkan::Memory memory;
    vulkan::OwnedImage image;
    vulkan::OwnedBuffer alias;
    VkDeviceSize bytes = 0;
    /// The image is copied from rows by these.
    std::vector<VkBufferImageCopy> regions;
};

constexpr VkImageUsageFlags loaded_usage =
    VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;

/// False where `aliased` and no memory can hold both.
bool create_target(Context& context, const ConvertImage& image, VkImageUsageFlags usage, bool aliased, Target& target);

/// All texels, as rows, by vkCmdCopyImageToBuffer into the buffer of the memory. The image is in the layout GENERAL.
std::vector<std::byte> texels_of(Context& context, const Target& target, const ConvertBuffers& buffers);

}  // namespace tilewise::kernels
