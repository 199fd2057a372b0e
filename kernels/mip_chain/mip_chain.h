// A mip chain: every level of an image down to one texel, each texel the mean of 2x2 texels of the level above.
//
// A level's size is Vulkan's: half of the one above, rounded down, at least 1. Texel (x, y) is the mean of (2x, 2y) to
// (2x + 1, 2y + 1) of the level above, where a side of one texel counts twice: of an odd side of more, the last texel is
// in no mean. That is what a chain of dispatches does, and a chain of blits of the even part of each level.
#pragma once
#include "kernels/job.h"
#include "kernels/shader/variant.h"

namespace tilewise::kernels {

constexpr const char* mip_chain_level_name = "one dispatch a level";
/// As exact as a sampler is.
constexpr const char* mip_chain_blits_name = "blits";

/// Level 0 of `levels` from `source`, and each level from the one above it, by vkCmdBlitImage, with barriers between.
void record_blits(VkCommandBuffer commands, const Texture& source, const Texture& levels);
/// Whether the device can do so.
bool can_blit(const Context& context, Format format);

/// They need a smaller level: all are skipped for 1x1. Error where the device cannot blit so.
Job mip_chain_blits(ImagePool& pool, Format format, Size size);

/// A dispatch a level, with barriers between; an invocation makes one texel.
Job mip_chain_by_level(ImagePool& pool, Format format, Size size, const Order& order);
Variant mip_chain_level_variant(Format format);

struct MipShape {
    /// There are so many workgroups at most, which stride over tiles of 64x64 texels; 0: one for each tile.
    uint32_t workgroups = 264;
    /// An invocation reads so many times 2x2 texels at once: a power of two, 1 to 16.
    uint32_t quads = 4;
    /// The first level is made of bilinear samples, as exact as the sampler is: a quarter of the fetches.
    bool is_sampled = false;
};
/// Those that are timed. Fewer samples need fewer registers, so that a workgroup can have more invocations.
constexpr MipShape mip_shapes[] = {{0}, {264}, {0, 2, true}, {396, 2, true}};
constexpr uint32_t mip_chain_invocations(uint32_t quads) { return 1024 / quads; }
/// As in Job::method: it tells the workgroups.
std::string mip_chain_one_name(const MipShape& shape);
/// `levels` are to be made.
Variant mip_chain_one_variant(Format format, uint32_t levels, const MipShape& shape);
/// Of the 32x32 texels of the first level that a workgroup makes: what is left of an order within 8x8, then the rest.
Remap mip_chain_order(const Remap& remap);
std::array<uint32_t, 3> mip_chain_groups(Size size, const MipShape& shape);

/// One dispatch for all levels. Skipped where a shader can have fewer images than there are levels, or a workgroup fewer
/// invocations.
Job mip_chain_one(ImagePool& pool, Format format, Size size, const Order& order, const MipShape& shape = {});

/// All of those that this device allows, in each order.
std::vector<Job> mip_chain_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders);

/// Empty where each texel of `level` is the mean of its texels of `above`, off by as much as `roundings` to the format
/// may be, and by `slack`; else the first that is not.
std::string wrong_level(const Texels& above, const Texels& level, double roundings, double slack);

}  // namespace tilewise::kernels
