// The three routes, in the process that owns the device.
#pragma once
#include "probe/image.h"
#include "probe/large_pages.h"
#include "probe/reading.h"
#include "probe/routes/payload.h"
#include "probe/routes/samples.h"
#include "probe/vulkan/commands.h"
#include "probe/vulkan/memory.h"
#include <map>

namespace tilewise::probe {

/// A device with the resources that are kept from one case to the next.
struct Bench {
    vulkan::Device device;
    vulkan::Commands commands;  ///< none if the device has no queue
    vulkan::HostBuffer staging, readback;
    std::map<uint32_t, vulkan::Memory> memory;  ///< by type
    LargeBytes texels;                          ///< input of host copy, for one pass
    LargeBytes snapshots;                       ///< what was read, pass by pass
    SampleShader samples;                       ///< made for the first image of several samples
};
void open_bench(Bench& bench, VkPhysicalDevice physical);

/// Fills in everything of a reading but its time, for each of the cases: subresources of one aspect of one image, which
/// are written and read together by one route. The result is confirmed by reading a second image, since something that
/// a driver does once may be a fault or chance. What the device does not offer becomes `unsupported` with the reason. A
/// driver failure, lack of memory included, is thrown (VulkanError).
std::vector<Reading> probe_cases(Bench& bench, std::span<const Case> cases);

/// A subresource, and the position of its texels among those of the others.
struct Part {
    Subresource sub;
    uint64_t first = 0, elements = 0;  ///< of the payload
};

/// An image bound to the memory that is to be read, and the data for its texels.
struct SubjectImage {
    const Case& probed;  ///< the first of the cases
    std::vector<Part> parts = {};
    Payload payload = {};
    VkImage image = VK_NULL_HANDLE;
    VkBuffer alias = VK_NULL_HANDLE;         ///< over the same memory, [0, span); none for host-copy
    const vulkan::Memory* memory = nullptr;  ///< image, or the plane of a disjoint one, at 0
    VkDeviceSize span = 0;                   ///< bytes to read: the image's and some beyond
};

/// Some rows of a part, or slices of one with depth, that one copy takes; a small part is one band.
struct Band {
    const Part* part = nullptr;
    uint64_t first = 0, elements = 0;  ///< of the payload
    VkOffset3D offset = {};            ///< texels
    VkExtent3D extent = {};
};
/// All parts in order, in bands of at most `max_bytes`, unless one row or slice takes more or the image has several
/// samples.
std::vector<Band> bands_of(const SubjectImage& subject, VkDeviceSize max_bytes);
VkDeviceSize staged_bytes(const SubjectImage& subject, const Band& band);

/// One span per pass, valid until the bench's next case.
using Passes = std::vector<std::span<const std::byte>>;
Passes read_by_alias(Bench& bench, const SubjectImage& subject);
Passes read_by_alias_map(Bench& bench, const SubjectImage& subject);

Passes read_by_host_copy(Bench& bench, const SubjectImage& subject);
/// After read_by_host_copy(): each part's last pass, read by the driver's raw copy (MEMCPY). Empty if the driver does
/// not offer it, and for parts beyond the first bytes of the image.
std::vector<std::vector<std::byte>> raw_copies(const vulkan::Device& device, const SubjectImage& subject);

/// Copies on several threads, from memory that may be uncached.
void copy_out(std::span<std::byte> to, const std::byte* from);
/// Copies mapped memory, after the device or the CPU wrote the last pass, to the bench's snapshot of that pass.
std::span<const std::byte> snapshot(Bench& bench, const SubjectImage& subject, uint32_t pass);
/// Fills the mapped memory with the sentinel before a pass.
void fill_mapped(const Bench& bench, const SubjectImage& subject);

}  // namespace tilewise::probe
