#include "probe/vulkan/check.h"
#include <vulkan/vk_enum_string_helper.h>

namespace tilewise::vulkan {

VulkanError::VulkanError(VkResult failed, const char* call)
    : Error(fmt::format("{}: {}", call, string_VkResult(failed))), result(failed) {}

}  // namespace tilewise::vulkan
