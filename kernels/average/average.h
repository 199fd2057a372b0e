// The mean of an image's texels, computed by every method that GPUs have used.
#pragma once
#include "kernels/job.h"
#include "kernels/shader/variant.h"

namespace tilewise::kernels {

/// The most texels for methods that sum them all in one invocation. They are slow, and one sum of n float32 numbers is
/// off by up to n 2^-24 of it.
constexpr uint64_t max_texels_in_one_sum = 1 << 16;
/// Skipped if the driver would end its loops too early (Context::max_loop_iterations).
Job average_one_invocation(ImagePool& pool, Format format, Size size);

/// One invocation per row or column; then one invocation adds up their sums.
Job average_by_row(ImagePool& pool, Format format, Size size);
Job average_by_column(ImagePool& pool, Format format, Size size);

/// Workgroups add up through shared memory, eight texels per invocation; then one workgroup adds up their sums.
Job average_shared(ImagePool& pool, Format format, Size size, const Order& order);

/// The parts of one dispatch with subgroup arithmetic; the order gives the invocations of a workgroup.
struct AverageSteps {
    /// The most workgroups that are dispatched; each strides over the image.
    uint32_t workgroups = 1056;
    /// The number of texels that an invocation reads at a time, one box apart.
    uint32_t along_x = 1, along_y = 8;
};
constexpr const char* average_subgroups_name = "subgroups, one dispatch";
Variant average_subgroups_variant(const AverageSteps& steps);
/// Throws Error if the device has no subgroup arithmetic.
Job average_subgroups(ImagePool& pool, Format format, Size size, const Order& order, const AverageSteps& steps = {});

/// Linear blits halve the image until one texel is left; each level is rounded to the format. Only sides that are
/// powers of two give each texel the same weight: throws UsageError for others, and Error if the device cannot do these
/// blits.
Job average_mip_chain(ImagePool& pool, Format format, Size size);

/// One point per texel, blended additively into one texel. It has the same limit as one invocation; where blending is
/// in order, it is no faster than that. Throws Error if the device cannot draw this.
Job average_blending(ImagePool& pool, Format format, Size size);

/// All of these jobs that this device and size allow.
std::vector<Job> average_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders);

std::array<double, 4> mean_of(const Texels& texels);

}  // namespace tilewise::kernels
