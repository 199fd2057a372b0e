#include "kernels/separable/filter.h"
#include "patterns/model/parallel.h"
#include <algorithm>
#include <cmath>
#include <span>

namespace tilewise::kernels {

namespace {

using Channels = std::array<double, 4>;
struct Tap {
    Channels texel = {};
    /// The Gaussian weight.
    double weight = 0;
};

/// Texels in double precision with four channels each, and the reach of the filter along one axis.
struct Image {
    Size size;
    std::vector<Channels> texels;

    const Channels& at(int64_t x, int64_t y) const {
        const int64_t u = std::clamp<int64_t>(x, 0, int64_t{size.width} - 1);
        const int64_t v = std::clamp<int64_t>(y, 0, int64_t{size.height} - 1);
        return texels[static_cast<size_t>(v * size.width + u)];
    }
};

/// The taps beside the centre (x, y) along (dx, dy).
void collect(const Image& image, int64_t x, int64_t y, int64_t dx, int64_t dy, std::span<const double> weights,
             Taps taps, std::vector<Tap>& collected) {
    collected.clear();
    const auto radius = static_cast<int64_t>(weights.size()) - 1;
    const auto weight = [&](int64_t offset) { return weights[static_cast<size_t>(offset)]; };
    for (const int64_t side : {-1, 1})
        for (int64_t offset = 1; offset <= radius; ++offset) {
            const Channels& near = image.at(x + side * offset * dx, y + side * offset * dy);
            if (taps == Taps::single || offset == radius) {
                collected.push_back({near, weight(offset)});
                continue;
            }
            const Channels& far = image.at(x + side * (offset + 1) * dx, y + side * (offset + 1) * dy);
            Tap pair = {{}, weight(offset) + weight(offset + 1)};
            for (size_t channel = 0; channel < 4; ++channel) pair.texel[channel] = (near[channel] + far[channel]) / 2;
            collected.push_back(pair);
            ++offset;
        }
}

double squared_distance(const Channels& a, const Channels& b) {
    double sum = 0;
    for (size_t channel = 0; channel < 4; ++channel) sum += (a[channel] - b[channel]) * (a[channel] - b[channel]);
    return sum;
}

/// exp(-range * d^2) also weights a tap at distance d from the centre.
Channels weighted_mean(const Channels& center, double center_weight, std::span<const Tap> taps, double range) {
    Channels sum = {};
    double total = 0;
    const auto add = [&](const Channels& texel, double weight) {
        for (size_t channel = 0; channel < 4; ++channel) sum[channel] += texel[channel] * weight;
        total += weight;
    };
    add(center, center_weight);
    for (const Tap& tap : taps) {
        const double near = range == 0 ? 1 : std::exp(-range * squared_distance(tap.texel, center));
        add(tap.texel, tap.weight * near);
    }
    for (double& channel : sum) channel /= total;
    return sum;
}

Image filtered(const Image& source, int64_t dx, int64_t dy, uint32_t radius, double range, Taps taps, double sigma) {
    const std::vector<double> weights = gaussian_weights(radius, sigma);
    Image result = {source.size, std::vector<Channels>(source.texels.size())};
    for_rows(source.size.height, [&](uint32_t first, uint32_t last) {
        std::vector<Tap> collected;
        for (uint32_t y = first; y < last; ++y)
            for (uint32_t x = 0; x < source.size.width; ++x) {
                collect(source, x, y, dx, dy, weights, taps, collected);
                result.texels[size_t{y} * source.size.width + x] =
                    weighted_mean(source.at(x, y), weights[0], collected, range);
            }
    });
    return result;
}

std::vector<float> reference(const Texels& texels, uint32_t radius, double range, Taps taps, double sigma) {
    const std::vector<float> channels = channels_of(texels);
    Image image = {texels.size, std::vector<Channels>(channels.size() / 4)};
    for (size_t i = 0; i < channels.size(); ++i) image.texels[i / 4][i % 4] = static_cast<double>(channels[i]);
    image = filtered(filtered(image, 0, 1, radius, range, taps, sigma), 1, 0, radius, range, taps, sigma);
    std::vector<float> result(channels.size());
    for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<float>(image.texels[i / 4][i % 4]);
    return result;
}

}  // namespace

std::vector<float> gaussian_reference(const Texels& source, uint32_t radius, Taps taps, double sigma) {
    return reference(source, radius, 0, taps, sigma);
}

std::vector<float> bilateral_reference(const Texels& source, uint32_t radius, Taps taps, double sigma) {
    return reference(source, radius, 8, taps, sigma);
}

}  // namespace tilewise::kernels
