#include "kernels/image/texture.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tilewise::kernels {

using vulkan::check;

namespace {

VkImageCreateInfo image_info(Format format, Size size, const TextureOptions& options) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    if (options.packed) info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = traits_of(format).format;
    info.extent = {size.width, size.height, 1};
    info.mipLevels = options.levels;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                 VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (options.attachment) info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    return info;
}

void require_supported(const Context& context, const VkImageCreateInfo& info, Format format) {
    VkImageFormatProperties limits = {};
    const VkResult result = vkGetPhysicalDeviceImageFormatProperties(
        context.device.physical, info.format, info.imageType, info.tiling, info.usage, info.flags, &limits);
    const char* device = context.device.traits.properties.deviceName;
    if (result == VK_ERROR_FORMAT_NOT_SUPPORTED)
        throw Error(
            fmt::format("{} cannot use {} as kernels do (sampled and storage)", device, traits_of(format).name));
    check(result, "vkGetPhysicalDeviceImageFormatProperties");
    if (info.extent.width > limits.maxExtent.width || info.extent.height > limits.maxExtent.height)
        throw Error(fmt::format("{} allows {} up to {}x{} texels, not {}x{}", device, traits_of(format).name,
                                limits.maxExtent.width, limits.maxExtent.height, info.extent.width,
                                info.extent.height));
}

vulkan::OwnedImageView create_view(const Context& context, VkImage image, VkFormat format, uint32_t level,
                                   uint32_t levels) {
    VkImageViewCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = format;
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, levels, 0, 1};
    VkImageView handle = VK_NULL_HANDLE;
    check(vkCreateImageView(context.device.handle, &info, nullptr, &handle), "vkCreateImageView");
    return {context.device.handle, handle};
}

VkBufferImageCopy whole_level(const Texture& texture, uint32_t level) {
    VkBufferImageCopy region = {};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1};
    const Size size = level_size(texture.size, level);
    region.imageExtent = {size.width, size.height, 1};
    return region;
}

}  // namespace

bool has_features(const Context& context, Format format, VkFormatFeatureFlags needed) {
    VkFormatProperties properties = {};
    vkGetPhysicalDeviceFormatProperties(context.device.physical, traits_of(format).format, &properties);
    return (properties.optimalTilingFeatures & needed) == needed;
}

uint32_t all_levels(Size size) { return static_cast<uint32_t>(std::bit_width(std::max(size.width, size.height))); }

Size level_size(Size size, uint32_t level) {
    return {std::max(size.width >> level, 1u), std::max(size.height >> level, 1u)};
}

void create_texture(Context& context, Format format, Size size, const TextureOptions& options, Texture& texture) {
    const VkImageCreateInfo info = image_info(format, size, options);
    require_supported(context, info, format);
    const vulkan::Device& device = context.device;
    texture = {};
    texture.format = format;
    texture.size = size;
    texture.levels = options.levels;
    VkImage image = VK_NULL_HANDLE;
    check(vkCreateImage(device.handle, &info, nullptr, &image), "vkCreateImage");
    texture.image = {device.handle, image};
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device.handle, image, &needs);
    texture.memory_type = device_memory_type(context, needs.memoryTypeBits);
    vulkan::reserve_memory(device, texture.memory, texture.memory_type, needs.size, image);
    check(vkBindImageMemory(device.handle, image, texture.memory.handle.handle, 0), "vkBindImageMemory");
    texture.view = create_view(context, image, info.format, 0, options.levels);
    if (options.packed) texture.packed = create_view(context, image, VK_FORMAT_R32_UINT, 0, 1);
    for (uint32_t level = 0; level < options.levels; ++level)
        texture.each_level.push_back(create_view(context, image, info.format, level, 1));

    vulkan::run_commands(device, context.commands, [&](VkCommandBuffer commands) {
        vulkan::image_barrier(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    });
}

void upload(Context& context, const Texture& texture, const Texels& texels) {
    vulkan::HostBuffer staging;
    vulkan::reserve_buffer(context.device, staging, texels.bytes.size(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0);
    std::memcpy(staging.memory.map, texels.bytes.data(), texels.bytes.size());
    vulkan::flush(context.device, staging.memory);
    const VkBufferImageCopy region = whole_level(texture, 0);
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vkCmdCopyBufferToImage(commands, staging.handle.handle, texture.image.handle, VK_IMAGE_LAYOUT_GENERAL, 1,
                               &region);
        vulkan::full_barrier(commands);
    });
}

Texels download(Context& context, const Texture& texture, uint32_t level) {
    Texels texels = {texture.format, level_size(texture.size, level), {}};
    texels.bytes.resize(count(texels.size) * traits_of(texture.format).bytes);
    vulkan::HostBuffer staging;
    vulkan::reserve_buffer(context.device, staging, texels.bytes.size(), VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                           VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    const VkBufferImageCopy region = whole_level(texture, level);
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vulkan::full_barrier(commands);
        vkCmdCopyImageToBuffer(commands, texture.image.handle, VK_IMAGE_LAYOUT_GENERAL, staging.handle.handle, 1,
                               &region);
        vulkan::host_barrier(commands);
    });
    vulkan::invalidate(context.device, staging.memory);
    std::memcpy(texels.bytes.data(), staging.memory.map, texels.bytes.size());
    return texels;
}

void clear(Context& context, const Texture& texture, const std::array<float, 4>& to) {
    VkClearColorValue value = {};
    std::ranges::copy(to, value.float32);
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, texture.levels, 0, 1};
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vkCmdClearColorImage(commands, texture.image.handle, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
        vulkan::full_barrier(commands);
    });
}

}  // namespace tilewise::kernels
