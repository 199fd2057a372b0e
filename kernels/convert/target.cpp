#include "kernels/convert/target.h"
#include "patterns/model/image_layout.h"
#include <algorithm>

namespace tilewise::kernels {

namespace {

VkImageCreateInfo image_info(const ConvertImage& image, VkImageUsageFlags usage) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = image.format;
    info.extent = {image.extent_px[0], image.extent_px[1], image.extent_px[2]};
    info.mipLevels = image.levels;
    info.arrayLayers = image.layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = usage;
    return info;
}

}  // namespace

bool create_target(Context& context, const ConvertImage& image, VkImageUsageFlags usage, bool aliased, Target& target) {
    const vulkan::Device& device = context.device;
    const VkImageCreateInfo info = image_info(image, usage);
    VkImage handle = VK_NULL_HANDLE;
    vulkan::check(vkCreateImage(device.handle, &info, nullptr, &handle), "vkCreateImage");
    target.image = {device.handle, handle};
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device.handle, handle, &needs);
    target.bytes = needs.size;
    uint32_t types = needs.memoryTypeBits;
    if (aliased) {
        target.alias = vulkan::create_buffer(device, needs.size,
                                             VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        VkMemoryRequirements buffer_needs;
        vkGetBufferMemoryRequirements(device.handle, target.alias.handle, &buffer_needs);
        types &= buffer_needs.memoryTypeBits;
        if (types == 0) return false;
        needs.size = std::max(needs.size, buffer_needs.size);
    }
    vulkan::reserve_memory(device, target.memory, device_memory_type(context, types), needs.size);
    vulkan::check(vkBindImageMemory(device.handle, handle, target.memory.handle.handle, 0), "vkBindImageMemory");
    if (aliased)
        vulkan::check(vkBindBufferMemory(device.handle, target.alias.handle, target.memory.handle.handle, 0),
                      "vkBindBufferMemory");
    for (uint32_t level = 0; level < image.levels; level++) {
        VkBufferImageCopy region = {};
        region.bufferOffset = image.parts[level].rows_B;
        region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, image.layers};
        const auto [width, height, depth] = level_extent_px(image.extent_px, level);
        region.imageExtent = {width, height, depth};
        target.regions.push_back(region);
    }
    return true;
}

std::vector<std::byte> texels_of(Context& context, const Target& target, const ConvertBuffers& buffers) {
    fill(context, buffers.memory, buffers.memory.size, 0);
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vkCmdCopyImageToBuffer(commands, target.image.handle, VK_IMAGE_LAYOUT_GENERAL, buffers.memory.handle.handle,
                               static_cast<uint32_t>(target.regions.size()), target.regions.data());
    });
    return download(context, buffers.memory, buffers.rows.size);
}

}  // namespace tilewise::kernels
