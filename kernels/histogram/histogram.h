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
    /// There are so many at most; each strides over the image.
    uint32_t workgroups = 1056;
    /// An invocation reads so many texels at a time, a box apart.
    uint32_t along_y = 8;
    /// So many copies of the bins are in a workgroup's shared memory, by invocation.
    uint32_t copies = 1;
};

/// Each texel is counted in memory, one an invocation; then a dispatch of one workgroup computes the exposure.
Job histogram_global(ImagePool& pool, Format format, Size size, const Order& order);

/// Workgroups count in shared memory, and add that to the bins in memory; then as above.
Job histogram_two(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps = {});

/// The same, but the workgroup that ends last computes the exposure.
Job histogram_one(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps = {});

/// The pass over the image, and that for the exposure.
Variant histogram_variant(Format format, const HistogramSteps& steps, bool last_group);
Variant exposure_variant(Format format);

/// One dispatch in each order; the others in one shape of each, those that count in memory in the first order.
std::vector<Job> histogram_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders,
                                const std::vector<Order>& one_of_each);

/// Empty where it is that of the texels; else what is wrong. A texel may be in the next bin only where its luminance is
/// as near to the border as rounding goes; none of bytes.
std::string wrong_histogram(const Texels& texels, const Histogram& histogram);

}  // namespace tilewise::kernels
