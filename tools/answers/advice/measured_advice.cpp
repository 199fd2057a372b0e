#include "tools/answers/advice/measured_advice.h"
#include "kernels/kernel_list.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace tilewise {

using db::ValidationFact;
using kernels::Estimate;

namespace {

TimedWay way_of(const MeasuredCell& cell, const ValidationFact& fact) {
    TimedWay way = {fact, {}, {}};
    if (const ValidationFact* row = in_16x16(cell, fact, "row"); row && row != &fact)
        way.over_row = times_as_fast(fact, *row);
    if (const ValidationFact* morton = in_16x16(cell, fact, "morton"); morton && morton != &fact)
        way.over_morton = times_as_fast(fact, *morton);
    return way;
}

/// A result of tune, as if validate had measured it.
TimedWay way_of(const db::TuningFact& tuned) {
    TimedWay way;
    way.tuned = tuned;
    ValidationFact& fact = way.fact;
    fact.kernel = tuned.kernel;
    fact.method = tuned.method;
    fact.order = tuned.order;
    fact.format = tuned.format;
    fact.pattern = tuned.pattern;
    fact.extent = tuned.extent;
    fact.radius = tuned.radius;
    fact.shape = tuned.shape;
    fact.group_order = tuned.group_order;
    fact.samples = tuned.samples;
    fact.median_ms = tuned.median_ms;
    fact.interval_ms = tuned.interval_ms;
    fact.time = tuned.time;
    fact.tool_version = tuned.tool_version;
    const auto estimate = [](double ratio, const std::array<double, 2>& interval) -> std::optional<Estimate> {
        if (ratio == 0) return std::nullopt;
        if (interval[1] == 0) return Estimate{ratio, 0, std::numeric_limits<double>::infinity()};
        return Estimate{ratio, interval[0], interval[1]};
    };
    way.over_row = estimate(tuned.over_row, tuned.over_row_interval);
    way.over_morton = estimate(tuned.over_morton, tuned.over_morton_interval);
    return way;
}

void note_differences(Advice& advice) {
    const ValidationFact& fact = advice.way->fact;
    const KernelQuestion& question = advice.question;
    if (fact.radius != question.radius)
        advice.assumed.push_back(fmt::format(
            "radius {} was not measured{}: this is how it is with {}, the nearest that was", question.radius,
            question.extent ? " over images of " + extent_of(*question.extent) : "", fact.radius));
    if (question.extent && *question.extent != fact.extent)
        advice.assumed.push_back(fmt::format("images of {} were not measured: this is how it is with {}",
                                             extent_of(*question.extent), extent_of(fact.extent)));
}

/// One method in one cell: how it runs there, and its shortest time.
struct MethodTiming {
    const MeasuredCell* cell = nullptr;
    TimedWay way;
    double quickest_ms = 0;
    /// The shortest time, scaled to the question's extent.
    double scaled_ms = 0;
    /// Whether the images have exactly the question's extent.
    bool is_exact = false;
};

/// The cell's timing of the method: by validate, or by tune unless that is slower, or as fast but with less certainty.
std::optional<MethodTiming> timing_in(const MeasuredCell& cell, const std::string& method) {
    const auto is_of_method = [&](const auto& fact) { return fact.method == method; };
    MethodTiming timing = {&cell, {}, std::numeric_limits<double>::infinity()};
    const ValidationFact* validated = fastest(cell, is_of_method);
    if (validated) timing.way = way_of(cell, *validated);
    for (const ValidationFact& fact : cell.facts)
        if (is_of_method(fact)) timing.quickest_ms = std::min(timing.quickest_ms, fact.median_ms);
    const auto tuned = std::ranges::find_if(cell.tuned, is_of_method);
    if (tuned != cell.tuned.end()) {
        const TimedWay found = way_of(*tuned);
        const bool tells_as_much = !validated || has_interval(found.fact) || !has_interval(*validated);
        const bool replaces =
            !validated || (tells_as_much ? is_as_fast(found.fact, *validated) : !is_as_fast(*validated, found.fact));
        if (replaces) {
            timing.way = found;
            timing.quickest_ms = std::min(timing.quickest_ms, tuned->median_ms);
        }
    } else if (!validated) {
        return std::nullopt;
    }
    timing.way.driver = cell.driver;
    return timing;
}

std::set<std::string> methods_of(const MeasuredCell& cell) {
    std::set<std::string> methods;
    for (const ValidationFact& fact : cell.facts) methods.insert(fact.method);
    for (const db::TuningFact& fact : cell.tuned) methods.insert(fact.method);
    return methods;
}

/// The time of the cell's newest result.
std::string time_of(const MeasuredCell& cell) {
    std::string newest;
    for (const ValidationFact& fact : cell.facts) newest = std::max(newest, fact.time);
    for (const db::TuningFact& fact : cell.tuned) newest = std::max(newest, fact.time);
    return newest;
}

/// The cells, the nearest to the question first; among equally near ones, the newest first.
std::vector<const MeasuredCell*> by_distance(const MeasuredCells& measured) {
    std::vector<const MeasuredCell*> cells;
    for (const MeasuredCell& cell : measured.cells) cells.push_back(&cell);
    std::ranges::stable_sort(cells, [&](const MeasuredCell* a, const MeasuredCell* b) {
        const double of_a = octaves_between(a->extent, measured.extent);
        const double of_b = octaves_between(b->extent, measured.extent);
        return of_a != of_b ? of_a < of_b : time_of(*a) > time_of(*b);
    });
    return cells;
}

/// How much scaled times may be off: running sums over 3840x2160 take 1.107 times what the time over 4096x4096
/// suggests.
constexpr double scaling_error = 1.1;

/// All timings of a kernel, radius and format.
struct Timings {
    const MeasuredCells& measured;
    std::vector<const MeasuredCell*> cells = by_distance(measured);
    /// Whether the question names an extent: times are then scaled to it.
    bool is_asked = false;

