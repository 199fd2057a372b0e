// The blur of bloom passes: a dual filter (Marius Bjorge, "Bandwidth-Efficient Rendering", SIGGRAPH 2015), five levels
// down and up again.
//
// Levels have Vulkan's sizes. Down, a texel is of its place (weight 4) and of the four places half of its own side away
// along both axes (weight 1); up, of the four places a source's texel away along one axis (weight 1) and the four half of
// one away along both (weight 2): bilinear samples of the level before, beyond an edge the edge's texels.
#pragma once
#include "kernels/image/check.h"
#include "kernels/shader/variant.h"

namespace tilewise::kernels {

/// How many there are down, and up again: five, or as many as the image has.
uint32_t bloom_levels(Size size);

enum class BloomStep { down, up };
/// How a sample is had.
enum class BloomTaps { sampler, fetches };
std::string bloom_name(BloomTaps taps);

Variant bloom_variant(Format format, BloomStep step, BloomTaps taps);

/// A dispatch a step, a texel an invocation. Skipped for one texel, which has no levels, and where the sampler has no
/// bilinear filter for the format.
Job bloom_direct(ImagePool& pool, const References& references, Format format, Size size, const Order& order,
                 BloomTaps taps = BloomTaps::sampler);

/// By the sampler in each order, by fetches in one shape of each.
std::vector<Job> bloom_jobs(ImagePool& pool, const References& references, Format format, Size size,
                            const std::vector<Order>& orders, const std::vector<Order>& one_of_each);

/// Empty where `to` is made of `from` by a step, within the precision of the sampler's places (8 bits) and of the
/// format; else the first texel that is not.
std::string wrong_bloom_step(const Texels& from, const Texels& to, BloomStep step);

}  // namespace tilewise::kernels
