// What a device says about itself, in the process that owns the instance.
#pragma once
#include "probe/probe.h"
#include "probe/vulkan/device.h"

namespace tilewise::probe {

DeviceInfo describe_device(VkPhysicalDevice physical, uint32_t index);

}  // namespace tilewise::probe
