#include "kernels/convert/load.h"
#include "patterns/model/image_layout.h"
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

namespace tilewise::kernels {

namespace {

using Buffers = std::shared_ptr<const ConvertBuffers>;

/// An image of the kind, the memory that it is bound to and a buffer over the same memory, where it has one.
struct Target {
    vulkan::Memory memory;
    vulkan::OwnedImage image;
    vulkan::OwnedBuffer alias;
    VkDeviceSize bytes = 0;
    std::vector<VkBufferImageCopy> regions;  ///< of rows
};

VkImageCreateInfo image_info(const ConvertImage& image, VkImageUsageFlags usage) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = image.format;
    info.extent = image.extent_px;
    info.mipLevels = image.levels;
    info.arrayLayers = image.layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = usage;
    return info;
}

/// False where `aliased` and no memory can hold both.
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
        const auto [width, height, depth] =
            level_extent_px({image.extent_px.width, image.extent_px.height, image.extent_px.depth}, level);
        region.imageExtent = {width, height, depth};
        target.regions.push_back(region);
    }
    return true;
}

void make_general(Context& context, const Target& target) {
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vulkan::image_barrier(commands, target.image.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    });
}

constexpr VkImageUsageFlags loaded_usage =
    VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;

const char* place_of(LoadFrom from) { return from == LoadFrom::host ? "host" : "device"; }

/// The bytes in the host's memory, for the device to read.
std::shared_ptr<const vulkan::HostBuffer> staged(Context& context, std::span<const std::byte> bytes) {
    auto staging = std::make_shared<vulkan::HostBuffer>();
    vulkan::reserve_buffer(context.device, *staging, bytes.size(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0);
    std::memcpy(staging->memory.map, bytes.data(), bytes.size());
    vulkan::flush(context.device, staging->memory);
    return staging;
}

/// `load` leaves the image; what is compared is its texels, read back into rows.
Job load_job(Context& context, const Buffers& buffers, const ConvertImage& image, std::string method,
             const std::shared_ptr<const Target>& target, const Record& load) {
    const Record there_and_back = [buffers, target, load](VkCommandBuffer commands) {
        load(commands);
        vulkan::full_barrier(commands);
        vkCmdCopyImageToBuffer(commands, target->image.handle, VK_IMAGE_LAYOUT_GENERAL, buffers->memory.handle.handle,
                               static_cast<uint32_t>(target->regions.size()), target->regions.data());
    };
    return convert_job(context, image,
                       {.buffers = buffers,
                        .method = std::move(method),
                        .gives = ConvertGives::rows_in_memory,
                        .record = load,
                        .check = there_and_back});
}

}  // namespace

Job load_rows(Context& context, const Buffers& buffers, const ConvertImage& image, LoadFrom from) {
    const auto target = std::make_shared<Target>();
    create_target(context, image, loaded_usage, false, *target);
    make_general(context, *target);
    const auto staging = from == LoadFrom::host ? staged(context, image.rows) : nullptr;
    const VkBuffer source = staging ? staging->handle.handle : buffers->rows.handle.handle;
    const Record work = [buffers, target, staging, source](VkCommandBuffer commands) {
        vkCmdCopyBufferToImage(commands, source, target->image.handle, VK_IMAGE_LAYOUT_GENERAL,
                               static_cast<uint32_t>(target->regions.size()), target->regions.data());
    };
    return load_job(context, buffers, image, fmt::format("vkCmdCopyBufferToImage from the {}", place_of(from)), target,
                    work);
}

Job load_memory(Context& context, const Buffers& buffers, const ConvertImage& image, LoadFrom from) {
    const std::string method = fmt::format("kept memory from the {}", place_of(from));
    const auto target = std::make_shared<Target>();
    if (!create_target(context, image, loaded_usage, true, *target))
        return skipped_job(Task{.kernel = "convert", .subject = image.name}, method,
                           "no memory can hold image and buffer");
    make_general(context, *target);
    // Of the device's own, since the checks write into the shared buffers.
    std::shared_ptr<const vulkan::HostBuffer> staging;
    std::shared_ptr<DeviceBuffer> on_device;
    if (from == LoadFrom::host) {
        staging = staged(context, image.memory);
    } else {
        on_device = std::make_shared<DeviceBuffer>(create_device_buffer(context, image.memory.size()));
        upload(context, *on_device, image.memory);
    }
    const VkBuffer source = on_device ? on_device->handle.handle : staging->handle.handle;
    const VkBufferCopy region = {0, 0, std::min<VkDeviceSize>(image.memory.size(), target->bytes)};
    const Record work = [target, staging, on_device, source, region](VkCommandBuffer commands) {
        vkCmdCopyBuffer(commands, source, target->alias.handle, 1, &region);
    };
    return load_job(context, buffers, image, method, target, work);
}

