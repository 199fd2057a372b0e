#include "kernels/bloom/bloom.h"
#include "kernels/reference.h"
#include "patterns/model/parallel.h"
#include <algorithm>
#include <cmath>
#include <mutex>

namespace tilewise::kernels {

namespace {

struct BloomTap {
    /// In the step's own unit.
    double x = 0, y = 0;
    double weight = 0;
};
constexpr BloomTap taps_down[] = {
    {0, 0, 4 / 8.0}, {-1, -1, 1 / 8.0}, {1, 1, 1 / 8.0}, {1, -1, 1 / 8.0}, {-1, 1, 1 / 8.0}};
constexpr BloomTap taps_up[] = {{-2, 0, 1 / 12.0},  {2, 0, 1 / 12.0}, {0, -2, 1 / 12.0}, {0, 2, 1 / 12.0},
                                {-1, -1, 2 / 12.0}, {1, 1, 2 / 12.0}, {1, -1, 2 / 12.0}, {-1, 1, 2 / 12.0}};

/// In texels: one step of the sampler's coordinates, plus the error of a shader's arithmetic.
constexpr double place_error = 1.25 / 256;

/// A place along an axis: the two texels around it, and the texels around places within the error.
struct SamplePlace {
    size_t low = 0, high = 0, first = 0, last = 0;
    double part = 0;
};

SamplePlace place_at(double at, uint32_t texels) {
    const auto clamped = [&](double texel) {
        return static_cast<size_t>(std::clamp(texel, 0.0, static_cast<double>(texels) - 1));
    };
    const double low = std::floor(at);
    return {clamped(low), clamped(low + 1), clamped(std::floor(at - place_error)),
            clamped(std::floor(at + place_error) + 1), at - low};
}

/// The places of a step's taps, along one axis of the result.
struct SampleAxis {
    uint32_t from = 1, to = 1;
    double unit = 0;  // of a tap, in source texels
    SamplePlace at(uint32_t texel, double tap) const {
        return place_at((texel + 0.5) * from / to + tap * unit - 0.5, from);
    }
};

SampleAxis axis_of(uint32_t from, uint32_t to, BloomStep step) {
    return {from, to, step == BloomStep::up ? 0.5 : 0.5 * from / to};
}

struct SampleSum {
    double value = 0, slack = 0;
};

/// One channel of a sample: its value, and how far it may be off for its place.
SampleSum sample(const std::vector<float>& channels, size_t width, const SamplePlace& x, const SamplePlace& y,
                 size_t channel) {
    const auto at = [&](size_t column, size_t row) {
        return static_cast<double>(channels[(row * width + column) * 4 + channel]);
    };
    const auto along = [&](size_t row) { return at(x.low, row) * (1 - x.part) + at(x.high, row) * x.part; };
    double lowest = at(x.first, y.first), highest = lowest;
    for (size_t row = y.first; row <= y.last; ++row)
        for (size_t column = x.first; column <= x.last; ++column) {
            lowest = std::min(lowest, at(column, row));
            highest = std::max(highest, at(column, row));
        }
    return {along(y.low) * (1 - y.part) + along(y.high) * y.part, 2 * place_error * (highest - lowest)};
}

}  // namespace

std::string wrong_bloom_step(const Texels& from, const Texels& to, BloomStep step) {
    const std::vector<float> source = channels_of(from);
    const std::span<const BloomTap> taps = step == BloomStep::up ? std::span<const BloomTap>(taps_up) : taps_down;
    const SampleAxis along_x = axis_of(from.size.width, to.size.width, step),
                     along_y = axis_of(from.size.height, to.size.height, step);
    // Samplers may interpolate bytes with the precision of bytes.
    const double in_bytes = to.format == Format::rgba8 ? 1.0 / 255 : 0;
    constexpr uint32_t additions = 48;  // of products: six for each of eight samples
    std::mutex mutex;
    uint32_t first_wrong = to.size.height;
    std::string wrong;
    for_rows(to.size.height, [&](uint32_t first, uint32_t end) {
        for (uint32_t y = first; y < end; ++y) {
            const std::vector<float> is = channels_of(to, y, y + 1);
            for (size_t i = 0; i < is.size(); ++i) {
                const auto x = static_cast<uint32_t>(i / 4);
                SampleSum sum;
                for (const BloomTap& tap : taps) {
                    const SampleSum one =
                        sample(source, from.size.width, along_x.at(x, tap.x), along_y.at(y, tap.y), i % 4);
                    sum.value += tap.weight * one.value;
                    sum.slack += tap.weight * one.slack;
                }
                const double off = std::abs(static_cast<double>(is[i]) - sum.value);
                if (off <= tolerance(to.format, sum.value, additions) + sum.slack + in_bytes) continue;
                const std::scoped_lock lock(mutex);
                if (y >= first_wrong) return;
                first_wrong = y;
                wrong = fmt::format("texel ({}, {}) {} is {}, should be {} within {:.2g}", x, y, "rgba"[i % 4], is[i],
                                    sum.value, sum.slack);
                return;
            }
        }
    });
    return wrong;
}

}  // namespace tilewise::kernels
