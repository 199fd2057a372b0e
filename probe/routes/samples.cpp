#include "probe/routes/samples.h"
#include "patterns/model/bits.h"
#include "probe/image.h"

namespace tilewise::probe {

using namespace vulkan;

namespace {

constexpr uint32_t samples_spv[] = {
#include "probe/routes/samples.inc"
};

VkFormat integers_of(uint32_t bytes) {
    switch (bytes) {
        case 1:
            return VK_FORMAT_R8_UINT;
        case 2:
            return VK_FORMAT_R16_UINT;
        case 4:
            return VK_FORMAT_R32_UINT;
        case 8:
            return VK_FORMAT_R32G32_UINT;
        default:
            return VK_FORMAT_R32G32B32A32_UINT;
    }
}

uint32_t any_local_type(const Device& device, uint32_t types) {
    for (uint32_t type = 0; type < device.memory.memoryTypeCount; ++type)
        if (((types >> type) & 1) &&
            (device.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
            return type;
    return static_cast<uint32_t>(std::countr_zero(types));
}

OwnedImageView create_view(const Device& device, VkImage image, VkFormat format) {
    VkImageViewCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = format;
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageView handle = VK_NULL_HANDLE;
    check(vkCreateImageView(device.handle, &info, nullptr, &handle), "vkCreateImageView");
    return {device.handle, handle};
}

struct Push {
    std::array<uint32_t, 3> extent;
    uint32_t first_word;
};

}  // namespace

void open_samples(const Device& device, SampleShader& shader, const Case& probed, const HostBuffer& staging) {
    const uint32_t bytes = element_of(probed).bytes;
    Case integers = probed;
    integers.image.format = integers_of(bytes);
    integers.image.layers = 1;
    integers.image.usage =
        VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    integers.image.flags = integers.image.compression = 0;
    if (const std::string why = why_unsupported(device, integers); !why.empty())
        throw Error(fmt::format("its samples cannot be written: {}", why));

    shader.view = {};
    shader.integers = {};
    shader.memory = {};
    shader.integers = create_image(device, integers.image);
    const VkImage image = shader.integers.handle;
    const ImageNeeds needs = image_needs(device, image, integers.image, color_aspect);
    reserve_memory(device, shader.memory, any_local_type(device, needs.memory.memoryTypeBits), needs.memory.size,
                   needs.dedicated ? image : VK_NULL_HANDLE);
    check(vkBindImageMemory(device.handle, image, shader.memory.handle.handle, 0), "vkBindImageMemory");
    shader.view = create_view(device, image, integers_of(bytes));
    shader.extent = {probed.image.extent.width, probed.image.extent.height, probed.image.samples};

    const auto [found, is_new] = shader.computes.try_emplace(bytes);
    if (is_new)
        create_compute(device,
                       {.spirv = samples_spv, .images = 1, .push_bytes = sizeof(Push), .constants = {&bytes, 1}},
                       found->second);
    shader.compute = &found->second;
    bind_buffers(device, found->second.bindings, std::array{staging.handle.handle});
    bind_images(device, found->second.bindings, std::array{shader.view.handle});
}

void record_samples(VkCommandBuffer commands, const SampleShader& shader, std::span<const VkBufferImageCopy> regions,
                    VkImage image) {
    const auto& [width, height, samples] = shader.extent;
    constexpr uint32_t side = 8;
    for (const VkBufferImageCopy& region : regions) {
        image_barrier(commands, shader.integers.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        const Push push = {shader.extent, static_cast<uint32_t>(region.bufferOffset / 4)};
        dispatch(commands, *shader.compute, {ceil_div(width, side), ceil_div(height, side), samples},
                 std::as_bytes(std::span(&push, 1)));
        image_barrier(commands, shader.integers.handle, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        VkImageCopy copy = {};
        copy.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        copy.dstSubresource = region.imageSubresource;
        copy.extent = region.imageExtent;
        vkCmdCopyImage(commands, shader.integers.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
                       VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    }
}

}  // namespace tilewise::probe
