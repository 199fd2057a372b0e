#include "kernels/context.h"
#include <algorithm>
#include <bit>
#include <vector>

namespace tilewise::kernels {

namespace {

VkQueueFamilyProperties queue_family(const vulkan::Device& device) {
    return vulkan::queue_families_of(device.physical)[*device.traits.queue_family];
}

uint32_t subgroup_size(const vulkan::Device& device) {
    if (device.traits.properties.apiVersion < VK_API_VERSION_1_1) return 0;
    VkPhysicalDeviceSubgroupProperties subgroup = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroup};
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
    constexpr VkSubgroupFeatureFlags needed =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    const bool usable =
        (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) && (subgroup.supportedOperations & needed) == needed;
    return usable ? vulkan::subgroup_size_of(device.physical) : 0;
}

uint32_t multiprocessors_of(const vulkan::Device& device) {
    if (device.traits.properties.apiVersion < VK_API_VERSION_1_1) return 0;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nv = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    VkPhysicalDeviceShaderCoreProperties2AMD amd = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD};
    VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM};
    VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    if (device.traits.has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) properties.pNext = &nv;
    if (device.traits.has(VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME)) properties.pNext = &amd;
    if (device.traits.has(VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME)) properties.pNext = &arm;
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
    return std::max({nv.shaderSMCount, amd.activeComputeUnitCount, arm.shaderCoreCount});
}

vulkan::Owned<VkSampler, &vkDestroySampler> create_sampler(const vulkan::Device& device, VkFilter filter) {
    VkSamplerCreateInfo sampler = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    sampler.magFilter = sampler.minFilter = filter;
    sampler.addressModeU = sampler.addressModeV = sampler.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    VkSampler handle = VK_NULL_HANDLE;
    vulkan::check(vkCreateSampler(device.handle, &sampler, nullptr, &handle), "vkCreateSampler");
    return {device.handle, handle};
}

}  // namespace

void open_context(Context& context, VkPhysicalDevice physical, vulkan::Features features) {
    vulkan::open_device(context.device, physical, features);
    const vulkan::Device& device = context.device;
    const VkPhysicalDeviceProperties& properties = device.traits.properties;
    const VkQueueFlags flags = device.traits.queue_family ? queue_family(device).queueFlags : 0;
    if (!(flags & VK_QUEUE_COMPUTE_BIT))
        throw Error(fmt::format("{} has no queue for compute shaders", properties.deviceName));
    vulkan::open_commands(device, context.commands);
    context.graphics = flags & VK_QUEUE_GRAPHICS_BIT;
    context.timestamp_ns = static_cast<double>(properties.limits.timestampPeriod);
    context.timestamp_bits = context.timestamp_ns > 0 ? queue_family(device).timestampValidBits : 0;
    context.subgroup_size = subgroup_size(device);
    context.shared_bytes = properties.limits.maxComputeSharedMemorySize;
    context.max_invocations =
        std::min(properties.limits.maxComputeWorkGroupInvocations, properties.limits.maxComputeWorkGroupSize[0]);

    context.multiprocessors = multiprocessors_of(device);

    constexpr uint64_t max_loop_iterations_of_llvmpipe = 65535;
    if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
        context.max_loop_iterations = max_loop_iterations_of_llvmpipe;
    context.nearest = create_sampler(device, VK_FILTER_NEAREST);
    context.bilinear = create_sampler(device, VK_FILTER_LINEAR);
}

uint32_t device_memory_type(const Context& context, uint32_t allowed) {
    const VkPhysicalDeviceMemoryProperties& memory = context.device.memory;
    for (uint32_t type = 0; type < memory.memoryTypeCount; ++type)
        if ((allowed >> type & 1) && (memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
            return type;
    return static_cast<uint32_t>(std::countr_zero(allowed));
}

}  // namespace tilewise::kernels
