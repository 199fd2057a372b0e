#include "tools/answers/advice/time_surface.h"
#include "kernels/kernel_list.h"
#include <algorithm>
#include <cmath>

namespace tilewise {

namespace {

using Line = std::map<double, double>;

bool reaches(const Line& line, double x) { return line.begin()->first <= x && x <= line.rbegin()->first; }

/// On the line through the two points that are nearest on either side, or, beyond the ends, through the last two, there
/// no steeper than `steepest` and never falling. None where there are no two.
std::optional<double> on_line(const Line& line, double x, double steepest) {
    if (line.size() < 2) return std::nullopt;
    auto right = line.lower_bound(x);
    if (right == line.begin()) ++right;
    if (right == line.end()) --right;
    const auto left = std::prev(right);
    double slope = (right->second - left->second) / (right->first - left->first);
    if (reaches(line, x)) return left->second + slope * (x - left->first);
    slope = std::clamp(slope, 0.0, steepest);
    const auto& end = x < left->first ? *left : *right;
    return end.second + slope * (x - end.first);
}

double log2_of_texels(const std::array<uint32_t, 2>& extent) { return std::log2(double{1} * extent[0] * extent[1]); }

}  // namespace

TimeSurface::TimeSurface(const std::vector<db::ValidationRow>& rows) {
    for (const db::ValidationRow& row : rows) {
        if (is_approximate(row.fact.method, row.fact.format)) continue;
        const double ms = std::log2(row.fact.median_ms);
        const auto known = lines_[row.fact.radius].emplace(log2_of_texels(row.fact.extent), ms).first;
        known->second = std::min(known->second, ms);
    }
}

std::optional<double> TimeSurface::ms(uint32_t radius, const std::array<uint32_t, 2>& extent) const {
    const double texels = log2_of_texels(extent);
    std::optional<double> found;
    if (lines_.contains(radius)) {
        found = of_radius(radius, texels);
    } else {
        Line by_radius;
        for (const auto& [known, line] : lines_)
            if (const auto there = of_radius(known, texels); there && known > 0) by_radius[std::log2(known)] = *there;
        constexpr double by_area = 2;  // of what is read, at most
        if (radius > 0) found = on_line(by_radius, std::log2(radius), by_area);
    }
    return found ? std::optional(std::exp2(*found)) : std::nullopt;
}

/// Of a radius that was timed.
std::optional<double> TimeSurface::of_radius(uint32_t radius, double texels) const {
    constexpr double by_texels = 1;
    const Line& line = lines_.at(radius);
    if (const auto known = line.find(texels); known != line.end()) return known->second;
    if (reaches(line, texels)) return on_line(line, texels, by_texels);
    if (const auto reached = lent(radius, texels, true)) return reached;
    if (line.size() > 1) return on_line(line, texels, by_texels);
    return lent(radius, texels, false);
}

/// By the line of the nearest other radius that has a point above or below one of this radius.
std::optional<double> TimeSurface::lent(uint32_t radius, double texels, bool must_reach) const {
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
    double least = 0;
    for (const auto& [other, line] : lines_) {
        if (other == radius || other == 0 || radius == 0 || line.size() < 2) continue;
        if (must_reach && !reaches(line, texels)) continue;
        const auto common = nearest_common(line);
        const double octaves = std::abs(std::log2(double(other) / radius));
        if (common == own.end() || (found && octaves >= least)) continue;
        least = octaves;
        found = common->second + *on_line(line, texels, 1) - line.at(common->first);
    }
    return found;
}

}  // namespace tilewise