    std::optional<MethodTiming> in(const MeasuredCell& cell, const std::string& method) const {
        std::optional<MethodTiming> timing = timing_in(cell, method);
        if (!timing) return std::nullopt;
        const TimeScale scale = measured.scale(method, cell, measured.extent);
        timing->way.scale = is_asked ? scale : measured.scale(method, cell, cell.extent);
        timing->scaled_ms = timing->quickest_ms * scale.factor;
        timing->is_exact = cell.extent == measured.extent;
        return timing;
    }
    /// The timing over the images that are nearest to those of the question.
    std::optional<MethodTiming> nearest(const std::string& method) const {
        for (const MeasuredCell* cell : cells)
            if (auto timing = in(*cell, method)) return timing;
        return std::nullopt;
    }
    /// How many times as long as `anchor` the method takes: over the nearest images for which both were timed; else as
    /// each compares with `direct`; else from scaled times.
    double times_as_long(const std::string& method, const std::string& anchor) const {
        if (const auto ratio = times_as_long_beside(method, anchor)) return *ratio;
        const auto by_direct = times_as_long_beside(method, kernels::direct_name),
                   anchor_by_direct = times_as_long_beside(anchor, kernels::direct_name);
        if (by_direct && anchor_by_direct) return *by_direct / *anchor_by_direct;
        return nearest(method)->scaled_ms / nearest(anchor)->scaled_ms;
    }

private:
    /// The ratio over the nearest images for which both were timed, if there are any.
    std::optional<double> times_as_long_beside(const std::string& method, const std::string& anchor) const {
        for (const MeasuredCell* cell : cells) {
            const auto timing = in(*cell, method), beside = in(*cell, anchor);
            if (timing && beside) return timing->quickest_ms / beside->quickest_ms;
        }
        return std::nullopt;
    }
};

/// The exact methods that were timed in a cell.
std::set<std::string> exact_methods(const MeasuredCell& cell) {
    const std::string& format = cell.facts.empty() ? cell.tuned.front().format : cell.facts.front().format;
    std::set<std::string> methods = methods_of(cell);
    std::erase_if(methods, [&](const std::string& method) { return is_approximate(method, format); });
    return methods;
}

/// The fastest exact method, at its nearest extent.
std::optional<MethodTiming> best_of(const Timings& timings) {
    std::set<std::string> methods;
    const MeasuredCell* anchor_cell = nullptr;
    for (const MeasuredCell* cell : timings.cells) {
        const std::set<std::string> here = exact_methods(*cell);
        const bool is_first_exact = !anchor_cell && cell->extent == timings.measured.extent && !here.empty();
        const bool has_more = !anchor_cell || (anchor_cell->extent != timings.measured.extent &&
                                               here.size() > exact_methods(*anchor_cell).size());
        if (is_first_exact || (has_more && !here.empty())) anchor_cell = cell;
        methods.insert(here.begin(), here.end());
    }
    if (!anchor_cell) return std::nullopt;
    const auto in_anchor = [&](const std::string& method) { return timings.in(*anchor_cell, method)->quickest_ms; };
    const std::set<std::string> anchors = exact_methods(*anchor_cell);
    const std::string anchor = *std::ranges::min_element(anchors, {}, in_anchor);
    const std::string chosen = *std::ranges::min_element(
        methods, {}, [&](const std::string& method) { return timings.times_as_long(method, anchor); });
    std::optional<MethodTiming> best = timings.nearest(chosen);
    if (best->is_exact) return best;
    const double most_ms = best->scaled_ms / scaling_error;
    for (const std::string& method : methods) {
        const auto timing = timings.nearest(method);
        if (timing->is_exact && timing->scaled_ms < std::min(most_ms, best->scaled_ms)) best = timing;
    }
    return best;
}

/// The exact methods by family, the fastest family first: the family of `best` leads, whatever scaled times suggest.
std::vector<RankedFamily> families_of(const Timings& timings, const MethodTiming& best) {
    std::map<std::string, RankedFamily> by_name;
    const std::string& anchor = best.way.fact.method;
    const auto add = [&](const MethodTiming& timing, double times_as_long) {
        const std::string family = family_of(timing.way.fact.method);
        const auto known = by_name.find(family);
        if (known == by_name.end() || times_as_long < known->second.times_as_long)
            by_name[family] = {family, timing.way, times_as_long};
    };
    std::set<std::string> methods;
    for (const MeasuredCell* cell : timings.cells) methods.merge(exact_methods(*cell));
    for (const std::string& method : methods)
        add(*timings.nearest(method), method == anchor ? 1 : timings.times_as_long(method, anchor));
    by_name[family_of(anchor)] = {family_of(anchor), best.way, 1};
    std::vector<RankedFamily> families;
    families.reserve(by_name.size());
    for (auto& [name, family] : by_name) families.push_back(std::move(family));
    const auto is_before = [&](const RankedFamily& a, const RankedFamily& b) {
        const auto rank = [&](const RankedFamily& each) {
            return std::tuple(each.family != family_of(anchor), each.times_as_long);
        };
        return rank(a) < rank(b);
    };
    std::ranges::sort(families, is_before);
    return families;
}

/// The fastest of the methods whose results are rounded differently, if it is faster than the best of the others.
std::optional<TimedWay> rounded_of(const Timings& timings, const MethodTiming& best) {
    for (const MeasuredCell* cell : timings.cells) {
        const ValidationFact* rounded =
            fastest(*cell, [](const ValidationFact& fact) { return is_approximate(fact.method, fact.format); });
        if (!rounded) continue;
        const auto timing = timings.in(*cell, rounded->method);
        const auto best_here = timings.in(*cell, best.way.fact.method);
        const bool is_faster = best_here
                                   ? verdict(times_as_fast(*rounded, best_here->way.fact)) == kernels::Verdict::faster
                                   : timing->scaled_ms * scaling_error < best.scaled_ms;
        return is_faster ? std::optional(timing->way) : std::nullopt;
    }
    return std::nullopt;
}

/// Takes the workgroups and order of `direct`, and the pattern that they rest on.
void take_order(Advice& advice, const db::Database& database, const MethodTiming& direct) {
    const TimedWay& way = direct.way;
    advice.direct = way;
    advice.remap =
        way.tuned ? db::remap_of(*way.tuned) : remap_of(database, direct.cell->device, direct.cell->driver, way.fact);
    advice.groups = group_order_from_text(way.fact.group_order);
    if (way.tuned) advice.pattern = way.tuned->pattern;
}

}  // namespace

