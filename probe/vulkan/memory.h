// Device memory and buffers that are kept and reused: to allocate costs more than a small probe.
#pragma once
#include "probe/vulkan/device.h"
#include <cstddef>
#include <span>

namespace tilewise::vulkan {

struct Memory {
    OwnedMemory handle;
    VkDeviceSize size = 0;
    std::byte* map = nullptr;  ///< null where the type is not host-visible
    bool coherent = false;
};

/// Leaves the memory as it is where it is large enough. What was bound to memory that is replaced must be gone.
/// With `only_for` it is that image's own (a dedicated allocation), of exactly this size.
void reserve_memory(const Device& device, Memory& memory, uint32_t type, VkDeviceSize size,
                    VkImage only_for = VK_NULL_HANDLE);
void flush(const Device& device, const Memory& memory);       ///< what the host wrote, to the device
void invalidate(const Device& device, const Memory& memory);  ///< what the device wrote, to the host

/// A host-visible buffer, mapped.
struct HostBuffer {
    OwnedBuffer handle;
    Memory memory;
    VkDeviceSize size = 0;
    std::span<std::byte> bytes() const { return {memory.map, size}; }
};

/// Makes the buffer at least this large; its contents are lost where it must grow. Types with the `preferred` flags
/// go first.
void reserve_buffer(const Device& device, HostBuffer& buffer, VkDeviceSize size, VkBufferUsageFlags usage,
                    VkMemoryPropertyFlags preferred);

OwnedBuffer create_buffer(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage);

}  // namespace tilewise::vulkan
