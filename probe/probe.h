// Probing: takes a Vulkan device and gives a table (element -> byte offset) for each image.
//
// Vulkan never runs in the calling process: a driver may abort, hang or lose its device. So every call goes to a worker
// process, and a worker that dies is replaced.
#pragma once
#include "patterns/model/usage_sizes.h"
#include "probe/case.h"
#include "probe/device_info.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "probe/reading.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewise::probe {

/// What to probe; the plan chooses whatever is left out.
struct Request {
    std::vector<std::string> formats = {"common"};  ///< names, or the sets "common" and "all"
    std::vector<Extent_px> extents;                 ///< empty: default_extents()
    std::optional<ImageType> type;                  ///< none: 3D if the depth is over 1, otherwise 2D
    uint32_t usage = 0;         ///< 0: transfer, sampled and, if the format allows, storage. Transfer is always added
    std::vector<Route> routes;  ///< empty: all that the device offers
    std::vector<uint32_t> memory_types;  ///< empty: every device-local type (any type if none is device-local)
    uint32_t levels = 1, layers = 1, samples = 1;
    uint32_t flags = 0;               ///< VkImageCreateFlags
    uint32_t compression = 0;         ///< VkImageCompressionFlagsEXT
    uint64_t modifier = no_modifier;  ///< DRM format modifier, instead of optimal tiling
};

/// A power of two, sizes that are not powers of two, one wider than high and one higher than wide.
std::span<const Extent_px> default_extents(ImageType type = ImageType::two_d);

namespace worker {
struct Pool;
}

constexpr std::chrono::milliseconds default_timeout = std::chrono::seconds(20);

/// The worker processes; they end with this object. One thread at a time may use it.
struct Workers {
    /// A worker that does not reply within the timeout is killed.
    explicit Workers(std::chrono::milliseconds timeout = default_timeout);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Starts the workers that `run` will need.
    void prepare(unsigned jobs);

    std::unique_ptr<worker::Pool> pool;
};

/// Throws Error if there is no Vulkan loader or no device, or if the loader or a driver crashed its process.
std::vector<DeviceInfo> list_devices(Workers& workers);

/// Asks how much memory images of the format need with each of the usages (VkImageUsageFlags). The results are ordered
/// by usage, then by image; 0 bytes means that the device does not offer the image. Throws Error if the driver crashes
/// its process.
std::vector<ImageSize> image_sizes(Workers& workers, const DeviceInfo& device, uint32_t format,
                                   const std::vector<uint32_t>& usages, const std::vector<ImageShape>& images);

/// The cases of a request, without duplicates; those most likely to be readable come first. An image that the device
/// does not offer still makes one case, whose reading is `unsupported` and says why. Images have no more levels than
/// their extent, samples and format allow. Throws UsageError for an unknown format, an extent of 0 or beyond the
/// device's limits, or a memory type that does not exist.
std::vector<Case> plan(Workers& workers, const DeviceInfo& device, const Request& request);

/// Runs the cases on up to `jobs` workers and calls `done` on the calling thread for each case as it finishes. Returns
/// early, without the cases under way, soon after *stop becomes true. An exception from `done` ends the run and is
/// passed on.
void run(Workers& workers, std::span<const Case> cases, unsigned jobs, const std::function<void(Reading&&)>& done,
         const std::atomic<bool>* stop = nullptr);

}  // namespace tilewise::probe
