#include "kernels/separable/filter.h"
#include "kernels/shader/variant.h"
#include "patterns/model/error.h"
#include <cmath>
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

using Reference = std::vector<float> (*)(const Texels&, uint32_t, Taps, double);

FilterText built_in(const char* kernel, const char* file, Reference reference, double sigma) {
    FilterText filter = {kernel, file, std::string(shader_text(file))};
    filter.reference = [reference, sigma](const Texels& source, uint32_t radius, Taps taps) {
        return reference(source, radius, taps, sigma);
    };
    filter.sigma = sigma;
    return filter;
}

}  // namespace

FilterText gaussian_filter(double sigma) {
    FilterText filter = built_in("gaussian", "filter_gaussian.glsl", gaussian_reference, sigma);
    filter.exact_pairs = true;
    filter.gain = 1;
    return filter;
}

FilterText bilateral_filter(double sigma) {
    return built_in("bilateral", "filter_bilateral.glsl", bilateral_reference, sigma);
}

FilterText user_filter(std::string name, std::string text) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw Error(fmt::format("{}: no filter in it", name));
    return {name, name, std::move(text)};
}

std::vector<double> gaussian_weights(uint32_t radius, double sigma) {
    if (sigma == 0) sigma = radius / 2.0;
    std::vector<double> weights(radius + 1);
    double sum = 0;
    for (uint32_t i = 0; i <= radius; ++i) {
        const double sigmas = i / sigma;
        weights[i] = std::exp(-sigmas * sigmas / 2);
        sum += i == 0 ? weights[i] : 2 * weights[i];
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

std::vector<std::pair<std::string, std::string>> filter_defines(uint32_t radius, double sigma) {
    if (radius < 1 || radius > max_filter_radius)
        throw UsageError(fmt::format("a filter has a radius of 1 to {}, not {}", max_filter_radius, radius));
    std::string weights;
    for (const double weight : gaussian_weights(radius, sigma))
        weights += fmt::format("{}{:.9e}", weights.empty() ? "" : ", ", weight);
    return {{"RADIUS", std::to_string(radius)}, {"GAUSSIAN_WEIGHTS", weights}};
}

}  // namespace tilewise::kernels
