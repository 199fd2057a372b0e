// The route `host-copy`: the driver's own CPU code copies texels into the image (VK_EXT_host_image_copy); no queue.
#include "patterns/model/parallel.h"
#include "probe/routes/routes.h"
#include <algorithm>
#include <cstring>

namespace tilewise::probe {

using namespace vulkan;

namespace {

VkImageLayout usable_layout(const std::vector<VkImageLayout>& offered) {
    const bool general = std::find(offered.begin(), offered.end(), VK_IMAGE_LAYOUT_GENERAL) != offered.end();
    if (offered.empty()) throw Error("the driver lists no layout that the host may copy to");
    return general ? VK_IMAGE_LAYOUT_GENERAL : offered.front();
}

void transition(const Device& device, const Subject& subject, VkImageLayout from, VkImageLayout to) {
    VkHostImageLayoutTransitionInfo info = {VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO};
    info.image = subject.image;
    info.oldLayout = from;
    info.newLayout = to;
    info.subresourceRange = {transition_aspects(subject.probed.image), 0, VK_REMAINING_MIP_LEVELS, 0,
                             VK_REMAINING_ARRAY_LAYERS};
    check(vkTransitionImageLayoutEXT(device.handle, 1, &info), "vkTransitionImageLayout");
}

/// Whole parts; of large 2D ones bands of rows, each as high as several tiles of any device.
std::vector<VkMemoryToImageCopy> regions_of(const Subject& subject, std::span<std::byte> texels) {
    constexpr VkDeviceSize large = 16 << 20;
    constexpr uint32_t band = 512;
    std::vector<VkMemoryToImageCopy> regions;
    for (const Part& part : subject.parts) {
        const std::span<std::byte> bytes = staged(texels, subject, part);
        const auto rows = part.sub.elements[axis_y];
        const bool has_bands = bytes.size() >= large && part.sub.texels.depth == 1;
        for (uint32_t row = 0; row < rows; row += has_bands ? band : rows) {
            VkMemoryToImageCopy region = {VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY};
            region.pHostPointer = bytes.data() + bytes.size() / rows * row;
            region.imageSubresource = part.sub.layers;
            region.imageExtent = part.sub.texels;
            const uint32_t first = row * part.sub.element.height;
            region.imageOffset.y = static_cast<int32_t>(first);
            region.imageExtent.height -= first;
            if (has_bands)
                region.imageExtent.height = std::min(region.imageExtent.height, band * part.sub.element.height);
            regions.push_back(region);
        }
    }
    return regions;
}

/// Drivers copy on the thread that calls them. Vulkan labels neither the device nor the image of this call as externally
/// synchronized, so threads may call it at once, each for other texels.
void copy_in(const Device& device, const Subject& subject, VkImageLayout layout, std::span<std::byte> texels) {
    const std::vector<VkMemoryToImageCopy> regions = regions_of(subject, texels);
    const uint64_t at_once = regions.size() > subject.parts.size() ? 1 : regions.size();
    for_parts(regions.size(), at_once, [&](uint64_t first, uint64_t end) {
        VkCopyMemoryToImageInfo info = {VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO};
        info.dstImage = subject.image;
        info.dstImageLayout = layout;
        info.regionCount = static_cast<uint32_t>(end - first);
        info.pRegions = &regions[first];
        check(vkCopyMemoryToImageEXT(device.handle, &info), "vkCopyMemoryToImage");
    });
}

std::vector<std::byte> copy_out_raw(const Device& device, const Subject& subject, const Part& part,
                                    VkImageLayout layout) {
    const auto& readable = device.host_read_layouts;
    if (std::find(readable.begin(), readable.end(), layout) == readable.end() || !vkGetImageSubresourceLayout2EXT)
        return {};
    VkSubresourceHostMemcpySize size = {VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE};
    VkSubresourceLayout2 answer = {VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2, &size};
    VkImageSubresource2 which = {VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2};
    which.imageSubresource = {part.sub.layers.aspectMask, part.sub.layers.mipLevel, part.sub.layers.baseArrayLayer};
    vkGetImageSubresourceLayout2EXT(device.handle, subject.image, &which, &answer);
    // Drivers read a GPU's own memory some 10 MB a second; small images tell whether the raw copy agrees.
    constexpr VkDeviceSize affordable = 128 << 10;
    if (size.size > affordable) return {};

    // Room beyond what the driver says: some write past it on 3D images.
    std::vector<std::byte> raw(size.size + subject.span);
    fill_sentinel(raw);
    VkImageToMemoryCopy region = {VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY};
    region.pHostPointer = raw.data();
    region.imageSubresource = part.sub.layers;
    region.imageExtent = part.sub.texels;
    VkCopyImageToMemoryInfo info = {VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO};
    info.flags = VK_HOST_IMAGE_COPY_MEMCPY;
    info.srcImage = subject.image;
    info.srcImageLayout = layout;
    info.regionCount = 1;
    info.pRegions = &region;
    if (vkCopyImageToMemoryEXT(device.handle, &info) != VK_SUCCESS) return {};
    return raw;
}

}  // namespace

HostCopied read_by_host_copy(Bench& bench, const Subject& subject) {
    const uint32_t passes = pass_count(subject.payload.carrier);
    const VkImageLayout layout = usable_layout(bench.device.host_write_layouts);
    const std::span<std::byte> texels = bench.texels.reserve(subject.staged_bytes);
    HostCopied result;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        stage_pass(subject, pass, texels);
        fill_mapped(bench, subject);
        transition(bench.device, subject, VK_IMAGE_LAYOUT_UNDEFINED, layout);
        copy_in(bench.device, subject, layout, texels);
        result.passes.emplace_back(snapshot(bench, subject, pass));
    }
    for (const Part& part : subject.parts) result.raw.push_back(copy_out_raw(bench.device, subject, part, layout));
    return result;
}

}  // namespace tilewise::probe
