#include "kernels/convert/host_load.h"
#include "kernels/convert/target.h"
#include "patterns/convert/convert.h"
#include <algorithm>

namespace tilewise::kernels {

namespace {

/// A level of a layer, as MEMCPY moves it.
struct Piece {
    const ConvertPart* part = nullptr;
    uint32_t layer = 0;
    VkImageSubresourceLayers which = {};
    VkExtent3D extent_px = {};
    /// The position of the piece in the image's memory.
    uint64_t base_B = 0, bytes = 0;
};

constexpr VkImageUsageFlags host_usage = loaded_usage | VK_IMAGE_USAGE_HOST_TRANSFER_BIT;

bool offered(const vulkan::Device& device, VkFormat format) {
    const auto lists_general = [](const std::vector<VkImageLayout>& layouts) {
        return std::ranges::find(layouts, VK_IMAGE_LAYOUT_GENERAL) != layouts.end();
    };
    if (!device.traits.host_image_copy || !lists_general(device.host_write_layouts) ||
        !lists_general(device.host_read_layouts))
        return false;
    VkPhysicalDeviceImageFormatInfo2 query = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2};
    query.format = format;
    query.type = VK_IMAGE_TYPE_2D;
    query.tiling = VK_IMAGE_TILING_OPTIMAL;
    query.usage = host_usage;
    VkImageFormatProperties2 answer = {VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    VkFormatProperties3 features = {VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 properties = {VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &features};
    vkGetPhysicalDeviceFormatProperties2(device.physical, format, &properties);
    return (features.optimalTilingFeatures & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT) &&
           vkGetPhysicalDeviceImageFormatProperties2(device.physical, &query, &answer) == VK_SUCCESS;
}

uint64_t memcpy_bytes(const vulkan::Device& device, VkImage image, const VkImageSubresourceLayers& of) {
    VkSubresourceHostMemcpySize size = {VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE};
    VkSubresourceLayout2 answer = {VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2, &size};
    VkImageSubresource2 which = {VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2};
    which.imageSubresource = {of.aspectMask, of.mipLevel, of.baseArrayLayer};
    vkGetImageSubresourceLayout2EXT(device.handle, image, &which, &answer);
    return size.size;
}

/// Whether the queue really moves bytes.
bool executes(Context& context, const DeviceBuffer& scratch) {
    constexpr uint32_t word = 0x5a5a5a5a;
    upload(context, scratch, std::vector(sizeof word, std::byte{0}));  // what staging then holds, without a copy back
    fill(context, scratch, sizeof word, word);
    return download(context, scratch, sizeof word) == std::vector(sizeof word, std::byte{0x5a});
}

}  // namespace

struct HostImage {
    const ConvertImage* kind = nullptr;
    Target target;
    std::vector<Piece> pieces;
    /// Staging for both; the memory includes what MEMCPY moves beyond its last element.
    std::vector<std::byte> rows, memory;
};

void DeleteHostImage::operator()(HostImage* image) const { delete image; }

OwnedHostImage create_host_image(Context& context, const ConvertImage& image) {
    if (!offered(context.device, image.format)) return nullptr;
    OwnedHostImage created(new HostImage);
    created->kind = &image;
    create_target(context, image, host_usage, false, created->target);
    VkHostImageLayoutTransitionInfo transition = {VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO};
    transition.image = created->target.image.handle;
    transition.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    transition.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    vulkan::check(vkTransitionImageLayoutEXT(context.device.handle, 1, &transition), "vkTransitionImageLayout");

    created->rows.resize(image.rows.size());
    uint64_t memory_B = image.memory.size();
    for (uint32_t level = 0; level < image.levels; level++)
        for (uint32_t layer = 0; layer < image.layers; layer++) {
            Piece piece = {&image.parts[level], layer, created->target.regions[level].imageSubresource,
                           created->target.regions[level].imageExtent};
            piece.which.baseArrayLayer = layer;
            piece.which.layerCount = 1;
            piece.base_B = piece.part->layout.base + layer * piece.part->layer_stride_B;
            piece.bytes = memcpy_bytes(context.device, transition.image, piece.which);
            memory_B = std::max(memory_B, piece.base_B + piece.bytes);
            created->pieces.push_back(piece);
        }
    created->memory.resize(memory_B);
    return created;
}

std::span<std::byte> staging_of(HostImage& image, HostContents of) {
    return of == HostContents::rows ? std::span(image.rows) : std::span(image.memory).first(image.kind->memory.size());
}

void load(Context& context, const HostImage& image, HostContents of) {
    std::vector<VkMemoryToImageCopy> regions;
    const auto add = [&](const std::byte* from, const VkImageSubresourceLayers& which, VkExtent3D extent_px) {
        VkMemoryToImageCopy region = {VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY};
        region.pHostPointer = from;
        region.imageSubresource = which;
        region.imageExtent = extent_px;
        regions.push_back(region);
    };
    if (of == HostContents::rows) {
        for (const VkBufferImageCopy& level : image.target.regions)
            add(image.rows.data() + level.bufferOffset, level.imageSubresource, level.imageExtent);
    } else {
        for (const Piece& piece : image.pieces) add(image.memory.data() + piece.base_B, piece.which, piece.extent_px);
    }
    VkCopyMemoryToImageInfo info = {VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO};
    info.flags = of == HostContents::memory ? VK_HOST_IMAGE_COPY_MEMCPY : 0;
    info.dstImage = image.target.image.handle;
    info.dstImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    info.regionCount = static_cast<uint32_t>(regions.size());
    info.pRegions = regions.data();
    vulkan::check(vkCopyMemoryToImageEXT(context.device.handle, &info), "vkCopyMemoryToImage");
}

std::vector<std::byte> texels_of(Context& context, const HostImage& image, const ConvertBuffers& buffers) {
    if (executes(context, buffers.rows)) return texels_of(context, image.target, buffers);
    std::vector<std::byte> texels(image.rows.size());
    std::vector<VkImageToMemoryCopy> regions;
    for (const VkBufferImageCopy& level : image.target.regions) {
        VkImageToMemoryCopy region = {VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY};
        region.pHostPointer = texels.data() + level.bufferOffset;
        region.imageSubresource = level.imageSubresource;
        region.imageExtent = level.imageExtent;
        regions.push_back(region);
    }
    VkCopyImageToMemoryInfo info = {VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO};
    info.srcImage = image.target.image.handle;
    info.srcImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    info.regionCount = static_cast<uint32_t>(regions.size());
    info.pRegions = regions.data();
    vulkan::check(vkCopyImageToMemoryEXT(context.device.handle, &info), "vkCopyImageToMemory");
    return texels;
}

std::string why_not_memory(Context& context, HostImage& image, const ConvertBuffers& buffers) {
    for (const Piece& piece : image.pieces) {
        Layout layout = piece.part->layout;
        layout.base = 0;
        if (tiled_bytes(layout, {{}, piece.part->extent}) > piece.bytes)
            return fmt::format("the raw copy of level {} of layer {} is shorter than its tiles", piece.which.mipLevel,
                               piece.layer);
    }
    // Into a zeroed image: bytes that MEMCPY does not write must not pass the check.
    std::ranges::fill(image.rows, std::byte{0});
    load(context, image, HostContents::rows);
    std::ranges::copy(image.kind->memory, image.memory.begin());
    load(context, image, HostContents::memory);
    const std::vector<std::byte> texels = texels_of(context, image, buffers);
    for (const Piece& piece : image.pieces) {
        const uint64_t from = piece.part->rows_B + piece.layer * piece.part->rows_layer_stride_B;
        const auto of_piece = [&](std::span<const std::byte> rows) {
            return rows.subspan(from, piece.part->rows_layer_stride_B);
        };
        if (!std::ranges::equal(of_piece(texels), of_piece(image.kind->rows)))
            return fmt::format("the raw copy of level {} of layer {} is not laid out as its memory is",
                               piece.which.mipLevel, piece.layer);
    }
    return "";
}

}  // namespace tilewise::kernels
