// Vulkan's results as errors that name the failed call.
#pragma once
#include "patterns/model/error.h"
#include <fmt/format.h>
#include <string>
#include <utility>
#include <volk.h>

namespace tilewise::vulkan {

/// what() is "vkQueueSubmit: VK_ERROR_DEVICE_LOST".
struct VulkanError : Error {
    VkResult result;
    VulkanError(VkResult failed, const char* call);
};

/// Whether the error means that the device does not offer what was requested. All other errors mean that the driver
/// failed.
bool says_unsupported(VkResult error);
bool says_out_of_memory(VkResult error);

/// Throws VulkanError if the result is an error (VK_INCOMPLETE and the like are not).
inline void check(VkResult result, const char* call) {
    if (result < 0) throw VulkanError(result, call);
}

/// A handle that belongs to a device and is destroyed at the end of its scope.
template <typename Handle, auto* destroy>
struct Owned {
    VkDevice device = VK_NULL_HANDLE;
    Handle handle = VK_NULL_HANDLE;

    Owned() = default;
    Owned(VkDevice owner, Handle owned) : device(owner), handle(owned) {}
    Owned(Owned&& other) noexcept : device(other.device), handle(std::exchange(other.handle, VK_NULL_HANDLE)) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(device, other.device);
        std::swap(handle, other.handle);
        return *this;
    }
    ~Owned() {
        if (handle) (*destroy)(device, handle, nullptr);
    }
};
using OwnedImage = Owned<VkImage, &vkDestroyImage>;
using OwnedBuffer = Owned<VkBuffer, &vkDestroyBuffer>;
using OwnedMemory = Owned<VkDeviceMemory, &vkFreeMemory>;
using OwnedPool = Owned<VkCommandPool, &vkDestroyCommandPool>;
using OwnedFence = Owned<VkFence, &vkDestroyFence>;

}  // namespace tilewise::vulkan
