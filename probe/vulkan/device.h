// The instance, a device with one queue, and the device properties that the rest needs.
#pragma once
#include "probe/vulkan/check.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewise::vulkan {

struct Instance {
    VkInstance handle = VK_NULL_HANDLE;
    std::vector<VkPhysicalDevice> devices;

    Instance() = default;
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    ~Instance();
};

/// Throws Error if there is no loader, no driver or no device. Only one instance at a time (volk keeps it).
void open_instance(Instance& instance);

/// What a device supports. The features of an optional extension are queried only if the device has the extension.
struct DeviceTraits {
    VkPhysicalDeviceProperties properties = {};
    std::vector<std::string> extensions;
    bool format_features2 = false;         ///< VkFormatProperties3 may be queried
    bool host_image_copy = false;          ///< as an extension or as a feature of Vulkan 1.4
    bool host_image_copy_is_core = false;  ///< without the extension
    bool maintenance5 = false;             ///< A8_UNORM and A1B5G5R5 exist
    bool formats_4444 = false;             ///< A4R4G4B4 and A4B4G4R4 exist
    bool formats_2plane_444 = false;       ///< G8_B8R8_2PLANE_444 and its wider kin exist
    bool compression_control = false;      ///< images can be made with and without compression
    VkPhysicalDeviceFeatures features = {};
    bool device_clock = false;             ///< shaders can read a clock shared by the whole device
    bool sm_builtins = false;              ///< shaders can read their multiprocessor's number (NVIDIA)
    bool pipeline_statistics = false;      ///< the driver reports what the compiler made of a pipeline's shaders
    std::optional<uint32_t> queue_family;  ///< one that can transfer; compute before graphics before others
    VkQueueFlags queue_flags = 0;          ///< of that family
    bool has(const char* extension) const;
};
/// timestampPeriod is 0 if the driver's value is not a number of nanoseconds.
DeviceTraits traits_of(VkPhysicalDevice physical);

/// The device's queue families, at most 64; the most that any known device has is 6.
std::vector<VkQueueFamilyProperties> queue_families_of(VkPhysicalDevice physical);

/// The driver's memory properties, limited to the numbers of types and heaps that Vulkan allows.
VkPhysicalDeviceMemoryProperties memory_of(VkPhysicalDevice physical);

/// Invocations of a subgroup; 0 if the device does not report it, or reports what the specification excludes.
uint32_t subgroup_size_of(VkPhysicalDevice physical);

struct Device {
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice handle = VK_NULL_HANDLE;
    DeviceTraits traits;
    VkPhysicalDeviceMemoryProperties memory = {};
    VkQueue queue = VK_NULL_HANDLE;  ///< null if the device has no queue that can transfer
    /// For host image copy: the layouts that it may write and read.
    std::vector<VkImageLayout> host_write_layouts, host_read_layouts;

    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    ~Device();
};

/// The features to enable: those of this program's own shaders, or all that a foreign shader may need (but none that
/// checks bounds, since that would change the measurements).
enum class Features { own, all };

/// Vulkan's functions then belong to this device (volkLoadDevice): only one device at a time.
void open_device(Device& device, VkPhysicalDevice physical, Features features = Features::own);

}  // namespace tilewise::vulkan
