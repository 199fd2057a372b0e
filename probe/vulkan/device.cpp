#include "probe/vulkan/device.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace tilewise::vulkan {

Instance::~Instance() {
    if (handle) vkDestroyInstance(handle, nullptr);
}

void open_instance(Instance& instance) {
    if (volkInitialize() != VK_SUCCESS)
        throw Error("no Vulkan loader (libvulkan.so.1): install it (Debian: libvulkan1) with your GPU's Vulkan driver");

    uint32_t count = 0;
    check(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr), "vkEnumerateInstanceExtensionProperties");
    std::vector<VkExtensionProperties> offered(count);
    check(vkEnumerateInstanceExtensionProperties(nullptr, &count, offered.data()),
          "vkEnumerateInstanceExtensionProperties");
    const bool portability = std::any_of(offered.begin(), offered.end(), [](const VkExtensionProperties& e) {
        return std::strcmp(e.extensionName, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME) == 0;
    });
    const char* extension = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;

    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = "tilewise";
    application.apiVersion = VK_API_VERSION_1_4;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    if (portability) {
        info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    const VkResult created = vkCreateInstance(&info, nullptr, &instance.handle);
    if (created == VK_ERROR_INCOMPATIBLE_DRIVER)
        throw Error("no Vulkan driver: install your GPU's (Debian: mesa-vulkan-drivers, or the vendor's)");
    check(created, "vkCreateInstance");
    volkLoadInstance(instance.handle);

    check(vkEnumeratePhysicalDevices(instance.handle, &count, nullptr), "vkEnumeratePhysicalDevices");
    instance.devices.resize(count);
    check(vkEnumeratePhysicalDevices(instance.handle, &count, instance.devices.data()), "vkEnumeratePhysicalDevices");
    instance.devices.resize(count);
    if (instance.devices.empty())
        throw Error("no Vulkan device: the drivers that are installed found no GPU (try vulkaninfo --summary)");
}

bool DeviceTraits::has(const char* extension) const {
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

namespace {

std::optional<uint32_t> transfer_family(const std::vector<VkQueueFamilyProperties>& families) {
    for (const VkQueueFlags wanted : {VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_TRANSFER_BIT})
        for (uint32_t i = 0; i < families.size(); ++i)
            if (families[i].queueCount > 0 && (families[i].queueFlags & wanted)) return i;
    return {};
}

void find_features(VkPhysicalDevice physical, DeviceTraits& traits) {
    if (traits.properties.apiVersion < VK_API_VERSION_1_1) return;
    VkPhysicalDeviceShaderClockFeaturesKHR clock = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
    VkPhysicalDeviceShaderSMBuiltinsFeaturesNV sm = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    if (traits.has(VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) features.pNext = &clock;
    if (traits.has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
        sm.pNext = features.pNext;
        features.pNext = &sm;
    }
    if (traits.has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) {
        statistics.pNext = features.pNext;
        features.pNext = &statistics;
    }
    VkPhysicalDeviceImageCompressionControlFeaturesEXT compression = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT};
    if (traits.has(VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME)) {
        compression.pNext = features.pNext;
        features.pNext = &compression;
    }
    vkGetPhysicalDeviceFeatures2(physical, &features);
    traits.features = features.features;
    traits.compression_control = compression.imageCompressionControl;
    traits.device_clock = clock.shaderDeviceClock;
    traits.sm_builtins = sm.shaderSMBuiltins;
    traits.pipeline_statistics = statistics.pipelineExecutableInfo;
}

}  // namespace

DeviceTraits traits_of(VkPhysicalDevice physical) {
    DeviceTraits traits;
    vkGetPhysicalDeviceProperties(physical, &traits.properties);
    traits.properties.deviceName[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE - 1] = 0;
    float& tick_ns = traits.properties.limits.timestampPeriod;
    if (!std::isfinite(tick_ns) || tick_ns < 0) tick_ns = 0;
    uint32_t count = 0;
    check(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr),
          "vkEnumerateDeviceExtensionProperties");
    std::vector<VkExtensionProperties> offered(count);
    check(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, offered.data()),
          "vkEnumerateDeviceExtensionProperties");
    for (const VkExtensionProperties& extension : offered) traits.extensions.emplace_back(extension.extensionName);

    const uint32_t api = traits.properties.apiVersion;
    traits.format_features2 = api >= VK_API_VERSION_1_3 || traits.has(VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME);
    traits.maintenance5 = api >= VK_API_VERSION_1_4 || traits.has(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
    traits.formats_4444 = api >= VK_API_VERSION_1_3 || traits.has(VK_EXT_4444_FORMATS_EXTENSION_NAME);
    traits.formats_2plane_444 = api >= VK_API_VERSION_1_3 || traits.has(VK_EXT_YCBCR_2PLANE_444_FORMATS_EXTENSION_NAME);
    const std::vector<VkQueueFamilyProperties> families = queue_families_of(physical);
    traits.queue_family = transfer_family(families);
    if (traits.queue_family) traits.queue_flags = families[*traits.queue_family].queueFlags;
    find_features(physical, traits);

    const bool extension = traits.has(VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME);
    if (traits.format_features2 && (extension || api >= VK_API_VERSION_1_4)) {
        VkPhysicalDeviceHostImageCopyFeatures host = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES};
        VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &host};
        vkGetPhysicalDeviceFeatures2(physical, &features);
        // A device with the extension must have its feature (Vulkan specification, "Feature Requirements").
        traits.host_image_copy = extension || host.hostImageCopy;
        traits.host_image_copy_is_core = !extension;
    }
    return traits;
}

