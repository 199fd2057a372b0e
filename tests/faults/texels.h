// Faults in the texels: the layer reports what it sees of images, buffers and memory; these functions corrupt what will
// be read.
#pragma once
#include <vulkan/vulkan.h>

namespace tilewise::faults {

void saw_map(VkDeviceMemory memory, void* bytes);
void saw_size(VkImage image, VkDeviceSize bytes);
void saw_binding(VkImage image, VkDeviceMemory memory);
void saw_binding(VkBuffer buffer, VkDeviceMemory memory);
void saw_read_back(VkBuffer buffer, VkDeviceSize offset);
/// Called for the call that ends a pass: what was copied is in memory, and is read next.
void saw_end_of_pass();

/// Corrupts, according to the fault's kind, the memory that is read next: the read-back buffer if there was a copy to
/// one, else the memory of the last image.
void spoil_memory();
/// Remembers the memory for `stale`.
void remember_memory();

/// Another place in the image for the same copy.
VkOffset3D another_place(const VkExtent3D& extent);

}  // namespace tilewise::faults
