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

OwnedImageView create_view(const Device& device, VkImage image, uint32_t format, VkImageAspectFlags aspects) {
    VkImageViewCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = static_cast<VkFormat>(format);
    info.subresourceRange = {aspects, 0, 1, 0, 1};
    VkImageView handle = VK_NULL_HANDLE;
    check(vkCreateImageView(device.handle, &info, nullptr, &handle), "vkCreateImageView");
    return {device.handle, handle};
}

struct SamplesPush {
    std::array<uint32_t, 3> extent;
    uint32_t first_word;
};

/// The image to copy from, and how its samples are written.
struct Source {
    Case written;
    bool is_drawn = false;
};

/// If the device can do both, samples are stored rather than drawn.
Source source_of(const Device& device, const Case& probed) {
    Source source = {probed};
    Image& image = source.written.image;
    image.layers = 1;
    image.flags = image.compression = 0;
    const auto why_not = [&](VkImageUsageFlags usage) {
        image.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
        return why_unsupported(device, source.written);
    };
    std::string why_not_stored;
    if (probed.aspect == color_aspect) {
        image.format = static_cast<uint32_t>(integers_of(element_of(probed).bytes));
        why_not_stored = why_no_stored_samples(device);
        if (why_not_stored.empty()) why_not_stored = why_not(VK_IMAGE_USAGE_STORAGE_BIT);
        if (why_not_stored.empty()) return source;
    }
    source.is_drawn = true;
    const std::string why = why_not(probed.aspect == color_aspect ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                                                  : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    if (why.empty()) return source;
    throw Error(fmt::format("its samples cannot be {}drawn: {}",
                            why_not_stored.empty() ? "" : fmt::format("stored ({}) or ", why_not_stored), why));
}

}  // namespace

void open_samples(const Device& device, SampleShader& shader, const Case& probed, const HostBuffer& staging) {
    const Source source = source_of(device, probed);
    const Image& written = source.written.image;
    shader.draw = {};
    shader.view = {};
    shader.source = {};
    shader.memory = {};
    shader.source = create_image(device, written);
    const VkImage image = shader.source.handle;
    const ImageNeeds needs = image_needs(device, image, written, probed.aspect);
    reserve_memory(device, shader.memory, any_local_type(device, needs.memory.memoryTypeBits), needs.memory.size,
                   needs.dedicated ? image : VK_NULL_HANDLE);
    check(vkBindImageMemory(device.handle, image, shader.memory.handle.handle, 0), "vkBindImageMemory");
    shader.aspects = transition_aspects(written);
    shader.view = create_view(device, image, written.format, shader.aspects);
    shader.extent = {written.extent_px[0], written.extent_px[1], written.samples};
    shader.compute = nullptr;
    if (source.is_drawn)
        return create_sample_draw(device, source.written, shader.view.handle, staging.handle.handle, shader.draw);

    const uint32_t bytes = element_of(probed).bytes;
    const auto [found, is_new] = shader.computes.try_emplace(bytes);
    if (is_new)
        create_compute(device,
                       {.spirv = samples_spv, .images = 1, .push_bytes = sizeof(SamplesPush), .constants = {&bytes, 1}},
                       found->second);
    shader.compute = &found->second;
    bind_buffers(device, found->second.bindings, std::array{staging.handle.handle});
    bind_images(device, found->second.bindings, std::array{shader.view.handle});
}

void record_samples(VkCommandBuffer commands, const SampleShader& shader, const VkBufferImageCopy& region,
                    VkImage image) {
    const auto& [width, height, samples] = shader.extent;
    const VkImage source = shader.source.handle;
    constexpr uint32_t side = 8;
    image_barrier(commands, source, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, shader.aspects);
    const auto first_word = static_cast<uint32_t>(region.bufferOffset / 4);
    if (shader.compute) {
        const SamplesPush push = {shader.extent, first_word};
        dispatch(commands, *shader.compute, {ceil_div(width, side), ceil_div(height, side), samples},
                 std::as_bytes(std::span(&push, 1)));
    } else {
        record_sample_draw(commands, shader.draw, first_word);
    }
    image_barrier(commands, source, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, shader.aspects);
    VkImageCopy copy = {};
    copy.srcSubresource = {region.imageSubresource.aspectMask, 0, 0, 1};
    copy.dstSubresource = region.imageSubresource;
    copy.extent = region.imageExtent;
    vkCmdCopyImage(commands, source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                   1, &copy);
}

}  // namespace tilewise::probe
