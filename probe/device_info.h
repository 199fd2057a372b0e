// What a device reports about itself. Vulkan's enums and flags are plain numbers here, so this header needs no Vulkan
// header.
#pragma once
#include "probe/case.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise::probe {

struct MemoryType {
    uint32_t flags = 0;  ///< VkMemoryPropertyFlags
    uint32_t heap = 0;
    uint64_t heap_bytes = 0;
};

struct QueueFamily {
    uint32_t flags = 0;  ///< VkQueueFlags
    uint32_t count = 0;
    uint32_t timestamp_bits = 0;  ///< 0: no timestamps
};

struct RouteSupport {
    Route route = Route::alias;
    bool offered = false;
    std::string reason;  ///< why not; empty if it is offered
};

struct ModifierSupport {
    uint64_t modifier = no_modifier;
    uint32_t planes = 1;    ///< of memory: more than the format has if there is metadata
    uint64_t features = 0;  ///< VkFormatFeatureFlags2 for images with this modifier
    /// The largest 2D image with the usages that these features allow; 0 if the device offers none.
    std::array<uint32_t, 2> max_extent_px = {};
    uint32_t max_levels = 0, max_layers = 0;
};

struct FormatSupport {
    uint32_t format = 0;    ///< VkFormat
    uint64_t features = 0;  ///< VkFormatFeatureFlags2 of optimal tiling
    std::vector<ModifierSupport> modifiers;
};

struct DeviceInfo {
    uint32_t index = 0;  ///< position in Vulkan's enumeration
    std::string name;
    uint32_t vendor_id = 0, device_id = 0;
    std::string type;                                           ///< "integrated", "discrete", "virtual", "cpu", "other"
    uint32_t api_version = 0;                                   ///< as VK_MAKE_API_VERSION packs it; see version_text
    uint32_t driver_id = 0;                                     ///< VkDriverId; 0 if the device does not report it
    std::string driver_name, driver_info;                       ///< "NVIDIA", "580.159.04"
    uint32_t driver_version = 0;                                ///< in the vendor's own packing
    std::string device_uuid, driver_uuid, pipeline_cache_uuid;  ///< 32 hexadecimal digits each
    std::string pci_address;         ///< "0000:3b:00.0"; empty if the device does not report it
    std::string tiling_layout_uuid;  ///< VkPhysicalDeviceHostImageCopyProperties; empty without host image copy
    bool identical_memory_type_requirements = false;  ///< likewise: HOST_TRANSFER usage changes no memory type
    uint32_t max_dimension_2d = 0, max_dimension_3d = 0, max_layers = 0;
    float timestamp_period = 0;  ///< nanoseconds per tick
    uint32_t subgroup_size = 0;
    uint32_t max_invocations = 0;                 ///< of a workgroup
    std::array<uint32_t, 3> max_group_size = {};  ///< of a workgroup, along x, y and z
    std::vector<RouteSupport> routes;             ///< one for each of all_routes
    std::vector<MemoryType> memory_types;
    std::vector<QueueFamily> queues;
    std::vector<std::string> extensions;  ///< those relevant to probing
    std::vector<FormatSupport> formats;   ///< known formats with any feature in optimal tiling
};

}  // namespace tilewise::probe
