// How long a kernel takes at a radius and extent that were not timed, from the timings around them.
#pragma once
#include "db/facts/validation.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tilewise {

/// The number of texels in an image of the extent.
double texels_of(const std::array<uint32_t, 2>& extent);

/// The shortest times of exact methods for one kernel, format and device, by radius and texels. Between timings at one
/// radius, time is linear in the texels: a cost of the dispatch, plus a cost for each texel. If other radii were timed over
/// images nearer to the question, the nearest of them lends its line. Between radii, log(time) is linear in log(radius).
/// Beyond all timings the last line is extended.
///
/// For 336 timings of an H200 at radii and extents that the surface did not know (unseen.json, unseen-2.json and
/// unseen-3.json in docs/results/nvidia-h200), eight of ten estimates were 0.85 to 1.03 times the measured time. Below
/// the smallest images that were timed they are too short, down to 0.6 times: such images leave a part of the GPU idle.
class TimeSurface {
public:
    TimeSurface() = default;
    explicit TimeSurface(const std::vector<db::ValidationRow>& rows);

    /// The time in milliseconds. None if just one extent, or one radius, was timed, and another one is asked about.
    std::optional<double> ms(uint32_t radius, const std::array<uint32_t, 2>& extent) const;

private:
    using Line = std::map<double, double>;  ///< milliseconds by texels

    std::optional<double> of_radius(uint32_t radius, double texels) const;
    std::optional<double> lent(uint32_t radius, double texels) const;

    std::map<uint32_t, Line> lines_;  ///< by radius
};

}  // namespace tilewise
