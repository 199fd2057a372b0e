#include "probe/vulkan/check.h"
#include <vulkan/vk_enum_string_helper.h>

namespace tilewise::vulkan {

VulkanError::VulkanError(VkResult failed, const char* call)
    : Error(fmt::format("{}: {}", call, string_VkResult(failed))), result(failed) {}

bool says_unsupported(VkResult error) {
    switch (error) {
        case VK_ERROR_EXTENSION_NOT_PRESENT:
        case VK_ERROR_FEATURE_NOT_PRESENT:
        case VK_ERROR_FORMAT_NOT_SUPPORTED:
        case VK_ERROR_IMAGE_USAGE_NOT_SUPPORTED_KHR:
        case VK_ERROR_INCOMPATIBLE_DRIVER:
            return true;
        default:
            return false;
    }
}

bool says_out_of_memory(VkResult error) {
    switch (error) {
        case VK_ERROR_OUT_OF_HOST_MEMORY:
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        case VK_ERROR_OUT_OF_POOL_MEMORY:
        case VK_ERROR_FRAGMENTED_POOL:
        case VK_ERROR_FRAGMENTATION:
            return true;
        default:
            return false;
    }
}

}  // namespace tilewise::vulkan
