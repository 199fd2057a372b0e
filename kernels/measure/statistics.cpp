#include "kernels/measure/statistics.h"
#include "patterns/model/enum_names.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <random>

namespace tilewise::kernels {

namespace {

constexpr size_t resamples = 2000;
constexpr double confidence = 0.95;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

double middle_of_sorted(std::span<const double> sorted) {
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::ranges::sort(copy);
    return copy;
}

/// Medians of resamples of sorted values: a resample is stored as how often each value was drawn.
std::vector<double> resampled_medians(std::span<const double> values, std::mt19937_64& random) {
    const size_t count = values.size();
    std::vector<uint32_t> drawn(count);
    std::vector<double> medians(resamples);
    for (double& result : medians) {
        std::ranges::fill(drawn, 0);
        // Not std::uniform_int_distribution: that one differs from one standard library to the next.
        for (size_t i = 0; i < count; ++i) drawn[(random() >> 32) * count >> 32]++;
        const size_t lower = (count - 1) / 2, upper = count / 2;
        size_t before = 0, at = 0;
        for (; before + drawn[at] <= lower; ++at) before += drawn[at];
        const double below = values[at];
        for (; before + drawn[at] <= upper; ++at) before += drawn[at];
        result = (below + values[at]) / 2;
    }
    return medians;
}

Estimate with_interval(double value, std::vector<double> draws) {
    std::ranges::sort(draws);
    const auto at = [&](double part) { return draws[static_cast<size_t>(std::lround(part * (resamples - 1)))]; };
    return {value, at((1 - confidence) / 2), at((1 + confidence) / 2)};
}

}  // namespace

double median(std::span<const double> values) {
    if (values.empty()) return undefined;
    return middle_of_sorted(sorted(values));
}

std::array<double, 2> finite_ends(const Estimate& estimate) {
    if (!std::isfinite(estimate.high)) return {0, 0};
    return {estimate.low, estimate.high};
}

double relative_half_width(const Estimate& estimate) { return (estimate.high - estimate.low) / 2 / estimate.value; }

Estimate median_estimate(std::span<const double> samples, uint64_t seed) {
    if (samples.empty()) return {undefined, undefined, undefined};
    const std::vector<double> values = sorted(samples);
    if (values.size() < min_samples_for_interval) return {middle_of_sorted(values), 0, infinity};
    std::mt19937_64 random(seed);
    return with_interval(middle_of_sorted(values), resampled_medians(values, random));
}

Estimate speedup(std::span<const double> baseline, std::span<const double> samples, uint64_t seed) {
    if (baseline.empty() || samples.empty()) return {undefined, undefined, undefined};
    const std::vector<double> above = sorted(baseline), below = sorted(samples);
    const double value = middle_of_sorted(above) / middle_of_sorted(below);
    if (std::min(above.size(), below.size()) < min_samples_for_interval) return {value, 0, infinity};
    std::mt19937_64 random(seed);
    std::vector<double> draws = resampled_medians(above, random);
    const std::vector<double> divisors = resampled_medians(below, random);
    for (size_t i = 0; i < draws.size(); ++i) draws[i] /= divisors[i];
    return with_interval(value, std::move(draws));
}

const char* verdict_name(Verdict verdict) {
    constexpr EnumNames<Verdict, 3> verdicts = {"verdict", {"faster", "slower", "no difference"}};
    return verdicts[verdict];
}

Verdict verdict(const Estimate& speedup, double threshold) {
    if (speedup.low > 1 + threshold) return Verdict::faster;
    if (speedup.high < 1 - threshold) return Verdict::slower;
    return Verdict::no_difference;
}

namespace {

constexpr size_t running_window = 21;
constexpr double max_over_running_median = 1.5;
constexpr size_t min_in_series = 6;
constexpr size_t min_groups = 8;
constexpr double min_throttling = 0.03;
constexpr double max_deviations = 5;
constexpr double sigmas_of_deviation = 1.4826;  // of the normal distribution

std::vector<double> times_of(const std::vector<Sample>& series) {
    std::vector<double> times(series.size());
    std::ranges::transform(series, times.begin(), &Sample::ms);
    return times;
}

std::vector<Sample> without_peaks(const std::vector<Sample>& series) {
    if (series.size() < min_in_series) return series;
    std::vector<Sample> kept;
    const std::vector<double> times = times_of(series);
    const size_t window = std::min(running_window, times.size());
    for (size_t i = 0; i < series.size(); ++i) {
        const size_t first = std::min(i - std::min(i, window / 2), times.size() - window);
        if (times[i] <= max_over_running_median * median(std::span(times).subspan(first, window)))
            kept.push_back(series[i]);
    }
    return kept;
}

/// The pace of each group.
std::map<uint32_t, double> paces_of(std::span<const std::vector<Sample>> series) {
    std::map<uint32_t, std::vector<double>> relative;
    for (const auto& samples : series) {
        const double typical = median(times_of(samples));
        for (const Sample& sample : samples) relative[sample.group].push_back(sample.ms / typical);
    }
    std::map<uint32_t, double> paces;
    for (const auto& [group, values] : relative) paces[group] = median(values);
    return paces;
}

double slowest_normal(const std::map<uint32_t, double>& paces) {
    if (paces.size() < min_groups) return infinity;
    std::vector<double> values;
    values.reserve(paces.size());
    for (const auto& [group, pace] : paces) values.push_back(pace);
    const double typical = median(values);
    for (double& value : values) value = std::abs(value - typical);
    return typical + std::max(min_throttling * typical, max_deviations * sigmas_of_deviation * median(values));
}

}  // namespace

std::vector<CleanSeries> without_disturbed(std::span<const std::vector<Sample>> series) {
    std::vector<std::vector<Sample>> calm;
    calm.reserve(series.size());
    for (const auto& samples : series) calm.push_back(without_peaks(samples));
    const std::map<uint32_t, double> paces = paces_of(calm);
    const double limit = slowest_normal(paces);
    std::vector<CleanSeries> cleaned(series.size());
    for (size_t i = 0; i < series.size(); ++i) {
        for (const Sample& sample : calm[i])
            if (paces.at(sample.group) <= limit) cleaned[i].ms.push_back(sample.ms);
        cleaned[i].discarded = static_cast<uint32_t>(series[i].size() - cleaned[i].ms.size());
    }
    return cleaned;
}

std::string verdict_text(const Estimate& speedup) {
    return std::isfinite(speedup.high) ? verdict_name(verdict(speedup)) : "too few samples";
}

std::string ms_text(double ms) {
    const int digits_before = ms > 0 ? static_cast<int>(std::floor(std::log10(ms))) + 1 : 1;
    return fmt::format("{:.{}f}", ms, std::clamp(4 - digits_before, 0, 6));
}

bool is_steady(std::span<const WarmUpWindow> windows) {
    // An H200 that was idle raises its clocks in steps: it stays at each of them for 0.15 to 0.27 s.
    constexpr double steady_seconds = 0.6, steady_within = 0.01;
    if (windows.size() < 2 || windows.back().end < steady_seconds) return false;
    const double since = std::min(windows.back().end - steady_seconds, windows[windows.size() - 2].end);
    const double middle = (windows.back().end + since) / 2;
    std::vector<double> older, newer;
    for (const WarmUpWindow& window : windows)
        if (window.end >= since) (window.end > middle ? newer : older).push_back(window.ms);
    return !older.empty() && median(newer) > (1 - steady_within) * median(older);
}

}  // namespace tilewise::kernels
