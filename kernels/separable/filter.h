// A separable filter: GLSL hooks (docs/adding.md), applied down the columns, then along the rows.
#pragma once
#include "kernels/image/texels.h"
#include <functional>
#include <string>
#include <utility>

namespace tilewise::kernels {

/// Which texels the approximate mode takes together: none; or pairs, as their mean.
enum class Taps { single, midway };

struct FilterText {
    /// This is Job::kernel.
    std::string kernel;
    /// It names the file in the compiler's messages.
    std::string name;
    std::string text;
    /// What it must give, in double precision. Empty for a user's filter.
    std::function<std::vector<float>(const Texels& source, uint32_t radius, Taps taps)> reference = {};
    /// A pair is one sample that stands for both texels exactly; else it is taken midway.
    bool exact_pairs = false;
    /// How many times an error in the texels that are read may grow in one direction's result, for channels of 0 to 1.
    double gain = 2;
    /// Of GAUSSIAN_WEIGHTS, in texels; 0: half the radius.
    double sigma = 0;
};
/// `sigma` of the weights, in texels; 0: half the radius.
FilterText gaussian_filter(double sigma = 0);
FilterText bilateral_filter(double sigma = 0);
/// A user's filter, checked by how its methods agree. `name` stands for the kernel and in messages.
FilterText user_filter(std::string name, std::string text);

constexpr uint32_t max_filter_radius = 32;
/// A user's text has at most so many.
constexpr size_t max_filter_bytes = size_t{1} << 20;

/// Weights of the offsets 0 to radius for a sigma, of 0 for half the radius; that of 0 and twice the others add up to 1.
std::vector<double> gaussian_weights(uint32_t radius, double sigma = 0);

/// RADIUS and GAUSSIAN_WEIGHTS. Throws UsageError for a radius that is not 1 to 32.
std::vector<std::pair<std::string, std::string>> filter_defines(uint32_t radius, double sigma = 0);

/// Gaussian: the weighted mean. Of `taps` midway: each two taps 1 and 2, 3 and 4, ... away are replaced by their mean.
std::vector<float> gaussian_reference(const Texels& source, uint32_t radius, Taps taps, double sigma = 0);
/// Bilateral: Gaussian weights, times exp(-8 d^2) of the distance d to the centre's four channels.
std::vector<float> bilateral_reference(const Texels& source, uint32_t radius, Taps taps, double sigma = 0);

}  // namespace tilewise::kernels
