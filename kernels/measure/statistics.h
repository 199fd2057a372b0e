// What can be said about a kernel's time from samples. Nothing here runs anything.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewise::kernels {

/// For an even number of values, the mean of the middle two; NaN for none.
double median(std::span<const double> values);

/// The true median lies between the smallest and the largest of n samples with a probability of 1 - 2^(1-n): fewer
/// samples than this say nothing with 95% confidence.
constexpr size_t min_samples_for_interval = 6;

/// A value and the interval in which it lies with 95% confidence: from 0 to infinity with fewer than
/// `min_samples_for_interval` samples. NaN without samples.
struct Estimate {
    double value = 0;
    double low = 0, high = 0;
};

/// The interval in the form in which it is stored: 0 to 0 if nothing is known.
std::array<double, 2> finite_ends(const Estimate& estimate);

/// (high - low) / 2 / value.
double relative_half_width(const Estimate& estimate);

/// The median, and a percentile bootstrap of it: 2,000 resamples, the middle 95% of their medians (B. Efron, "Bootstrap
/// Methods: Another Look at the Jackknife", 1979). The same samples and seed give the same interval everywhere.
Estimate median_estimate(std::span<const double> samples, uint64_t seed = 1);

/// median(baseline) / median(samples): how many times faster than the baseline. Both sides are resampled.
Estimate speedup(std::span<const double> baseline, std::span<const double> samples, uint64_t seed = 1);

enum class Verdict { faster, slower, no_difference };
/// "faster", "slower" or "no difference".
const char* verdict_name(Verdict verdict);

/// `faster` or `slower` only if the whole interval of the speedup is further from 1 than `threshold`.
Verdict verdict(const Estimate& speedup, double threshold = 0.005);

/// "faster", "slower", "no difference"; "too few samples" if the speedup has no interval.
std::string verdict_text(const Estimate& speedup);

/// "4.698", "0.1085": four significant digits.
std::string ms_text(double ms);

/// One timing. Samples in one group, a short stretch of time, ran at the same clocks.
struct Sample {
    double ms = 0;
    uint32_t group = 0;
};
struct CleanSeries {
    /// In the order of the samples.
    std::vector<double> ms;
    uint32_t discarded = 0;
};

/// Removes disturbed samples from each job's series, in two steps:
/// - a sample above 1.5 times the running median of its series (of 21 samples around it): something else ran. Series of
///   fewer than 6 samples are left alone;
/// - all samples of a group that was slow as a whole: the clocks were throttled. A group's pace is the median of its
///   samples, each divided by its series' own median. A group is slow if its pace is above the median pace by more than
///   3% and by more than five times the typical deviation (median absolute deviation, as sigmas). Nothing is concluded
///   from fewer than 8 groups.
std::vector<CleanSeries> without_disturbed(std::span<const std::vector<Sample>> series);

/// A part of warming up.
struct WarmUpWindow {
    double end = 0;  ///< seconds since warming up began
    double ms = 0;   ///< the median time of a run
};

/// Whether a device that warms up no longer gets faster: within the last 0.6 s (or two windows, if these are longer),
/// the median of the newer half is at most 1% below that of the older. False before.
bool is_steady(std::span<const WarmUpWindow> windows);

}  // namespace tilewise::kernels
