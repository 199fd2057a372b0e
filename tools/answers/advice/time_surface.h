// How long a kernel takes at a radius and over images that were not timed, by what was timed around them.
#pragma once
#include "db/facts/validation.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tilewise {

/// How many texels an image of the extent has.
double texels_of(const std::array<uint32_t, 2>& extent);

/// The shortest times of exact methods of one kernel, format and device, by radius and texels. Between timings of one
/// radius, times go in straight lines over texels: what a dispatch costs, and so much for each texel. Where a radius was
/// not timed over images as small or as large, the nearest one that was lends its line. Between radii, the logarithms of
/// times go in straight lines over those of radii. Beyond all timings the last line goes on.
///
/// Of 216 timings of an H200 by other radii and extents than those that it knew (unseen.json and unseen-2.json in
/// docs/results/nvidia-h200), eight of ten were told to take 0.88 to 1.09 times as long as they took.
class TimeSurface {
public:
    TimeSurface() = default;
    explicit TimeSurface(const std::vector<db::ValidationRow>& rows);

    /// Milliseconds. None where a single extent, or a single radius, was timed, and another one is asked about.
    std::optional<double> ms(uint32_t radius, const std::array<uint32_t, 2>& extent) const;

private:
    using Line = std::map<double, double>;  ///< milliseconds by texels

    std::optional<double> of_radius(uint32_t radius, double texels) const;
    std::optional<double> lent(uint32_t radius, double texels, bool must_reach) const;

    std::map<uint32_t, Line> lines_;  ///< by radius
};

}  // namespace tilewise