std::vector<VkQueueFamilyProperties> queue_families_of(VkPhysicalDevice physical) {
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    constexpr uint32_t most = 64;
    std::vector<VkQueueFamilyProperties> families(std::min(count, most));
    count = static_cast<uint32_t>(families.size());
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    families.resize(std::min<size_t>(count, families.size()));
    return families;
}

VkPhysicalDeviceMemoryProperties memory_of(VkPhysicalDevice physical) {
    VkPhysicalDeviceMemoryProperties memory = {};
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    memory.memoryHeapCount = std::min(memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
    memory.memoryTypeCount = std::min(memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if (memory.memoryTypes[i].heapIndex >= memory.memoryHeapCount) memory.memoryTypeCount = i;
    return memory;
}

uint32_t subgroup_size_of(VkPhysicalDevice physical) {
    VkPhysicalDeviceSubgroupProperties subgroup = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroup};
    vkGetPhysicalDeviceProperties2(physical, &all);
    constexpr uint32_t largest = 128;  // "between 1 and 128 inclusive" and "a power-of-two" (VUID-SubgroupSize-04382)
    return std::has_single_bit(subgroup.subgroupSize) && subgroup.subgroupSize <= largest ? subgroup.subgroupSize : 0;
}

Device::~Device() {
    if (handle) {
        vkDeviceWaitIdle(handle);
        vkDestroyDevice(handle, nullptr);
    }
}

namespace {

void find_host_copy_layouts(Device& device) {
    VkPhysicalDeviceHostImageCopyProperties host = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &host};
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
    device.host_read_layouts.resize(host.copySrcLayoutCount);
    device.host_write_layouts.resize(host.copyDstLayoutCount);
    host.pCopySrcLayouts = device.host_read_layouts.data();
    host.pCopyDstLayouts = device.host_write_layouts.data();
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
}

/// The features that images and the shaders that fill them need, as far as they are offered.
VkPhysicalDeviceFeatures wanted_features(const VkPhysicalDeviceFeatures& offered) {
    VkPhysicalDeviceFeatures wanted = {};
    for (const auto feature :
         {&VkPhysicalDeviceFeatures::textureCompressionBC, &VkPhysicalDeviceFeatures::textureCompressionETC2,
          &VkPhysicalDeviceFeatures::textureCompressionASTC_LDR,
          &VkPhysicalDeviceFeatures::shaderStorageImageMultisample,
          &VkPhysicalDeviceFeatures::shaderStorageImageWriteWithoutFormat, &VkPhysicalDeviceFeatures::imageCubeArray,
          &VkPhysicalDeviceFeatures::sparseBinding, &VkPhysicalDeviceFeatures::sparseResidencyImage2D,
          &VkPhysicalDeviceFeatures::sparseResidencyImage3D, &VkPhysicalDeviceFeatures::sparseResidency2Samples,
          &VkPhysicalDeviceFeatures::sparseResidency4Samples, &VkPhysicalDeviceFeatures::sparseResidency8Samples,
          &VkPhysicalDeviceFeatures::sparseResidency16Samples})
        wanted.*feature = offered.*feature;
    return wanted;
}

struct AllFeatures {
    VkPhysicalDeviceFeatures core = {};
    bool has_versions = false;
    VkPhysicalDeviceVulkan11Features v11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceVulkan12Features v12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
};

/// All offered features, except those that cost time or are of no use to a shader.
AllFeatures all_features(VkPhysicalDevice physical, const DeviceTraits& traits) {
    AllFeatures all;
    all.core = traits.features;
    all.core.robustBufferAccess = VK_FALSE;
    all.has_versions = traits.properties.apiVersion >= VK_API_VERSION_1_2;
    VkPhysicalDeviceFeatures2 offered = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    if (all.has_versions) {
        all.v11.pNext = &all.v12;
        offered.pNext = &all.v11;
    }
    if (traits.has(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME))
        all.atomics.pNext = std::exchange(offered.pNext, &all.atomics);
    if (offered.pNext != nullptr) vkGetPhysicalDeviceFeatures2(physical, &offered);
    all.v11.protectedMemory = VK_FALSE;
    all.v12.bufferDeviceAddressCaptureReplay = all.v12.bufferDeviceAddressMultiDevice = VK_FALSE;
    all.v11.pNext = all.v12.pNext = all.atomics.pNext = nullptr;
    return all;
}

}  // namespace

