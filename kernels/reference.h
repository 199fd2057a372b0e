// What kernels must give, computed on the host in double precision, and how far they may be from it.
#pragma once
#include "kernels/image/texels.h"
#include <span>
#include <string>

namespace tilewise::kernels {

/// Mean of the (2r+1)^2 texels around each one, those beyond an edge being the edge's. Four channels a texel.
std::vector<float> box_reference(const Texels& source, uint32_t radius);

/// How far a channel may be from its exact value: six tenths of one of R8G8B8A8's 255 steps; one rounding of a half;
/// what `additions` of positive float32 numbers lose at the worst (2^-24 of the sum each).
double tolerance(Format format, double expected, uint32_t additions);

/// `slack`: what the method may lose beyond its tolerance.
/// Empty where each texel is within its tolerance; else the first that is not, and how many there are. NaN never is.
std::string first_difference(const Texels& got, std::span<const float> expected, uint32_t additions = 1,
                             double slack = 0);

}  // namespace tilewise::kernels
