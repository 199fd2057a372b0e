#include "probe/describe_device.h"
#include "patterns/model/image_layout.h"
#include "probe/formats/formats.h"
#include "probe/image.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tilewise::probe {

namespace {

using vulkan::DeviceTraits;

std::string hex(const uint8_t (&uuid)[VK_UUID_SIZE]) {
    std::string text;
    for (const uint8_t byte : uuid) text += fmt::format("{:02x}", byte);
    return text;
}

/// A text written by a driver, which need not be terminated.
template <size_t size>
std::string text_of(const char (&text)[size]) {
    return {text, strnlen(text, size)};
}

const char* type_name(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return "integrated";
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return "discrete";
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return "virtual";
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            return "cpu";
        default:
            return "other";
    }
}

void describe_properties(VkPhysicalDevice physical, const DeviceTraits& traits, DeviceInfo& info) {
    VkPhysicalDeviceIDProperties id = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceHostImageCopyProperties host = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &id};
    if (traits.properties.apiVersion >= VK_API_VERSION_1_2 || traits.has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) {
        driver.pNext = all.pNext;
        all.pNext = &driver;
    }
    if (traits.host_image_copy) {
        host.pNext = all.pNext;
        all.pNext = &host;
    }
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
    const bool has_pci = traits.has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
    if (has_pci) {
        pci.pNext = all.pNext;
        all.pNext = &pci;
    }
    if (traits.properties.apiVersion >= VK_API_VERSION_1_1) {
        vkGetPhysicalDeviceProperties2(physical, &all);
        info.subgroup_size = vulkan::subgroup_size_of(physical);
    }

    info.driver_id = driver.driverID;
    info.driver_name = text_of(driver.driverName);
    info.driver_info = text_of(driver.driverInfo);
    info.device_uuid = hex(id.deviceUUID);
    info.driver_uuid = hex(id.driverUUID);
    if (has_pci)
        info.pci_address =
            fmt::format("{:04x}:{:02x}:{:02x}.{}", pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction);
    if (traits.host_image_copy) {
        info.tiling_layout_uuid = hex(host.optimalTilingLayoutUUID);
        info.identical_memory_type_requirements = host.identicalMemoryTypeRequirements;
    }
}

void describe_memory_and_queues(VkPhysicalDevice physical, DeviceInfo& info) {
    const VkPhysicalDeviceMemoryProperties memory = vulkan::memory_of(physical);
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        const VkMemoryType& type = memory.memoryTypes[i];
        info.memory_types.push_back({type.propertyFlags, type.heapIndex, memory.memoryHeaps[type.heapIndex].size});
    }
    for (const VkQueueFamilyProperties& family : vulkan::queue_families_of(physical))
        info.queues.push_back({family.queueFlags, family.queueCount, family.timestampValidBits});
}

std::string why_no_host_copy(const DeviceTraits& traits, const DeviceInfo& info) {
    if (!traits.has(VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME) && traits.properties.apiVersion < VK_API_VERSION_1_4)
        return "no VK_EXT_host_image_copy";
    if (!traits.host_image_copy) return "the feature hostImageCopy is off";
    const bool any = std::any_of(info.formats.begin(), info.formats.end(), [](const FormatSupport& format) {
        return format.features & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT;
    });
    return any ? "" : "no format has the HOST_IMAGE_TRANSFER feature";
}

/// A device that reports less does not follow Vulkan, but fills its properties with something else.
std::string why_unbelievable(const DeviceInfo& info) {
    if (info.name.empty()) return "the driver gives its device no name";
    constexpr uint32_t least_2d = 4096, least_3d = 256;  // "Required Limits" of Vulkan 1.0
    if (info.max_dimension_2d < least_2d || info.max_dimension_3d < least_3d)
        return fmt::format("the driver says that images have at most {}x{} texels, less than Vulkan requires",
                           info.max_dimension_2d, info.max_dimension_2d);
    return {};
}

void describe_routes(const DeviceTraits& traits, DeviceInfo& info) {
    const std::string unbelievable = why_unbelievable(info);
    const auto why_not = [&](Route route) -> std::string {
        if (traits.properties.apiVersion < VK_API_VERSION_1_1) return "the device offers Vulkan 1.0; probing needs 1.1";
        if (route == Route::host_copy) return why_no_host_copy(traits, info);
        return traits.queue_family ? "" : "no queue that can transfer";
    };
    for (const Route route : all_routes) {
        const std::string why = unbelievable.empty() ? why_not(route) : unbelievable;
        info.routes.push_back({route, why.empty(), why});
    }
}

/// Extensions that say something about layouts, memory or timing.
constexpr const char* telling_extensions[] = {
    VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME,
    VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME,
    VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME,
    VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
    VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME,
    VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
    VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
    VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME,
    VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
    VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME,
};

}  // namespace

DeviceInfo describe_device(VkPhysicalDevice physical, uint32_t index) {
    const DeviceTraits traits = vulkan::traits_of(physical);
    const VkPhysicalDeviceProperties& properties = traits.properties;
    DeviceInfo info;
    info.index = index;
    info.name = properties.deviceName;
    info.vendor_id = properties.vendorID;
    info.device_id = properties.deviceID;
    info.type = type_name(properties.deviceType);
    info.api_version = properties.apiVersion;
    info.driver_version = properties.driverVersion;
    info.pipeline_cache_uuid = hex(properties.pipelineCacheUUID);
    info.max_dimension_2d = std::min(properties.limits.maxImageDimension2D, max_image_side_px);
    info.max_dimension_3d = std::min(properties.limits.maxImageDimension3D, max_image_side_px);
    info.max_layers = std::min(properties.limits.maxImageArrayLayers, max_image_layers);
    info.max_invocations = properties.limits.maxComputeWorkGroupInvocations;
    info.max_group_size = std::to_array(properties.limits.maxComputeWorkGroupSize);
    info.timestamp_period = properties.limits.timestampPeriod;
    describe_properties(physical, traits, info);
    describe_memory_and_queues(physical, info);
    if (properties.apiVersion >= VK_API_VERSION_1_1)
        for (const Format& format : known_formats())
            if (const uint64_t features = format_features(physical, traits, format.id))
                info.formats.push_back({format.id, features, format_modifiers(physical, traits, format.id)});
    for (const char* extension : telling_extensions)
        if (traits.has(extension)) info.extensions.emplace_back(extension);
    describe_routes(traits, info);
    return info;
}

}  // namespace tilewise::probe
