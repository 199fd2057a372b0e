#include "kernels/separable/filter.h"
#include "kernels/shader/variant.h"
#include "patterns/model/error.h"
#include <cmath>
#include <fmt/format.h>

namespace tilewise::kernels {

FilterText gaussian_filter() {
    return {
        "gaussian", "filter_gaussian.glsl", std::string(shader_text("filter_gaussian.glsl")), gaussian_reference, true,
        1};
}

FilterText bilateral_filter() {
    return {"bilateral", "filter_bilateral.glsl", std::string(shader_text("filter_bilateral.glsl")),
            bilateral_reference};
}

FilterText user_filter(std::string name, std::string text) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw Error(fmt::format("{}: no filter in it", name));
    return {name, name, std::move(text)};
}

std::vector<double> gaussian_weights(uint32_t radius) {
    std::vector<double> weights(radius + 1);
    double sum = 0;
    for (uint32_t i = 0; i <= radius; ++i) {
        const double sigmas = 2.0 * i / radius;
        weights[i] = std::exp(-sigmas * sigmas / 2);
        sum += i == 0 ? weights[i] : 2 * weights[i];
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

std::vector<std::pair<std::string, std::string>> filter_defines(uint32_t radius) {
    if (radius < 1 || radius > max_filter_radius)
        throw UsageError(fmt::format("a filter has a radius of 1 to {}, not {}", max_filter_radius, radius));
    std::string weights;
    for (const double weight : gaussian_weights(radius))
        weights += fmt::format("{}{:.9e}", weights.empty() ? "" : ", ", weight);
    return {{"RADIUS", std::to_string(radius)}, {"GAUSSIAN_WEIGHTS", weights}};
}

}  // namespace tilewise::kernels
