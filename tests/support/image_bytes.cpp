// Asks the first Vulkan device, through Vulkan alone, how much memory images need. Each input line is one image:
// VkFormat, VkImageType, width, height, depth, levels, layers, samples, VkImageUsageFlags. Each output line is its
// bytes and its alignment; both are 0 if the device does not offer it.
#include <cstdint>
#include <iostream>
#include <vector>
#include <volk.h>

int main() {
    if (volkInitialize() != VK_SUCCESS) return 1;
    VkApplicationInfo app = {};
    app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    app.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo instance_info = {};
    instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    instance_info.pApplicationInfo = &app;
    VkInstance instance = VK_NULL_HANDLE;
    if (vkCreateInstance(&instance_info, nullptr, &instance) != VK_SUCCESS) return 1;
    volkLoadInstance(instance);
    uint32_t count = 1;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (count == 0) return 1;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkPhysicalDeviceHostImageCopyFeaturesEXT host_copy = {};
    host_copy.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT;
    host_copy.hostImageCopy = VK_TRUE;
    const char* const extension = VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME;
    VkDeviceCreateInfo device_info = {};
    device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    device_info.pNext = &host_copy;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue;
    device_info.enabledExtensionCount = 1;
    device_info.ppEnabledExtensionNames = &extension;
    VkDevice device = VK_NULL_HANDLE;
    if (vkCreateDevice(physical, &device_info, nullptr, &device) != VK_SUCCESS) {
        // Chips before Turing have no host copy.
        device_info.pNext = nullptr;
        device_info.enabledExtensionCount = 0;
        if (vkCreateDevice(physical, &device_info, nullptr, &device) != VK_SUCCESS) return 1;
    }
    volkLoadDevice(device);

    uint32_t format, type, width, height, depth, levels, layers, samples, usage;
    while (std::cin >> format >> type >> width >> height >> depth >> levels >> layers >> samples >> usage) {
        VkImageCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
        info.imageType = static_cast<VkImageType>(type);
        info.format = static_cast<VkFormat>(format);
        info.extent = {width, height, depth};
        info.mipLevels = levels;
        info.arrayLayers = layers;
        info.samples = static_cast<VkSampleCountFlagBits>(samples);
        info.usage = usage;
        VkImageFormatProperties offered;
        VkMemoryRequirements needs = {};
        if (vkGetPhysicalDeviceImageFormatProperties(physical, info.format, info.imageType, info.tiling, usage, 0,
                                                     &offered) == VK_SUCCESS) {
            VkImage image = VK_NULL_HANDLE;
            if (vkCreateImage(device, &info, nullptr, &image) != VK_SUCCESS) return 1;
            vkGetImageMemoryRequirements(device, image, &needs);
            vkDestroyImage(device, image, nullptr);
        }
        std::cout << needs.size << ' ' << needs.alignment << '\n';
    }
}
