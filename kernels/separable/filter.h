// A separable filter: GLSL hooks (docs/adding.md), applied down the columns, then along the rows.
#pragma once
#include "kernels/image/texels.h"
#include <functional>
#include <string>
#include <utility>

namespace tilewise::kernels {

/// Which texels the approximate mode combines: none, or pairs, as their mean.
enum class Taps { single, midway };

struct FilterText {
    /// The name in Job::kernel.
    std::string kernel;
    /// The name of the file in the compiler's messages.
    std::string name;
    std::string text;
    /// The expected result, in double precision. Empty for a user's filter.
    std::function<std::vector<float>(const Texels& source, uint32_t radius, Taps taps)> reference = {};
    /// A pair is one sample that represents both texels exactly; otherwise the sample is taken midway.
    bool exact_pairs = false;
    /// The factor by which an error in the texels read may grow in the result of one direction, for channels of 0 to 1.
    double gain = 2;
    /// For GAUSSIAN_WEIGHTS, in texels; 0: half the radius.
    double sigma = 0;
};
/// `sigma` of the weights, in texels; 0: half the radius.
FilterText gaussian_filter(double sigma = 0);
FilterText bilateral_filter(double sigma = 0);
/// A user's filter, checked by whether its methods agree. `name` is the kernel's name, also in messages.
FilterText user_filter(std::string name, std::string text);

constexpr uint32_t max_filter_radius = 32;
/// The largest size of a user's text.
constexpr size_t max_filter_bytes = size_t{1} << 20;

/// The weights of the offsets 0 to radius for a sigma (0: half the radius). The weight of 0 plus twice the others is 1.
std::vector<double> gaussian_weights(uint32_t radius, double sigma = 0);

/// Defines RADIUS and GAUSSIAN_WEIGHTS. Throws UsageError for a radius that is not 1 to 32.
std::vector<std::pair<std::string, std::string>> filter_defines(uint32_t radius, double sigma = 0);

/// Gaussian: the weighted mean. With midway taps, each two taps 1 and 2, 3 and 4, ... away are replaced by their mean.
std::vector<float> gaussian_reference(const Texels& source, uint32_t radius, Taps taps, double sigma = 0);
/// Bilateral: Gaussian weights times exp(-8 d^2), where d is the distance to the centre's four channels.
std::vector<float> bilateral_reference(const Texels& source, uint32_t radius, Taps taps, double sigma = 0);

}  // namespace tilewise::kernels
