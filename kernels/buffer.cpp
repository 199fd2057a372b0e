#include "kernels/buffer.h"
#include <cstring>

namespace tilewise::kernels {

DeviceBuffer create_device_buffer(Context& context, VkDeviceSize size) {
    const vulkan::Device& device = context.device;
    const VkDeviceSize limit = device.traits.properties.limits.maxStorageBufferRange;
    if (size > limit)
        throw Error(fmt::format("{} allows buffers of up to {} bytes in shaders, not {}",
                                device.traits.properties.deviceName, limit, size));
    DeviceBuffer buffer;
    buffer.handle = vulkan::create_buffer(
        device, size,
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.handle, buffer.handle.handle, &needs);
    vulkan::reserve_memory(device, buffer.memory, device_memory_type(context, needs.memoryTypeBits), needs.size);
    vulkan::check(vkBindBufferMemory(device.handle, buffer.handle.handle, buffer.memory.handle.handle, 0),
                  "vkBindBufferMemory");
    buffer.size = size;
    fill(context, buffer, size, 0);
    return buffer;
}

void fill(Context& context, const DeviceBuffer& buffer, VkDeviceSize bytes, uint32_t word) {
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vkCmdFillBuffer(commands, buffer.handle.handle, 0, bytes, word);
        vulkan::full_barrier(commands);
    });
}

void upload(Context& context, const DeviceBuffer& buffer, std::span<const std::byte> bytes) {
    vulkan::HostBuffer staging;
    vulkan::reserve_buffer(context.device, staging, bytes.size(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0);
    std::memcpy(staging.memory.map, bytes.data(), bytes.size());
    vulkan::flush(context.device, staging.memory);
    const VkBufferCopy region = {0, 0, bytes.size()};
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vkCmdCopyBuffer(commands, staging.handle.handle, buffer.handle.handle, 1, &region);
        vulkan::full_barrier(commands);
    });
}

std::vector<std::byte> download(Context& context, const DeviceBuffer& buffer, VkDeviceSize bytes) {
    vulkan::HostBuffer staging;
    vulkan::reserve_buffer(context.device, staging, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                           VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    const VkBufferCopy region = {0, 0, bytes};
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        vulkan::full_barrier(commands);
        vkCmdCopyBuffer(commands, buffer.handle.handle, staging.handle.handle, 1, &region);
        vulkan::host_barrier(commands);
    });
    vulkan::invalidate(context.device, staging.memory);
    std::vector<std::byte> data(bytes);
    std::memcpy(data.data(), staging.memory.map, bytes);
    return data;
}

}  // namespace tilewise::kernels
