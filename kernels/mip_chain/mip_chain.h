// A mip chain: every level of an image down to one texel, each texel the mean of 2x2 texels of the level above.
//
// A level's size is Vulkan's: half of the one above, rounded down, at least 1. Texel (x, y) is the mean of (2x, 2y) to
// (2x + 1, 2y + 1) of the level above; along a side of one texel, that texel counts twice. On a longer odd side, the
// last texel is in no mean. A chain of dispatches computes this, and so does a chain of blits of the even part of each
// level.
#pragma once
#include "kernels/job.h"
#include "kernels/shader/variant.h"

namespace tilewise::kernels {

constexpr const char* mip_chain_level_name = "one dispatch a level";
/// As exact as a sampler is.
constexpr const char* mip_chain_blits_name = "blits";

/// Copies `source` to level 0 of `levels`, and makes each level from the one above it by vkCmdBlitImage, with barriers
/// between.
void record_blits(VkCommandBuffer commands, const Texture& source, const Texture& levels);
/// Whether the device can do these blits.
bool can_blit(const Context& context, Format format);

/// Needs a smaller level, as all of these jobs do: skipped for 1x1. Throws Error if the device cannot do these blits.
Job mip_chain_blits(ImagePool& pool, Format format, Size size);

/// One dispatch per level, with barriers between; an invocation computes one texel.
Job mip_chain_by_level(ImagePool& pool, Format format, Size size, const Order& order);
Variant mip_chain_level_variant(Format format);

struct MipShape {
    /// The most workgroups; they stride over tiles of 64x64 texels. 0: one workgroup per tile.
    uint32_t workgroups = 264;
    /// How many times 2x2 texels an invocation reads at once: a power of two, 1 to 16.
    uint32_t quads = 4;
    /// The first level is computed from bilinear samples, as exactly as the sampler does it: a quarter of the fetches.
    bool is_sampled = false;
};
/// The shapes that are timed. Fewer samples need fewer registers, so that a workgroup can have more invocations.
constexpr MipShape mip_shapes[] = {{0}, {264}, {0, 2, true}, {396, 2, true}};
constexpr uint32_t mip_chain_invocations(uint32_t quads) { return 1024 / quads; }
/// The name in Job::method; it includes the number of workgroups.
std::string mip_chain_one_name(const MipShape& shape);
/// `levels` is the number of levels to compute.
Variant mip_chain_one_variant(Format format, uint32_t levels, const MipShape& shape);
/// The order of the 32x32 texels of the first level that a workgroup computes: the part of the given order within 8x8,
/// then the rest.
Remap mip_chain_order(const Remap& remap);
std::array<uint32_t, 3> mip_chain_groups(Size size, const MipShape& shape);

/// One dispatch for all levels. Skipped if a shader can have fewer images than there are levels, or a workgroup fewer
/// invocations than needed.
Job mip_chain_one(ImagePool& pool, Format format, Size size, const Order& order, const MipShape& shape = {});

/// All of these jobs that this device allows, in each order.
std::vector<Job> mip_chain_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders);

/// Empty if each texel of `level` is the mean of its texels in `above`, allowing for `roundings` to the format and for
/// `slack`; otherwise names the first texel that is not.
std::string wrong_level(const Texels& above, const Texels& level, double roundings, double slack);

}  // namespace tilewise::kernels
