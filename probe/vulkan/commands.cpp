#include "probe/vulkan/commands.h"

namespace tilewise::vulkan {

void open_commands(const Device& device, Commands& commands) {
    VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    pool.queueFamilyIndex = device.traits.queue_family.value_or(0);
    VkCommandPool pool_handle = VK_NULL_HANDLE;
    check(vkCreateCommandPool(device.handle, &pool, nullptr, &pool_handle), "vkCreateCommandPool");
    commands.pool = OwnedPool(device.handle, pool_handle);

    VkCommandBufferAllocateInfo buffer = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    buffer.commandPool = pool_handle;
    buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    buffer.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(device.handle, &buffer, &commands.buffer), "vkAllocateCommandBuffers");

    const VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence_handle = VK_NULL_HANDLE;
    check(vkCreateFence(device.handle, &fence, nullptr, &fence_handle), "vkCreateFence");
    commands.fence = OwnedFence(device.handle, fence_handle);
}

void begin(const Device& device, const Commands& commands) {
    check(vkResetCommandPool(device.handle, commands.pool.handle, 0), "vkResetCommandPool");
    VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(vkBeginCommandBuffer(commands.buffer, &info), "vkBeginCommandBuffer");
}

void submit_and_wait(const Device& device, const Commands& commands) {
    check(vkEndCommandBuffer(commands.buffer), "vkEndCommandBuffer");
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands.buffer;
    check(vkQueueSubmit(device.queue, 1, &submit, commands.fence.handle), "vkQueueSubmit");
    const VkResult waited = vkWaitForFences(device.handle, 1, &commands.fence.handle, VK_TRUE, commands.timeout_ns);
    check(waited, "vkWaitForFences");
    if (waited == VK_TIMEOUT) throw VulkanError(waited, "vkWaitForFences");
    check(vkResetFences(device.handle, 1, &commands.fence.handle), "vkResetFences");
}

namespace {

constexpr VkAccessFlags any_access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

void memory_barrier(VkCommandBuffer commands, VkPipelineStageFlags then, VkAccessFlags access) {
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = any_access;
    barrier.dstAccessMask = access;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, then, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace

void full_barrier(VkCommandBuffer commands) {
    memory_barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, any_access);
}

void host_barrier(VkCommandBuffer commands) {
    memory_barrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

void image_barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to,
                   VkImageAspectFlags aspects) {
    VkImageMemoryBarrier barrier = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = any_access;
    barrier.dstAccessMask = any_access;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = {aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &barrier);
}

}  // namespace tilewise::vulkan
