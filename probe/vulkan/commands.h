// One command buffer, recorded and waited for again and again, and the barriers that probing needs.
#pragma once
#include "probe/vulkan/device.h"

namespace tilewise::vulkan {

struct Commands {
    OwnedPool pool;
    OwnedFence fence;
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    uint64_t timeout_ns = UINT64_MAX;  ///< how long submit_and_wait waits
};
void open_commands(const Device& device, Commands& commands);

void begin(const Device& device, const Commands& commands);
/// Ends the recording, runs it and waits for its end. Throws VulkanError with VK_TIMEOUT where that takes too long: the
/// device is still at work then, and nothing that it uses can be freed.
void submit_and_wait(const Device& device, const Commands& commands);

/// Both, around record(VkCommandBuffer).
template <typename Record>
void run_commands(const Device& device, const Commands& commands, const Record& record) {
    begin(device, commands);
    record(commands.buffer);
    submit_and_wait(device, commands);
}

/// Everything before, to all memory, before everything after: what aliases each other's memory needs no less.
void full_barrier(VkCommandBuffer commands);
/// The same between the device and the host's reads.
void host_barrier(VkCommandBuffer commands);
/// All levels and layers of an image.
void image_barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to,
                   VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT);

}  // namespace tilewise::vulkan