std::optional<Advice> measured_advice(const db::Database& database, const std::vector<db::ValidationRow>& validations,
                                      const std::vector<db::TuningRow>& tunings, const KernelQuestion& question) {
    const std::optional<MeasuredCells> measured = find_measured(validations, tunings, question);
    if (!measured) return std::nullopt;
    const Timings timings = {.measured = *measured, .is_asked = question.extent.has_value()};
    const std::optional<MethodTiming> best = best_of(timings);
    if (!best) return std::nullopt;
    const std::optional<MethodTiming> direct = timings.nearest(kernels::direct_name);
    const MeasuredCell& cell = *best->cell;
    Advice advice;
    advice.question = question;
    advice.source = AdviceSource::measured;
    advice.device = cell.device.name;
    advice.driver = driver_text(cell.driver);
    advice.measured_device = cell.device;
    const auto is_learned = [](const ValidationFact& fact) { return !fact.pattern.empty(); };
    if (const ValidationFact* learned = fastest(direct ? *direct->cell : cell, is_learned))
        advice.pattern = learned->pattern;
    advice.way = best->way;
    if (direct) {
        take_order(advice, database, *direct);
        // Two estimates may cross, but nothing can be faster than the fastest.
        const double least = best->way.fact.median_ms * best->way.scale.factor / direct->way.fact.median_ms;
        TimeScale& scale = advice.direct->scale;
        if (scale.factor != 1) scale.factor = std::max(scale.factor, least);
    }
    advice.ranking = {Evidence::this_device, question, cell.device, "", families_of(timings, *best)};
    advice.rounded = rounded_of(timings, *best);
    note_differences(advice);
    return advice;
}

}  // namespace tilewise