std::optional<double> host_copy_seconds(Context& context, const ConvertImage& image, int times) {
    const vulkan::Device& device = context.device;
    const auto& layouts = device.host_write_layouts;
    if (!device.traits.host_image_copy || std::ranges::find(layouts, VK_IMAGE_LAYOUT_GENERAL) == layouts.end())
        return {};
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_HOST_TRANSFER_BIT;
    VkPhysicalDeviceImageFormatInfo2 query = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2};
    query.format = image.format;
    query.type = VK_IMAGE_TYPE_2D;
    query.tiling = VK_IMAGE_TILING_OPTIMAL;
    query.usage = usage;
    VkImageFormatProperties2 answer = {VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    VkFormatProperties3 features = {VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 properties = {VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &features};
    vkGetPhysicalDeviceFormatProperties2(device.physical, image.format, &properties);
    if (!(features.optimalTilingFeatures & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT) ||
        vkGetPhysicalDeviceImageFormatProperties2(device.physical, &query, &answer) != VK_SUCCESS)
        return {};
    Target target;
    create_target(context, image, usage, false, target);
    VkHostImageLayoutTransitionInfo transition = {VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO};
    transition.image = target.image.handle;
    transition.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    transition.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    vulkan::check(vkTransitionImageLayoutEXT(device.handle, 1, &transition), "vkTransitionImageLayout");

    std::vector<VkMemoryToImageCopy> regions;
    for (const VkBufferImageCopy& of_buffer : target.regions) {
        VkMemoryToImageCopy region = {VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY};
        region.pHostPointer = image.rows.data() + of_buffer.bufferOffset;
        region.imageSubresource = of_buffer.imageSubresource;
        region.imageExtent = of_buffer.imageExtent;
        regions.push_back(region);
    }
    VkCopyMemoryToImageInfo info = {VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO};
    info.dstImage = target.image.handle;
    info.dstImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    info.regionCount = static_cast<uint32_t>(regions.size());
    info.pRegions = regions.data();
    std::vector<double> seconds;
    for (int i = 0; i <= times; i++) {
        const auto start = std::chrono::steady_clock::now();
        vulkan::check(vkCopyMemoryToImageEXT(device.handle, &info), "vkCopyMemoryToImage");
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    seconds.erase(seconds.begin());  // the first one touches the memory's pages
    std::ranges::sort(seconds);
    return seconds[seconds.size() / 2];
}

struct LoadedImage {
    LoadedBy by = LoadedBy::rows;
    Target target;
    vulkan::HostBuffer staging;
    std::optional<DeviceBuffer> rows;
    std::optional<ComputePass> kernel;
    uint64_t rows_B = 0, staged_B = 0;
};

void DeleteLoadedImage::operator()(LoadedImage* image) const { delete image; }

OwnedLoadedImage create_loaded_image(Context& context, const ConvertImage& image, LoadedBy by) {
    OwnedLoadedImage loaded(new LoadedImage);
    loaded->by = by;
    loaded->rows_B = image.rows.size();
    if (!create_target(context, image, loaded_usage, by != LoadedBy::rows, loaded->target))
        throw Error(fmt::format("{}: no memory can hold image and buffer", image.name));
    make_general(context, loaded->target);
    loaded->staged_B = by == LoadedBy::memory ? image.memory.size() : image.rows.size();
    vulkan::reserve_buffer(context.device, loaded->staging, loaded->staged_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0);
    if (by != LoadedBy::emitted_kernel) return loaded;
    loaded->rows = create_device_buffer(context, image.rows.size());
    ConvertRequest request;
    request.parts = image.parts;
    loaded->kernel = create_emitted_pass(context, request, {loaded->rows->handle.handle, loaded->target.alias.handle});
    return loaded;
}

std::span<std::byte> staging_of(const LoadedImage& image) { return image.staging.bytes().first(image.staged_B); }

void load(Context& context, const LoadedImage& image) {
    vulkan::flush(context.device, image.staging.memory);
    const VkBuffer from = image.staging.handle.handle;
    const VkBufferCopy all = {0, 0, image.staged_B};
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        switch (image.by) {
            case LoadedBy::rows:
                vkCmdCopyBufferToImage(commands, from, image.target.image.handle, VK_IMAGE_LAYOUT_GENERAL,
                                       static_cast<uint32_t>(image.target.regions.size()), image.target.regions.data());
                break;
            case LoadedBy::emitted_kernel:
                vkCmdCopyBuffer(commands, from, image.rows->handle.handle, 1, &all);
                vulkan::full_barrier(commands);
                record(commands, *image.kernel);
                break;
            case LoadedBy::memory:
                vkCmdCopyBuffer(commands, from, image.target.alias.handle, 1, &all);
                break;
        }
        vulkan::full_barrier(commands);
    });
}

std::vector<std::byte> texels_of(Context& context, const LoadedImage& image, const ConvertBuffers& buffers) {
    fill(context, buffers.memory, buffers.memory.size, 0);
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vkCmdCopyImageToBuffer(commands, image.target.image.handle, VK_IMAGE_LAYOUT_GENERAL,
                               buffers.memory.handle.handle, static_cast<uint32_t>(image.target.regions.size()),
                               image.target.regions.data());
    });
    return download(context, buffers.memory, image.rows_B);
}

}  // namespace tilewise::kernels
