// The route `host-copy`: the driver's own CPU code copies texels into the image (VK_EXT_host_image_copy), without a
// queue.
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

void transition(const Device& device, const SubjectImage& subject, VkImageLayout from, VkImageLayout to) {
    VkHostImageLayoutTransitionInfo info = {VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO};
    info.image = subject.image;
    info.oldLayout = from;
    info.newLayout = to;
    info.subresourceRange = {transition_aspects(subject.probed.image), 0, VK_REMAINING_MIP_LEVELS, 0,
                             VK_REMAINING_ARRAY_LAYERS};
    check(vkTransitionImageLayoutEXT(device.handle, 1, &info), "vkTransitionImageLayout");
}

/// Drivers copy on the thread that calls them. Vulkan labels neither the device nor the image of this call as
/// externally synchronized, so several threads may call it at once for different texels.
void copy_in(Bench& bench, const SubjectImage& subject, uint32_t pass, VkImageLayout layout) {
    constexpr VkDeviceSize band_bytes = 8 << 20;
    const std::vector<Band> bands = bands_of(subject, band_bytes);
    VkDeviceSize total = 0;
    for (const Band& band : bands) total += staged_bytes(subject, band);
    std::byte* at = bench.texels.reserve(total).data();
    std::vector<std::span<std::byte>> texels;
    std::vector<VkMemoryToImageCopy> regions;
    for (const Band& band : bands) {
        texels.emplace_back(at, band.elements * subject.payload.carrier.texel_bytes());
        VkMemoryToImageCopy region = {VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY};
        region.pHostPointer = at;
        region.imageSubresource = band.part->sub.layers;
        region.imageOffset = band.offset;
        region.imageExtent = band.extent;
        regions.push_back(region);
        at += staged_bytes(subject, band);
    }
    const uint64_t at_once = bands.size() > subject.parts.size() ? 1 : bands.size();
    for_parts(bands.size(), at_once, [&](uint64_t first, uint64_t end) {
        for (uint64_t i = first; i < end; ++i) write_pass(subject.payload, pass, bands[i].first, texels[i]);
        VkCopyMemoryToImageInfo info = {VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO};
        info.dstImage = subject.image;
        info.dstImageLayout = layout;
        info.regionCount = static_cast<uint32_t>(end - first);
        info.pRegions = &regions[first];
        check(vkCopyMemoryToImageEXT(bench.device.handle, &info), "vkCopyMemoryToImage");
    });
}

/// Empty if the driver does not offer it, or if it takes more bytes than are left.
std::vector<std::byte> copy_out_raw(const Device& device, const SubjectImage& subject, const Part& part,
                                    VkImageLayout layout, VkDeviceSize& bytes_left) {
    VkSubresourceHostMemcpySize size = {VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE};
    VkSubresourceLayout2 answer = {VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2, &size};
    VkImageSubresource2 which = {VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2};
    which.imageSubresource = {part.sub.layers.aspectMask, part.sub.layers.mipLevel, part.sub.layers.baseArrayLayer};
    vkGetImageSubresourceLayout2EXT(device.handle, subject.image, &which, &answer);
    if (size.size > bytes_left) return {};
    bytes_left -= size.size;

    // Room beyond what the driver reports: for 3D images, some write past it.
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

Passes read_by_host_copy(Bench& bench, const SubjectImage& subject) {
    const uint32_t passes = pass_count(subject.payload.carrier);
    const VkImageLayout layout = usable_layout(bench.device.host_write_layouts);
    Passes result;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        fill_mapped(bench, subject);
        transition(bench.device, subject, VK_IMAGE_LAYOUT_UNDEFINED, layout);
        copy_in(bench, subject, pass, layout);
        result.emplace_back(snapshot(bench, subject, pass));
    }
    return result;
}

std::vector<std::vector<std::byte>> raw_copies(const Device& device, const SubjectImage& subject) {
    std::vector<std::vector<std::byte>> copies(subject.parts.size());
    const VkImageLayout layout = usable_layout(device.host_write_layouts);
    const auto& readable = device.host_read_layouts;
    if (std::find(readable.begin(), readable.end(), layout) == readable.end() || !vkGetImageSubresourceLayout2EXT)
        return copies;
    // Drivers read a GPU's own memory at some 10 MB per second; few bytes show whether the raw copy agrees.
    VkDeviceSize affordable = 128 << 10;
    for (size_t i = 0; i < copies.size(); ++i)
        copies[i] = copy_out_raw(device, subject, subject.parts[i], layout, affordable);
    return copies;
}

}  // namespace tilewise::probe
