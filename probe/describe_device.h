// Queries a device's properties, in the process that owns the instance.
#pragma once
#include "probe/device_info.h"
#include "probe/vulkan/device.h"

namespace tilewise::probe {

DeviceInfo describe_device(VkPhysicalDevice physical, uint32_t index);

}  // namespace tilewise::probe
