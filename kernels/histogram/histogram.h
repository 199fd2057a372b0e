// A histogram of an image's luminance in 256 bins, and the exposure that follows from it.
//
// For R8G8B8A8, the bins are those of luminance in bytes, (54 r + 183 g + 19 b + 128) / 256 rounded down: integers, the
// same on every device. For floats, they are those of log2 of 0.2126 r + 0.7152 g + 0.0722 b, as in passes of automatic
// exposure: bin 0 is below 2^-12, each other bin is 16/255 of a stop wide, and the last one contains everything above.
#pragma once
#include "kernels/job.h"
#include "kernels/shader/variant.h"
#include <span>

namespace tilewise::kernels {

constexpr uint32_t histogram_bins = 256;
/// As in histogram.comp, `Result`.
struct Histogram {
    std::array<uint32_t, histogram_bins> texels = {};
    /// The average luminance, with each texel counted as its bin's middle. With log2 bins it is the geometric mean: 2 to
    /// the mean of log2, without the texels in bin 0.
    float average = 0;
    float exposure = 0;
};

constexpr const char* histogram_one_name = "groupshared, one dispatch";
constexpr const char* histogram_two_name = "groupshared, two dispatches";

/// The parts of a pass over the image; the order gives the invocations of a workgroup.
struct HistogramSteps {
    /// There are at most as many workgroups as have this many invocations together; each strides over the image.
    uint32_t invocations = 1056 * 256;
    /// The number of texels that an invocation reads at a time, one box apart.
    uint32_t along_y = 8;
    /// The number of sets of bins in memory, each for its share of the workgroups.
    uint32_t sets = 8;
};
uint32_t histogram_workgroups(const HistogramSteps& steps, uint32_t invocations);
/// Bytes of the bins in memory and of the workgroup counter.
VkDeviceSize histogram_bytes(const HistogramSteps& steps);

/// Workgroups count in shared memory, then add their counts to the bins in memory; a second dispatch of one workgroup
/// computes the exposure.
Job histogram_two(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps = {});

/// The same, but the workgroup that ends last computes the exposure.
Job histogram_one(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps = {});

/// The pass over the image, and the pass for the exposure.
Variant histogram_variant(Format format, const HistogramSteps& steps, bool last_group);
Variant exposure_variant(Format format, const HistogramSteps& steps);

/// The one-dispatch method in each order, the two-dispatch method in the first one.
std::vector<Job> histogram_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders);

/// Empty if the histogram is that of the texels; otherwise says what is wrong. A texel may be in the next bin only if
/// its luminance is as close to the border as rounding allows; never for bytes.
std::string wrong_histogram(const Texels& texels, const Histogram& histogram);

}  // namespace tilewise::kernels
