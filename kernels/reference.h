// The results that kernels must give, computed on the host in double precision, and how far kernels may be off.
#pragma once
#include "kernels/image/texels.h"
#include <span>
#include <string>

namespace tilewise::kernels {

/// The mean of the (2r+1)^2 texels around each texel; beyond an edge, the edge's texel counts. Four channels per texel.
std::vector<float> box_reference(const Texels& source, uint32_t radius);

/// How far a channel may be from its exact value: six tenths of one of R8G8B8A8's 255 steps; one rounding of a half;
/// the worst-case loss of `additions` additions of positive float32 numbers (2^-24 of the sum each).
double tolerance(Format format, double expected, uint32_t additions);

/// Empty if each texel is within its tolerance plus `slack`, the method's additional loss; otherwise names the first
/// texel that is not, and how many there are. NaN is never within tolerance.
std::string first_difference(const Texels& got, std::span<const float> expected, uint32_t additions = 1,
                             double slack = 0);

}  // namespace tilewise::kernels
