// How long a kernel takes at a radius and over images that were not timed, by what was timed around them.
#pragma once
#include "db/facts/validation.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tilewise {

/// The shortest times of exact methods of one kernel, format and device, by radius and texels. Between timings, the
/// logarithm of the time goes in straight lines over those of texels and radius. Where a radius was not timed over
/// images as small or as large, the nearest one that was lends its line. Beyond all timings the last line goes on.
///
/// Of 96 timings of an H200 by other radii and extents than those that it knew (docs/results/nvidia-h200/unseen.json),
/// eight of ten were told to take 0.88 to 1.07 times as long as they took, and all of them 0.65 to 1.38 times.
class TimeSurface {
public:
    TimeSurface() = default;
    explicit TimeSurface(const std::vector<db::ValidationRow>& rows);

    /// Milliseconds. None where a single extent, or a single radius, was timed, and another one is asked about.
    std::optional<double> ms(uint32_t radius, const std::array<uint32_t, 2>& extent) const;

private:
    using Line = std::map<double, double>;  ///< log2 of milliseconds, by log2 of texels or radii

    std::optional<double> of_radius(uint32_t radius, double texels) const;
    std::optional<double> lent(uint32_t radius, double texels, bool must_reach) const;

    std::map<uint32_t, Line> lines_;  ///< by radius
};

}  // namespace tilewise
