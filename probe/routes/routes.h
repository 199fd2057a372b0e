// The three routes, in the process that owns the device.
#pragma once
#include "probe/image.h"
#include "probe/reading.h"
#include "probe/routes/payload.h"
#include "probe/vulkan/commands.h"
#include "probe/vulkan/memory.h"
#include <map>

namespace tilewise::probe {

/// A device with what is kept from one case to the next.
struct Bench {
    vulkan::Device device;
    vulkan::Commands commands;  ///< none where the device has no queue
    vulkan::HostBuffer staging, readback;
    std::map<uint32_t, vulkan::Memory> memory;  ///< by type
    std::vector<std::byte> snapshots;           ///< what was read from mapped memory, pass after pass
};
void open_bench(Bench& bench, VkPhysicalDevice physical);

/// Everything of a reading but its time. What was read is read again from a second image: what a driver does once can be
/// a fault, or chance. What the device does not offer becomes `unsupported` with the reason; a driver that fails, out of
/// memory for one, is thrown (VulkanError).
Reading probe_case(Bench& bench, const Case& probed);

/// An image bound to memory that is to be read, and what goes into its texels.
struct Subject {
    const Case& probed;
    Subresource part = {};
    Payload payload = {};
    VkImage image = VK_NULL_HANDLE;
    VkBuffer alias = VK_NULL_HANDLE;         ///< over the same memory, [0, span); none by host-copy
    const vulkan::Memory* memory = nullptr;  ///< image at 0
    VkDeviceSize span = 0;                   ///< bytes to read: the image's and some more

    uint64_t texel_bytes() const { return payload.elements * payload.element_bytes; }
};

/// One span a pass, valid until the bench's next case.
using Passes = std::vector<std::span<const std::byte>>;
Passes read_by_alias(Bench& bench, const Subject& subject);
Passes read_by_alias_map(Bench& bench, const Subject& subject);

struct HostCopied {
    Passes passes;
    std::vector<std::byte> raw;  ///< the raw copy (MEMCPY) of the last pass; empty where the driver gave none
};
HostCopied read_by_host_copy(Bench& bench, const Subject& subject);

/// Copies mapped memory, of which the device or the CPU wrote the last pass, to the bench's snapshot of that pass.
std::span<const std::byte> snapshot(Bench& bench, const Subject& subject, uint32_t pass);
/// Before a pass: the sentinel over the mapped memory.
void fill_mapped(const Bench& bench, const Subject& subject);

}  // namespace tilewise::probe
