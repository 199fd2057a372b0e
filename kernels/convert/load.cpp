#include "kernels/convert/load.h"
#include "kernels/convert/target.h"
#include <algorithm>
#include <cstring>

namespace tilewise::kernels {

namespace {

using Buffers = std::shared_ptr<const ConvertBuffers>;

void make_general(Context& context, const Target& target) {
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vulkan::image_barrier(commands, target.image.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    });
}

const char* place_of(LoadSource from) { return from == LoadSource::host ? "host" : "device"; }

/// The bytes in host memory that the device can read.
std::shared_ptr<const vulkan::HostBuffer> staged(Context& context, std::span<const std::byte> bytes) {
    auto staging = std::make_shared<vulkan::HostBuffer>();
    vulkan::reserve_buffer(context.device, *staging, bytes.size(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0);
    std::memcpy(staging->memory.map, bytes.data(), bytes.size());
    vulkan::flush(context.device, staging->memory);
    return staging;
}

/// `load` fills the image; the comparison is of its texels, read back into rows.
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
                        .gives = ConvertResult::rows_in_memory,
                        .record = load,
                        .check = there_and_back});
}

}  // namespace

Job load_rows(Context& context, const Buffers& buffers, const ConvertImage& image, LoadSource from) {
    const auto target = std::make_shared<Target>();
    create_target(context, image, loaded_usage, false, *target);
    make_general(context, *target);
    const auto staging = from == LoadSource::host ? staged(context, image.rows) : nullptr;
    const VkBuffer source = staging ? staging->handle.handle : buffers->rows.handle.handle;
    const Record work = [buffers, target, staging, source](VkCommandBuffer commands) {
        vkCmdCopyBufferToImage(commands, source, target->image.handle, VK_IMAGE_LAYOUT_GENERAL,
                               static_cast<uint32_t>(target->regions.size()), target->regions.data());
    };
    return load_job(context, buffers, image, fmt::format("vkCmdCopyBufferToImage from the {}", place_of(from)), target,
                    work);
}

Job load_memory(Context& context, const Buffers& buffers, const ConvertImage& image, LoadSource from) {
    const std::string method = fmt::format("kept memory from the {}", place_of(from));
    const auto target = std::make_shared<Target>();
    if (!create_target(context, image, loaded_usage, true, *target))
        return skipped_job(Task{.kernel = "convert", .subject = image.name}, method,
                           "no memory can hold image and buffer");
    make_general(context, *target);
    // This load has buffers of its own, since the checks write into the shared ones.
    std::shared_ptr<const vulkan::HostBuffer> staging;
    std::shared_ptr<DeviceBuffer> on_device;
    if (from == LoadSource::host) {
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

struct LoadedImage {
    LoadMethod by = LoadMethod::rows;
    Target target;
    vulkan::HostBuffer staging;
    std::optional<DeviceBuffer> rows;
    std::optional<ComputePass> kernel;
    uint64_t staged_B = 0;
};

void DeleteLoadedImage::operator()(LoadedImage* image) const { delete image; }

OwnedLoadedImage create_loaded_image(Context& context, const ConvertImage& image, LoadMethod by) {
    OwnedLoadedImage loaded(new LoadedImage);
    loaded->by = by;
    if (!create_target(context, image, loaded_usage, by != LoadMethod::rows, loaded->target))
        throw Error(fmt::format("{}: no memory can hold image and buffer", image.name));
    make_general(context, loaded->target);
    loaded->staged_B = by == LoadMethod::memory ? image.memory.size() : image.rows.size();
    vulkan::reserve_buffer(context.device, loaded->staging, loaded->staged_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0);
    if (by != LoadMethod::emitted_kernel) return loaded;
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
            case LoadMethod::rows:
                vkCmdCopyBufferToImage(commands, from, image.target.image.handle, VK_IMAGE_LAYOUT_GENERAL,
                                       static_cast<uint32_t>(image.target.regions.size()), image.target.regions.data());
                break;
            case LoadMethod::emitted_kernel:
                vkCmdCopyBuffer(commands, from, image.rows->handle.handle, 1, &all);
                vulkan::full_barrier(commands);
                record(commands, *image.kernel);
                break;
            case LoadMethod::memory:
                vkCmdCopyBuffer(commands, from, image.target.alias.handle, 1, &all);
                break;
        }
        vulkan::full_barrier(commands);
    });
}

std::vector<std::byte> texels_of(Context& context, const LoadedImage& image, const ConvertBuffers& buffers) {
    return texels_of(context, image.target, buffers);
}

}  // namespace tilewise::kernels
