// A histogram of an image's luminance in 256 bins, and the exposure that follows from it.
//
// Of R8G8B8A8 the bins are those of luminance in bytes, (54 r + 183 g + 19 b + 128) / 256 rounded down: whole numbers,
// the same on every device. Of floats they are those of log2 of 0.2126 r + 0.7152 g + 0.0722 b, as passes of automatic
// exposure have them: bin 0 is below 2^-12, each other one is 16/255 of a stop, the last one has all above.
#pragma once
#include "kernels/job.h"
#include "kernels/shader/variant.h"
#include <span>

namespace tilewise::kernels {

constexpr uint32_t histogram_bins = 256;
/// As in histogram.comp, `Result`.
struct Histogram {
    std::array<uint32_t, histogram_bins> texels = {};
    /// Of the luminance, each texel counting as its bin's middle; those of bin 0 do not count in bins of log2.
    float average = 0;
    float exposure = 0;
};

constexpr const char* histogram_one_name = "groupshared, one dispatch";
constexpr const char* histogram_two_name = "groupshared, two dispatches";

/// What a pass over the image is made of; the order gives the invocations of a workgroup.
struct HistogramSteps {
    /// There are as many workgroups as have so many together, at most; each strides over the image.
    uint32_t invocations = 1056 * 256;
    /// An invocation reads so many texels at a time, a box apart.
    uint32_t along_y = 8;
    /// So many sets of bins are in memory, each for its share of the workgroups.
    uint32_t sets = 8;
};
uint32_t histogram_workgroups(const HistogramSteps& steps, uint32_t invocations);
/// Of the bins in memory, and the counter of workgroups.
VkDeviceSize histogram_bytes(const HistogramSteps& steps);

/// Workgroups count in shared memory, and add that to the bins in memory; then a dispatch of one workgroup computes the
/// exposure.
Job histogram_two(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps = {});

/// The same, but the workgroup that ends last computes the exposure.
Job histogram_one(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps = {});

/// The pass over the image, and that for the exposure.
Variant histogram_variant(Format format, const HistogramSteps& steps, bool last_group);
Variant exposure_variant(Format format, const HistogramSteps& steps);

/// One dispatch in each order, two in the first one.
std::vector<Job> histogram_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders);

/// Empty where it is that of the texels; else what is wrong. A texel may be in the next bin only where its luminance is
/// as near to the border as rounding goes; none of bytes.
std::string wrong_histogram(const Texels& texels, const Histogram& histogram);

}  // namespace tilewise::kernels
