// One command buffer, recorded and waited for repeatedly, and the barriers that probing needs.
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
/// Ends the recording, runs it and waits for completion. Throws VulkanError with VK_TIMEOUT if that takes too long: the
/// device is then still working, and nothing that it uses may be freed.
void submit_and_wait(const Device& device, const Commands& commands);

/// begin() and submit_and_wait(), around record(VkCommandBuffer).
template <typename Record>
void run_commands(const Device& device, const Commands& commands, const Record& record) {
    begin(device, commands);
    record(commands.buffer);
    submit_and_wait(device, commands);
}

/// Makes everything before visible in all memory to everything after: aliased memory requires no less.
void full_barrier(VkCommandBuffer commands);
/// The same between the device and reads by the host.
void host_barrier(VkCommandBuffer commands);
/// For all levels and layers of an image.
void image_barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to,
                   VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT);

}  // namespace tilewise::vulkan