void open_device(Device& device, VkPhysicalDevice physical, Features features) {
    device.physical = physical;
    device.traits = traits_of(physical);
    device.memory = memory_of(physical);
    const DeviceTraits& traits = device.traits;

    // A device must be created with a queue, even if none of its queues is useful.
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = traits.queue_family.value_or(0);
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;

    std::vector<const char*> extensions;
    const auto want = [&](const char* name) {
        if (traits.has(name)) extensions.push_back(name);
    };
    want("VK_KHR_portability_subset");
    want(VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME);
    if (traits.properties.apiVersion < VK_API_VERSION_1_2) want(VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME);
    VkPhysicalDeviceHostImageCopyFeatures host = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES};
    host.hostImageCopy = VK_TRUE;
    VkPhysicalDeviceShaderClockFeaturesKHR clock = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
    clock.shaderDeviceClock = VK_TRUE;
    VkPhysicalDeviceShaderSMBuiltinsFeaturesNV sm = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV};
    sm.shaderSMBuiltins = VK_TRUE;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    statistics.pipelineExecutableInfo = VK_TRUE;
    void* chain = nullptr;
    if (traits.device_clock) {
        clock.pNext = std::exchange(chain, &clock);
        want(VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
    }
    if (traits.sm_builtins) {
        sm.pNext = std::exchange(chain, &sm);
        want(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME);
    }
    if (traits.pipeline_statistics) {
        statistics.pNext = std::exchange(chain, &statistics);
        want(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    }
    VkPhysicalDeviceImageCompressionControlFeaturesEXT compression = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT};
    compression.imageCompressionControl = VK_TRUE;
    if (traits.compression_control) {
        compression.pNext = std::exchange(chain, &compression);
        want(VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME);
    }
    VkPhysicalDeviceFeatures2 core = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    core.features = wanted_features(traits.features);
    AllFeatures all;
    if (features == Features::all) {
        all = all_features(physical, traits);
        core.features = all.core;
        if (all.has_versions) {
            all.v12.pNext = std::exchange(chain, &all.v12);
            all.v11.pNext = std::exchange(chain, &all.v11);
        }
        if (all.atomics.shaderBufferFloat32AtomicAdd) {
            all.atomics.pNext = std::exchange(chain, &all.atomics);
            want(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
        }
    }
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.pEnabledFeatures = &core.features;
    if (traits.host_image_copy) {
        host.pNext = std::exchange(chain, &host);
        want(VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME);
        if (traits.properties.apiVersion < VK_API_VERSION_1_3) {
            want(VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME);
            want(VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME);
        }
    }
    info.pNext = chain;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    check(vkCreateDevice(physical, &info, nullptr, &device.handle), "vkCreateDevice");
    volkLoadDevice(device.handle);

    if (traits.queue_family) vkGetDeviceQueue(device.handle, *traits.queue_family, 0, &device.queue);
    if (!traits.host_image_copy) return;
    if (traits.host_image_copy_is_core) {
        vkCopyMemoryToImageEXT = vkCopyMemoryToImage;
        vkCopyImageToMemoryEXT = vkCopyImageToMemory;
        vkTransitionImageLayoutEXT = vkTransitionImageLayout;
        vkGetImageSubresourceLayout2EXT = vkGetImageSubresourceLayout2;
    }
    find_host_copy_layouts(device);
}

}  // namespace tilewise::vulkan
