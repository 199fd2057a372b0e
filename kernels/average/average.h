// The mean of an image's texels, in every way that the devices have gone through.
#pragma once
#include "kernels/job.h"
#include "kernels/shader/variant.h"

namespace tilewise::kernels {

/// One invocation, all texels. It is slow, and one sum of n float32 numbers is off by up to n 2^-24 of it: hence a
/// limit.
constexpr uint64_t max_texels_in_one_sum = 1 << 16;
/// Skipped where the driver would end its loops too early (Context::max_loop_iterations).
Job average_one_invocation(ImagePool& pool, Format format, Size size);

/// An invocation for each row or column; then one invocation adds up their sums.
Job average_by_row(ImagePool& pool, Format format, Size size);
Job average_by_column(ImagePool& pool, Format format, Size size);

/// Workgroups that add up through shared memory, eight texels an invocation; then one workgroup for their sums.
Job average_shared(ImagePool& pool, Format format, Size size, const Order& order);

/// What one dispatch with subgroup arithmetic is made of; the order gives the invocations of a workgroup.
struct AverageSteps {
    /// There are so many at most; each strides over the image.
    uint32_t workgroups = 1056;
    /// An invocation reads so many texels at a time, a box apart.
    uint32_t along_x = 1, along_y = 8;
};
constexpr const char* average_subgroups_name = "subgroups, one dispatch";
Variant average_subgroups_variant(const AverageSteps& steps);
/// Throws Error where the device has no subgroup arithmetic.
Job average_subgroups(ImagePool& pool, Format format, Size size, const Order& order, const AverageSteps& steps = {});

/// Halved by linear blits until one texel is left; each level is rounded to the format. Only sides that are powers of
/// two give each texel the same weight: UsageError for others. Error where the device cannot blit so.
Job average_mip_chain(ImagePool& pool, Format format, Size size);

/// A point for each texel, blended additively into one texel. Same limit as one invocation, which it is no faster than
/// where blending is in order. Error where the device cannot draw so.
Job average_blending(ImagePool& pool, Format format, Size size);

/// All of those that this device and size allow.
std::vector<Job> average_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders);

std::array<double, 4> mean_of(const Texels& texels);

}  // namespace tilewise::kernels
