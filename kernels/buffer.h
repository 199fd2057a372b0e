// A buffer in the device's own memory, and the transfer of its bytes to and from the host.
#pragma once
#include "kernels/context.h"
#include "probe/vulkan/memory.h"
#include <cstddef>
#include <span>
#include <vector>

namespace tilewise::kernels {

struct DeviceBuffer {
    vulkan::OwnedBuffer handle;
    vulkan::Memory memory;
    VkDeviceSize size = 0;
};

/// For storage and transfers; initially zero. `size` is in bytes, a multiple of 4.
DeviceBuffer create_device_buffer(Context& context, VkDeviceSize size);

/// All three access the buffer's first bytes.
void fill(Context& context, const DeviceBuffer& buffer, VkDeviceSize bytes, uint32_t word);
void upload(Context& context, const DeviceBuffer& buffer, std::span<const std::byte> bytes);
std::vector<std::byte> download(Context& context, const DeviceBuffer& buffer, VkDeviceSize bytes);

}  // namespace tilewise::kernels
