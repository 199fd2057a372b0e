#include "probe/vulkan/memory.h"
#include "patterns/model/bits.h"
#include <bit>

namespace tilewise::vulkan {

void reserve_memory(const Device& device, Memory& memory, uint32_t type, VkDeviceSize size, VkImage only_for) {
    if (memory.size >= size) return;
    memory = {};
    constexpr VkDeviceSize granule = 1 << 20;
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = only_for ? size : round_up(size, granule);
    info.memoryTypeIndex = type;
    VkMemoryDedicatedAllocateInfo dedicated = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
    dedicated.image = only_for;
    if (only_for) info.pNext = &dedicated;
    VkDeviceMemory handle = VK_NULL_HANDLE;
    check(vkAllocateMemory(device.handle, &info, nullptr, &handle), "vkAllocateMemory");
    memory.handle = OwnedMemory(device.handle, handle);

    const VkMemoryPropertyFlags flags = device.memory.memoryTypes[type].propertyFlags;
    memory.coherent = flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
        void* map = nullptr;
        check(vkMapMemory(device.handle, handle, 0, VK_WHOLE_SIZE, 0, &map), "vkMapMemory");
        memory.map = static_cast<std::byte*>(map);
    }
    memory.size = info.allocationSize;
}

namespace {

VkMappedMemoryRange whole(const Memory& memory) {
    VkMappedMemoryRange range = {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE};
    range.memory = memory.handle.handle;
    range.size = VK_WHOLE_SIZE;
    return range;
}

}  // namespace

void flush(const Device& device, const Memory& memory) {
    const VkMappedMemoryRange range = whole(memory);
    if (!memory.coherent) check(vkFlushMappedMemoryRanges(device.handle, 1, &range), "vkFlushMappedMemoryRanges");
}

void invalidate(const Device& device, const Memory& memory) {
    const VkMappedMemoryRange range = whole(memory);
    if (!memory.coherent)
        check(vkInvalidateMappedMemoryRanges(device.handle, 1, &range), "vkInvalidateMappedMemoryRanges");
}

OwnedBuffer create_buffer(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage) {
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = usage;
    VkBuffer handle = VK_NULL_HANDLE;
    check(vkCreateBuffer(device.handle, &info, nullptr, &handle), "vkCreateBuffer");
    return {device.handle, handle};
}

void reserve_buffer(const Device& device, HostBuffer& buffer, VkDeviceSize size, VkBufferUsageFlags usage,
                    VkMemoryPropertyFlags preferred) {
    if (buffer.size >= size) return;
    buffer = {};
    // Growing by powers of two keeps the number of allocations small while images of increasing size are probed; large
    // sizes take long to allocate.
    constexpr VkDeviceSize large = 64 << 20;
    size = size < large ? std::bit_ceil(size) : round_up(size, large / 4);
    buffer.handle = create_buffer(device, size, usage);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.handle, buffer.handle.handle, &needs);

    std::optional<uint32_t> best;
    int best_score = -1;
    for (uint32_t type = 0; type < device.memory.memoryTypeCount; ++type) {
        const VkMemoryPropertyFlags flags = device.memory.memoryTypes[type].propertyFlags;
        const VkMemoryPropertyFlags needed = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        const int score = std::popcount(flags & preferred);
        if (((needs.memoryTypeBits >> type) & 1) && (flags & needed) == needed && score > best_score) {
            best = type;
            best_score = score;
        }
    }
    if (!best) throw Error("the device has no host-visible memory for a buffer");
    reserve_memory(device, buffer.memory, *best, needs.size);
    check(vkBindBufferMemory(device.handle, buffer.handle.handle, buffer.memory.handle.handle, 0),
          "vkBindBufferMemory");
    buffer.size = size;
}

}  // namespace tilewise::vulkan
