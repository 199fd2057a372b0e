#include "kernels/reference.h"
#include "patterns/model/parallel.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mutex>

namespace tilewise::kernels {

namespace {

/// Adds a row, multiplied by `sign`, to the sums of its columns.
void add_row(std::vector<double>& sums, std::span<const float> row, double sign) {
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += sign * static_cast<double>(row[i]);
}

void mean_of_row(std::span<const double> sums, uint32_t width, uint32_t radius, std::span<float> means) {
    const int64_t last = int64_t{width} - 1, r = radius;
    const double weight = 1 / ((2.0 * radius + 1) * (2.0 * radius + 1));
    for (size_t channel = 0; channel < 4; ++channel) {
        const auto column = [&](int64_t x) {
            return sums[static_cast<size_t>(std::clamp<int64_t>(x, 0, last)) * 4 + channel];
        };
        double sum = 0;
        for (int64_t x = -r; x <= r; ++x) sum += column(x);
        for (int64_t x = 0; x <= last; ++x) {
            means[static_cast<size_t>(x) * 4 + channel] = static_cast<float>(sum * weight);
            sum += column(x + r + 1) - column(x - r);
        }
    }
}

}  // namespace

std::vector<float> box_reference(const Texels& source, uint32_t radius) {
    const std::vector<float> channels = channels_of(source);
    std::vector<float> means(channels.size());
    const size_t pitch = size_t{source.size.width} * 4;
    const int64_t last_row = int64_t{source.size.height} - 1, r = radius;
    const auto row = [&](int64_t y) {
        return std::span(channels).subspan(static_cast<size_t>(std::clamp<int64_t>(y, 0, last_row)) * pitch, pitch);
    };
    for_rows(source.size.height, [&](uint32_t first, uint32_t last) {
        std::vector<double> sums(pitch);
        for (int64_t y = int64_t{first} - r; y <= int64_t{first} + r; ++y) add_row(sums, row(y), 1);
        for (int64_t y = first; y < int64_t{last}; ++y) {
            mean_of_row(sums, source.size.width, radius,
                        std::span(means).subspan(static_cast<size_t>(y) * pitch, pitch));
            add_row(sums, row(y + r + 1), 1);
            add_row(sums, row(y - r), -1);
        }
    });
    return means;
}

double tolerance(Format format, double expected, uint32_t additions) {
    const double rounding = std::ldexp(std::abs(expected), -24);
    switch (format) {
        case Format::rgba8:
            return 0.6 / 255;
        case Format::rgba16f:
            return std::abs(expected) / 1024 + rounding * additions;
        case Format::rgba32f:
            return rounding * (additions + 2);
    }
    return 0;
}

std::string first_difference(const Texels& got, std::span<const float> expected, uint32_t additions, double slack) {
    std::mutex mutex;
    size_t wrong = 0, first = expected.size();
    float first_is = 0;
    for_rows(got.size.height, [&](uint32_t first_row, uint32_t end_row) {
        const std::vector<float> channels = channels_of(got, first_row, end_row);
        const size_t before = size_t{first_row} * got.size.width * 4;
        for (size_t i = 0; i < channels.size(); ++i) {
            const double is = static_cast<double>(channels[i]), should = static_cast<double>(expected[before + i]);
            if (std::abs(is - should) <= tolerance(got.format, should, additions) + slack) continue;
            const std::scoped_lock lock(mutex);
            wrong++;
            if (before + i > first) continue;
            first = before + i;
            first_is = channels[i];
        }
    });
    if (wrong == 0) return {};
    const size_t texel = first / 4;
    return fmt::format("texel ({}, {}) {} is {}, should be {} ({} of {} channels differ)", texel % got.size.width,
                       texel / got.size.width, "rgba"[first % 4], first_is, expected[first], wrong, expected.size());
}

}  // namespace tilewise::kernels
