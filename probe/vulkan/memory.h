// Device memory and buffers that are kept and reused: an allocation costs more than a small probe.
#pragma once
#include "probe/vulkan/device.h"
#include <cstddef>
#include <span>

namespace tilewise::vulkan {

struct Memory {
    OwnedMemory handle;
    VkDeviceSize size = 0;
    std::byte* map = nullptr;  ///< null if the type is not host-visible
    bool coherent = false;
};

/// Keeps the memory if it is large enough. Whatever was bound to memory that is replaced must be destroyed before. With
/// `only_for`, the memory is a dedicated allocation for that image, of exactly this size.
void reserve_memory(const Device& device, Memory& memory, uint32_t type, VkDeviceSize size,
                    VkImage only_for = VK_NULL_HANDLE);
void flush(const Device& device, const Memory& memory);       ///< makes the host's writes visible to the device
void invalidate(const Device& device, const Memory& memory);  ///< makes the device's writes visible to the host

/// A host-visible buffer, mapped.
struct HostBuffer {
    OwnedBuffer handle;
    Memory memory;
    VkDeviceSize size = 0;
    std::span<std::byte> bytes() const { return {memory.map, size}; }
};

/// Makes the buffer at least this large; its contents are lost if it must grow. Memory types with the `preferred` flags
/// come first.
void reserve_buffer(const Device& device, HostBuffer& buffer, VkDeviceSize size, VkBufferUsageFlags usage,
                    VkMemoryPropertyFlags preferred);

OwnedBuffer create_buffer(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage);

}  // namespace tilewise::vulkan
