// The blur of bloom passes: a dual filter (Marius Bjorge, "Bandwidth-Efficient Rendering", SIGGRAPH 2015), five levels
// down and up again.
//
// Levels have Vulkan's sizes. Downwards, a texel combines the sample at its place (weight 4) and the four samples half
// of its own side away along both axes (weight 1). Upwards, it combines the four samples one source texel away along
// one axis (weight 1) and the four half a source texel away along both axes (weight 2). These are bilinear samples of
// the level before; beyond an edge, the edge's texels count.
#pragma once
#include "kernels/image/check.h"
#include "kernels/shader/variant.h"

namespace tilewise::kernels {

/// How many levels there are down, and up again: five, or as many as the image has.
uint32_t bloom_levels(Size size);

enum class BloomStep { down, up };
/// How a sample is obtained.
enum class BloomTaps { sampler, fetches };
std::string bloom_name(BloomTaps taps);

Variant bloom_variant(Format format, BloomStep step, BloomTaps taps);

/// One dispatch per step, one texel per invocation. Skipped for an image of one texel, which has no levels, and if the
/// sampler has no bilinear filter for the format.
Job bloom_direct(ImagePool& pool, const References& references, Format format, Size size, const Order& order,
                 BloomTaps taps = BloomTaps::sampler);

/// With the sampler in each order; with fetches in one order of each name.
std::vector<Job> bloom_jobs(ImagePool& pool, const References& references, Format format, Size size,
                            const std::vector<Order>& orders, const std::vector<Order>& one_of_each);

/// Empty if `to` follows from `from` by one step, within the precision of the sampler's coordinates (8 bits) and of the
/// format; otherwise names the first texel that is wrong.
std::string wrong_bloom_step(const Texels& from, const Texels& to, BloomStep step);

}  // namespace tilewise::kernels
