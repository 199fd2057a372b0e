// Probing: a Vulkan device in, for each image a table (element -> byte offset) out.
//
// Vulkan never runs in the calling process: a driver may abort, hang or lose its device, so every call goes to worker
// processes (forked, not exec'd) that are replaced when they die. Vulkan's enums and flags appear here as their
// numbers, so that no Vulkan header is needed to use this one.
#pragma once
#include "patterns/model/table.h"
#include "probe/formats.h"
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::probe {

/// A way of reading the bytes behind an element.
///   alias      a buffer over the image's memory; the GPU copies texels in and bytes out
///   alias_map  the same, but the bytes are read from the mapped memory
///   host_copy  the CPU copies texels in (VK_EXT_host_image_copy), the bytes are read from the mapped memory
enum class Route { alias, alias_map, host_copy };
constexpr Route all_routes[] = {Route::alias, Route::alias_map, Route::host_copy};
const char* route_name(Route route);       ///< "alias", "alias-map", "host-copy"
Route route_named(std::string_view name);  ///< throws UsageError naming those that exist

/// VkImageUsageFlags by name: "sampled,storage,color,transfer-src,..". Throws UsageError naming those that exist.
uint32_t usage_named(std::string_view comma_separated);
std::string usage_names(uint32_t usage);  ///< "transfer-src,transfer-dst,sampled"

// ---------------------------------------------------------------------------------------------------------- devices

struct MemoryType {
    uint32_t flags = 0;  ///< VkMemoryPropertyFlags
    uint32_t heap = 0;
    uint64_t heap_bytes = 0;
};
std::string memory_flag_names(uint32_t flags);  ///< "device-local,host-visible"; "none"

struct QueueFamily {
    uint32_t flags = 0;  ///< VkQueueFlags
    uint32_t count = 0;
    uint32_t timestamp_bits = 0;  ///< 0: no timestamps
};
std::string queue_flag_names(uint32_t flags);  ///< "graphics,compute,transfer"

struct RouteSupport {
    Route route = Route::alias;
    bool offered = false;
    std::string reason;  ///< why not; empty where it is offered
};

struct FormatSupport {
    uint32_t format = 0;    ///< VkFormat
    uint64_t features = 0;  ///< VkFormatFeatureFlags2 of optimal tiling
};

struct DeviceInfo {
    uint32_t index = 0;  ///< place in Vulkan's enumeration
    std::string name;
    uint32_t vendor_id = 0, device_id = 0;
    std::string type;                                           ///< "integrated", "discrete", "virtual", "cpu", "other"
    uint32_t api_version = 0;                                   ///< as VK_MAKE_API_VERSION packs it; see version_text
    uint32_t driver_id = 0;                                     ///< VkDriverId; 0 where the device does not say
    std::string driver_name, driver_info;                       ///< "NVIDIA", "580.159.04"
    uint32_t driver_version = 0;                                ///< the vendor packs it as it likes
    std::string device_uuid, driver_uuid, pipeline_cache_uuid;  ///< 32 hexadecimal digits each
    std::string tiling_layout_uuid;  ///< VkPhysicalDeviceHostImageCopyProperties; empty without host image copy
    bool identical_memory_type_requirements = false;  ///< likewise: HOST_TRANSFER usage changes no memory type
    uint32_t max_dimension_2d = 0, max_dimension_3d = 0, max_layers = 0;
    float timestamp_period = 0;  ///< nanoseconds a tick
    uint32_t subgroup_size = 0;
    uint32_t max_invocations = 0;                 ///< of a workgroup
    std::array<uint32_t, 3> max_group_size = {};  ///< of a workgroup, along x, y and z
    std::vector<RouteSupport> routes;             ///< one for each of all_routes
    std::vector<MemoryType> memory_types;
    std::vector<QueueFamily> queues;
    std::vector<std::string> extensions;  ///< those that matter to probing
    std::vector<FormatSupport> formats;   ///< known formats with any feature in optimal tiling
};
std::string version_text(uint32_t packed);       ///< "1.4.312"
std::string driver_id_name(uint32_t driver_id);  ///< "MESA_RADV"; empty for 0 and for ids that the headers do not know

// ------------------------------------------------------------------------------------------------------------- cases

struct Extent {
    uint32_t width = 1, height = 1, depth = 1;
    bool operator==(const Extent&) const = default;
};

struct Image {
    uint32_t format = 0;  ///< VkFormat
    bool is_3d = false;
    Extent extent;  ///< texels of level 0
    uint32_t levels = 1, layers = 1, samples = 1;
    uint32_t usage = 0;  ///< VkImageUsageFlags
    bool operator==(const Image&) const = default;
};

/// One probe of one subresource by one route.
struct Case {
    uint32_t device = 0;  ///< DeviceInfo::index
    Image image;
    uint32_t level = 0, layer = 0;
    Route route = Route::alias;
    int memory_type = -1;  ///< -1: the first that the route can use
    bool operator==(const Case&) const = default;
};
std::string case_name(const Case& c);  ///< "R8G8B8A8_UNORM 300x200 alias, memory type 1"

enum class Outcome {
    read,             ///< the table is worth solving (it may still have faults: then there is no fit)
    opaque,           ///< something was written, but it is not the texels: compressed or encrypted
    nothing_written,  ///< the sentinel stood everywhere
    unsupported,      ///< with Vulkan's reason
    crashed,          ///< the driver took its process down
    timed_out,
};
const char* outcome_name(
    Outcome outcome);  ///< "read", "opaque", "nothing-written", "unsupported", "crashed", "timed-out"

struct Reading {
    Case probed;
    Outcome outcome = Outcome::unsupported;
    std::string reason;  ///< one line; empty only for a read without remarks
    Table table;         ///< offsets count from the start of the image's memory; empty where nothing was read
    uint64_t found = 0, missing = 0, doubled = 0;  ///< elements
    uint64_t foreign = 0, sentinel = 0;  ///< places that hold no element: something else, or what was pre-filled
    uint64_t image_bytes = 0;            ///< VkMemoryRequirements::size
    int memory_type = -1;                ///< the one used; -1 where it never came so far
    /// What the raw copy (host image copy with MEMCPY) showed beside the mapped memory: "" not tried (over 128 KiB),
    /// "agrees", "linear" (the driver ignores the flag: proves nothing), "differs".
    std::string raw_copy;
    double seconds = 0;
};

/// Element by element: none where both readings of one image and subresource put every element at the same offset;
/// else one line that names the first element that differs, and how many do. Readings that are not `read` agree with
/// all.
std::optional<std::string> disagreement(const Reading& a, const Reading& b);

// ---------------------------------------------------------------------------------------------------------- the work

/// What to probe; what is left out is chosen by the plan.
struct Request {
    std::vector<std::string> formats = {"common"};  ///< names, or the sets "common" and "all"
    std::vector<Extent> extents;                    ///< empty: default_extents(); a depth over 1 makes a 3D image
    uint32_t usage = 0;  ///< 0: transfer, sampled and, where the format allows, storage. Transfer is always added
    std::vector<Route> routes;           ///< empty: all that the device offers
    std::vector<uint32_t> memory_types;  ///< empty: every device-local type (any type where none is device-local)
    uint32_t levels = 1, layers = 1, samples = 1;
};

/// A power of two, sizes that are none, wider than high and higher than wide.
std::span<const Extent> default_extents();

struct Pool;  ///< probe/worker.h

/// The worker processes; they end with this object. One thread at a time may use it.
struct Workers {
    /// A worker that does not answer a case within the limit is killed.
    explicit Workers(std::chrono::milliseconds time_limit = std::chrono::seconds(20));
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    std::unique_ptr<Pool> pool;
};

/// Throws Error where there is no Vulkan loader, no device, or where the loader or a driver took its process down.
std::vector<DeviceInfo> list_devices(Workers& workers);

/// The cases of a request, those most likely to be readable first, none twice. A format that the device does not offer
/// for the usage still makes one case, whose reading says `unsupported`; the set `all` leaves such formats out. Images
/// have no more levels than their extent allows.
/// Throws UsageError: unknown format, extent of 0 or beyond the device's limits, memory type that does not exist.
std::vector<Case> plan(Workers& workers, const DeviceInfo& device, const Request& request);

/// Runs the cases on up to `jobs` workers and calls `done` on the calling thread for each, as they finish. Returns
/// early, without the cases under way, soon after *stop becomes true. An exception from `done` ends the run and is passed on.
void run(Workers& workers, std::span<const Case> cases, unsigned jobs, const std::function<void(Reading&&)>& done,
         const std::atomic<bool>* stop = nullptr);

}  // namespace tilewise::probe
