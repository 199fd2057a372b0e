// What is checked and timed: a kernel, in one order, over one image; and what jobs of one run share.
#pragma once
#include "kernels/buffer.h"
#include "kernels/image/texture.h"
#include "kernels/reference.h"
#include "kernels/shader/order.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace tilewise::kernels {

struct Job {
    std::string kernel;         ///< "box", "gaussian", "bilateral", "average", "brightest", or a user's filter
    std::string method;         ///< "direct", "running sums", ...: how it is computed
    std::string order;          ///< see Order; empty where the method has an order of its own
    Coord shape = unit_extent;  ///< texels of a workgroup's box
    uint32_t invocations = 0;   ///< of a workgroup
    Format format = Format::rgba8;
    Size size;
    uint32_t radius = 0;
    uint32_t memory_type = 0;    ///< of the source
    uint64_t minimum_bytes = 0;  ///< minimum traffic: the source is read once, the result written once

    /// Records the whole kernel, with the barriers between its own passes, but none before or after.
    std::function<void(VkCommandBuffer)> record;
    /// Runs it once over a poisoned result and compares with the reference, or with the digest of an image that was right
    /// before. Empty: right; else the first texel that differs, in words.
    std::function<std::string()> check;
};

struct ComputePass;

/// A result that was right, within the tolerance of so many additions and with so much slack (see reference.h).
struct RightImage {
    uint64_t digest = 0;
    uint32_t additions = 0;
    double slack = 0;
};

/// What several jobs must give.
struct Expected {
    std::vector<float> channels;  ///< the reference's; empty until they are wanted
    std::vector<RightImage> right;
};

/// Images and buffers that jobs share; made where they are first asked for.
struct Workspace {
    Context& context;
    std::map<std::tuple<Format, Size>, std::shared_ptr<const Texels>> texels;
    std::map<std::tuple<Format, Size>, std::shared_ptr<Texture>> sources, results, scratch;
    std::map<std::tuple<Format, Size, uint32_t>, std::shared_ptr<Texture>> targets = {};
    std::map<std::string, Expected> expected = {};  ///< by Expectation::key
    std::map<std::shared_ptr<const Texture>, std::shared_ptr<const ComputePass>> digests = {};
    std::map<std::tuple<std::string, VkDeviceSize>, std::shared_ptr<DeviceBuffer>> buffers = {};
};
std::shared_ptr<const Texels> source_texels(Workspace& workspace, Format format, Size size);  ///< random
std::shared_ptr<Texture> source_texture(Workspace& workspace, Format format, Size size);      ///< those, uploaded
std::shared_ptr<Texture> result_texture(Workspace& workspace, Format format, Size size);
std::shared_ptr<Texture> scratch_texture(Workspace& workspace, Format format, Size size);  ///< between two passes
/// As result (0) or scratch (1) of methods that draw.
std::shared_ptr<Texture> target_texture(Workspace& workspace, Format format, Size size, uint32_t which);
/// `use` keeps buffers of one size apart.
std::shared_ptr<DeviceBuffer> device_buffer(Workspace& workspace, const std::string& use, VkDeviceSize bytes);
/// Lets go of all images and buffers: jobs that have them keep them.
void release(Workspace& workspace);

}  // namespace tilewise::kernels
