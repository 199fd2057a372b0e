#include "tools/answers/advice/time_surface.h"
#include "kernels/kernel_list.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewise {

namespace {

using Line = std::map<double, double>;

/// How many octaves lie between the line and the place; 0 on the line.
double gap(const Line& line, double x) {
    return std::max({0.0, std::log2(line.begin()->first / x), std::log2(x / line.rbegin()->first)});
}

/// The two points of the line around x, or the two at the nearer end. The line has at least two.
std::pair<Line::const_iterator, Line::const_iterator> around(const Line& line, double x) {
    auto right = line.lower_bound(x);
    if (right == line.begin()) ++right;
    if (right == line.end()) --right;
    return {std::prev(right), right};
}

/// None if there are fewer than two timings. Beyond them, smaller images never take longer, and larger ones never less.
std::optional<double> over_texels(const Line& line, double texels) {
    if (line.size() < 2) return std::nullopt;
    const auto [left, right] = around(line, texels);
    double slope = (right->second - left->second) / (right->first - left->first);
    if (texels < left->first) slope = std::clamp(slope, 0.0, left->second / left->first);
    if (texels > right->first) slope = std::max(slope, 0.0);
    const auto& end = texels > right->first ? *right : *left;
    return end.second + slope * (texels - end.first);
}

/// A power law in the radius; beyond what was timed, its power is at most that of the area. None if there are fewer
/// than two timings.
std::optional<double> over_radii(const Line& line, double radius) {
    if (line.size() < 2) return std::nullopt;
    const auto [left, right] = around(line, radius);
    double power = std::log(right->second / left->second) / std::log(right->first / left->first);
    if (gap(line, radius) > 0) power = std::clamp(power, 0.0, 2.0);
    const auto& end = radius > right->first ? *right : *left;
    return end.second * std::pow(radius / end.first, power);
}

}  // namespace

double texels_of(const std::array<uint32_t, 2>& extent) { return double{1} * extent[0] * extent[1]; }

TimeSurface::TimeSurface(const std::vector<db::ValidationRow>& rows) {
    for (const db::ValidationRow& row : rows) {
        const db::ValidationFact& fact = row.fact;
        if (is_approximate(fact.method, fact.format)) continue;
        const auto known = lines_[fact.radius].emplace(texels_of(fact.extent), fact.median_ms).first;
        known->second = std::min(known->second, fact.median_ms);
    }
}

std::optional<double> TimeSurface::ms(uint32_t radius, const std::array<uint32_t, 2>& extent) const {
    const double texels = texels_of(extent);
    if (lines_.contains(radius)) return of_radius(radius, texels);
    if (radius == 0) return std::nullopt;
    Line by_radius;
    for (const auto& [known, line] : lines_)
        if (const auto there = of_radius(known, texels); there && known > 0) by_radius[known] = *there;
    return over_radii(by_radius, radius);
}

/// The time at a radius that was timed.
std::optional<double> TimeSurface::of_radius(uint32_t radius, double texels) const {
    const Line& line = lines_.at(radius);
    if (const auto known = line.find(texels); known != line.end()) return known->second;
    if (const auto found = lent(radius, texels)) return found;
    return over_texels(line, texels);
}

/// Scales the line of another radius that was timed over images for which this radius was timed, too: of the lines that
/// come nearer to images with so many texels than this radius's own, the nearest one; then that of the nearest radius.
std::optional<double> TimeSurface::lent(uint32_t radius, double texels) const {
    const Line& own = lines_.at(radius);
    const auto nearest_common = [&](const Line& other) {
        auto found = own.end();
        for (auto point = own.begin(); point != own.end(); ++point)
            if (other.contains(point->first) &&
                (found == own.end() || std::abs(point->first - texels) < std::abs(found->first - texels)))
                found = point;
        return found;
    };
    std::optional<double> found;
    std::pair<double, double> least = {own.size() < 2 ? std::numeric_limits<double>::infinity() : gap(own, texels), 0};
    for (const auto& [other, line] : lines_) {
        if (other == radius || other == 0 || radius == 0 || line.size() < 2) continue;
        const auto common = nearest_common(line);
        const std::pair distance(gap(line, texels), std::abs(std::log2(double(other) / radius)));
        if (common == own.end() || distance >= least) continue;
        least = distance;
        found = common->second * *over_texels(line, texels) / line.at(common->first);
    }
    return found;
}

}  // namespace tilewise
