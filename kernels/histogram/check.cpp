#include "kernels/histogram/histogram.h"
#include "patterns/model/parallel.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mutex>

namespace tilewise::kernels {

namespace {

constexpr double lowest = -12, stops = 16, middle_grey = 0.18;
constexpr double bins_a_stop = (histogram_bins - 1) / stops;

/// The bins that a texel may be in.
struct BinRange {
    uint32_t first = 0, last = 0;
};

BinRange linear_bin(const float* texel) {
    const auto byte = [](float channel) { return static_cast<uint32_t>(std::lround(channel * 255)); };
    const uint32_t bin = (54 * byte(texel[0]) + 183 * byte(texel[1]) + 19 * byte(texel[2]) + 128) / 256;
    return {bin, bin};
}

BinRange log_bin(const float* texel) {
    const double luminance = 0.2126 * static_cast<double>(texel[0]) + 0.7152 * static_cast<double>(texel[1]) +
                             0.0722 * static_cast<double>(texel[2]);
    if (!(luminance > 0)) return {};
    // In bins: the luminance is rounded to 2^-21 of its value; log2 is off by up to three steps of a float of 8 to 16
    // (Vulkan's precision for log2); the remaining sum and the product are rounded once each.
    const double error = (std::ldexp(1.5, -21) + 3 * std::ldexp(1, -20) + std::ldexp(1, -20)) * bins_a_stop +
                         histogram_bins * std::ldexp(1, -23);
    const double place = (std::log2(luminance) - lowest) * bins_a_stop;
    const auto bin_at = [](double at) {
        return at < 0 ? 0u : 1 + static_cast<uint32_t>(std::min(at, double{histogram_bins - 2}));
    };
    return {bin_at(place - error), bin_at(place + error)};
}

struct Bounds {
    std::array<uint64_t, histogram_bins> by_first = {}, by_last = {};
};

Bounds bounds_of(const Texels& texels) {
    Bounds bounds;
    std::mutex mutex;
    for_rows(texels.size.height, [&](uint32_t first_row, uint32_t end_row) {
        Bounds own;
        for (uint32_t y = first_row; y < end_row; ++y) {
            const std::vector<float> channels = channels_of(texels, y, y + 1);
            for (size_t i = 0; i < channels.size(); i += 4) {
                const BinRange range =
                    texels.format == Format::rgba8 ? linear_bin(&channels[i]) : log_bin(&channels[i]);
                ++own.by_first[range.first];
                ++own.by_last[range.last];
            }
        }
        const std::scoped_lock lock(mutex);
        for (size_t bin = 0; bin < histogram_bins; ++bin) {
            bounds.by_first[bin] += own.by_first[bin];
            bounds.by_last[bin] += own.by_last[bin];
        }
    });
    return bounds;
}

/// Computed from the bins that were returned: they are right.
double average_of(const Histogram& histogram, bool is_linear) {
    double weighted = 0, counted = 0;
    for (uint32_t bin = is_linear ? 0 : 1; bin < histogram_bins; ++bin) {
        weighted += double{1} * bin * histogram.texels[bin];
        counted += histogram.texels[bin];
    }
    if (counted == 0) return 0;
    const double mean = weighted / counted;
    return is_linear ? mean / 255 : std::exp2((mean - 0.5) / bins_a_stop + lowest);
}

std::string wrong_number(const char* name, float is, double should) {
    constexpr double float_arithmetic = 1e-4;  // for exp2, sums and quotients
    const bool is_near = std::abs(static_cast<double>(is) - should) <= float_arithmetic * std::abs(should);
    return is_near ? std::string() : fmt::format("the {} is {}, should be {}", name, is, should);
}

}  // namespace

std::string wrong_histogram(const Texels& texels, const Histogram& histogram) {
    const Bounds bounds = bounds_of(texels);
    uint64_t up_to = 0, at_most = 0, at_least = 0;
    for (size_t bin = 0; bin < histogram_bins; ++bin) {
        up_to += histogram.texels[bin];
        at_most += bounds.by_first[bin];
        at_least += bounds.by_last[bin];
        if (up_to < at_least || up_to > at_most)
            return fmt::format("bins 0 to {} have {} texels, should have {}{}", bin, up_to, at_least,
                               at_most > at_least ? fmt::format(" to {}", at_most) : "");
    }
    const double average = average_of(histogram, texels.format == Format::rgba8);
    std::string wrong = wrong_number("average luminance", histogram.average, average);
    if (wrong.empty())
        wrong = wrong_number("exposure", histogram.exposure, middle_grey / std::max(average, std::exp2(lowest)));
    return wrong;
}

}  // namespace tilewise::kernels
