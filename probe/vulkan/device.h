// The instance, a device with one queue, and what of it the rest needs to know.
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

/// Throws Error where there is no loader, no driver or no device. One instance at a time (volk keeps it).
void open_instance(Instance& instance);

/// The features of an optional extension are asked for only where the device has it.
struct DeviceTraits {
    VkPhysicalDeviceProperties properties = {};
    std::vector<std::string> extensions;
    bool format_features2 = false;         ///< VkFormatProperties3 may be asked for
    bool host_image_copy = false;          ///< as an extension or as Vulkan 1.4's feature
    bool host_image_copy_is_core = false;  ///< without the extension
    bool maintenance5 = false;             ///< A8_UNORM and A1B5G5R5 exist
    bool formats_4444 = false;             ///< A4R4G4B4 and A4B4G4R4 exist
    bool formats_2plane_444 = false;       ///< G8_B8R8_2PLANE_444 and its wider kin exist
    bool compression_control = false;      ///< images can be made with and without compression
    VkPhysicalDeviceFeatures features = {};
    bool device_clock = false;             ///< shaders can read a clock that is one for the whole device
    bool sm_builtins = false;              ///< shaders can read the number of their multiprocessor (NVIDIA)
    bool pipeline_statistics = false;      ///< the driver tells what the compiler made of a pipeline's shaders
    std::optional<uint32_t> queue_family;  ///< one that can transfer; compute before graphics before others
    VkQueueFlags queue_flags = 0;          ///< of that family
    bool has(const char* extension) const;
};
/// With a timestampPeriod of 0 where the driver's is no number of nanoseconds.
DeviceTraits traits_of(VkPhysicalDevice physical);

/// Those of the device, 64 at most: of any device that is known, 6.
std::vector<VkQueueFamilyProperties> queue_families_of(VkPhysicalDevice physical);

/// What a driver says of its memory, and no more types and heaps than Vulkan allows.
VkPhysicalDeviceMemoryProperties memory_of(VkPhysicalDevice physical);

/// Invocations of a subgroup; 0 where the device does not say, or says what the specification excludes.
uint32_t subgroup_size_of(VkPhysicalDevice physical);

struct Device {
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice handle = VK_NULL_HANDLE;
    DeviceTraits traits;
    VkPhysicalDeviceMemoryProperties memory = {};
    VkQueue queue = VK_NULL_HANDLE;  ///< null where the device has no queue that can transfer
    /// Host image copy: the layouts that it may write and read.
    std::vector<VkImageLayout> host_write_layouts, host_read_layouts;

    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    ~Device();
};

/// The features that are switched on: those of this program's own shaders, or all that a stranger's may need (but none
/// that checks bounds, which would change what is measured).
enum class Features { own, all };

/// Vulkan's functions then belong to this device (volkLoadDevice): one device at a time.
void open_device(Device& device, VkPhysicalDevice physical, Features features = Features::own);

}  // namespace tilewise::vulkan
