#include "tools/answers/advice/advice.h"
#include "kernels/box/box.h"
#include "kernels/job.h"
#include "kernels/kernel_list.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "patterns/snippet/kernel_format.h"
#include "probe/formats/formats.h"
#include "tools/answers/advice/ranking.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace tilewise {

using db::ValidationFact;
using kernels::Estimate;
using Json = nlohmann::ordered_json;

namespace {

constexpr EnumNames<AdviceSource, 4> source_names = {
    "source", {"measured", "measured on another device", "predicted", "unknown"}};

constexpr EnumNames<Evidence, 5> evidence_names = {
    "evidence", {"this device", "this chip", "same tile and architecture", "same tile", "any device"}};

TimedWay way_of(const MeasuredCell& cell, const ValidationFact& fact) {
    TimedWay way = {fact, {}, {}};
    if (const ValidationFact* row = in_16x16(cell, fact, "row"); row && row != &fact)
        way.over_row = times_as_fast(fact, *row);
    if (const ValidationFact* morton = in_16x16(cell, fact, "morton"); morton && morton != &fact)
        way.over_morton = times_as_fast(fact, *morton);
    return way;
}

bool is_row_in_16x16(const TimedWay& way) {
    return way.fact.order == "row" && way.fact.shape == usual_shape && is_as_launched(way.fact);
}

std::string extent_of(const std::array<uint32_t, 2>& extent) { return extent_text(Extent_px{extent[0], extent[1], 1}); }

/// The median, scaled to the images that are asked about. What a dispatch costs besides its texels does not go by
/// pixels, so that short times are not scaled by them: on an H100 the average of RGBA8 takes 0.01148 ms over 1920x1080 and
/// 0.01594 ms over four times the pixels (docs/results/nvidia-h100/usual-sizes-reductions.json).
std::optional<double> scaled_ms(const TimedWay& way) {
    constexpr double shortest = 0.02;
    const double scaled = way.fact.median_ms * way.scale.factor;
    const bool is_too_short = way.scale.by_texels && std::min(scaled, way.fact.median_ms) < shortest;
    return way.scale.factor == 1 || is_too_short ? std::nullopt : std::optional(scaled);
}

/// As it was measured; of another radius or over images of another extent as far as is known, which is said.
std::string ms_text(const TimedWay& way) {
    const ValidationFact& fact = way.fact;
    const std::optional<double> scaled = scaled_ms(way);
    if (way.scale.factor != 1 && !scaled)
        return fmt::format("{} ms over images of {}, too short to be scaled by pixels",
                           kernels::ms_text(fact.median_ms), extent_of(fact.extent));
    if (scaled)
        return fmt::format("about {} ms{} {} ms over images of {}", kernels::ms_text(*scaled),
                           way.scale.by_texels ? ", scaled by pixels from" : " by the timings around it;",
                           kernels::ms_text(fact.median_ms), extent_of(fact.extent));
    if (!has_interval(fact)) return kernels::ms_text(fact.median_ms) + " ms";
    return fmt::format("{} ms ({} to {})", kernels::ms_text(fact.median_ms), kernels::ms_text(fact.interval_ms[0]),
                       kernels::ms_text(fact.interval_ms[1]));
}

std::string gain_text(const Estimate& gain, const char* over) {
    if (!std::isfinite(gain.high))
        return fmt::format("{:.3f} times as fast as {} (too few samples for an interval)", gain.value, over);
    if (verdict(gain) == kernels::Verdict::no_difference)
        return fmt::format("no difference to {} ({:.3f} to {:.3f} times as fast)", over, gain.low, gain.high);
    return fmt::format("{:.3f} times as fast as {} ({:.3f} to {:.3f})", gain.value, over, gain.low, gain.high);
}

std::string kernel_words(const std::string& kernel, uint32_t radius) {
    return radius == 0 ? kernel : fmt::format("{} of radius {}", kernel, radius);
}

std::string order_words(const std::string& order) {
    return order == "learned"  ? "memory order"
           : order == "rdna"   ? "RDNA order"
           : order == "morton" ? "Morton order"
                               : order + " order";
}

/// A method's name in words: "fused (both passes in one dispatch), 8 rows in 1 strip, 8 results an invocation, 32 bits a
/// channel" for "fused, 8 rows, 1 strips, 8 results, 32 bit".
std::string method_words(const std::string& method) {
    std::string text;
    for (std::string part : split(method)) {
        part.erase(0, part.find_first_not_of(' '));
        const std::string number = part.substr(0, part.find(' ')),
                          unit = part.substr(std::min(part.size(), number.size() + 1));
        if (part == "fused")
            part += " (both passes in one dispatch)";
        else if (part == "shared")
            part += " (lines in shared memory)";
        else if (part == "approximate")
            part = "half of the samples, by the bilinear sampler";
        else if (part == "midway")
            part = "taken midway between texels";
        else if (unit == "strips")
            part = number == "1" ? "in one strip" : "in " + part;
        else if (unit == "lines")
            part += " a workgroup";
        else if (unit == "results")
            part += " an invocation";
        else if (unit == "bit")
            part += "s a channel";
        text += (text.empty() ? "" : ", ") + part;
    }
    return text;
}

}  // namespace

void TimedRange::widen(double ratio, uint32_t radius, const std::array<uint32_t, 2>& extent) {
    const auto texels = [](const std::array<uint32_t, 2>& of) { return uint64_t{of[0]} * of[1]; };
    if (high == 0) *this = {ratio, ratio, {radius, radius}, extent, extent, devices};
    low = std::min(low, ratio);
    high = std::max(high, ratio);
    radii = {std::min(radii[0], radius), std::max(radii[1], radius)};
    if (texels(extent) < texels(smallest)) smallest = extent;
    if (texels(extent) > texels(largest)) largest = extent;
}

std::string_view advice_source_name(AdviceSource source) { return source_names[source]; }

std::string way_words(const TimedWay& way) {
    const ValidationFact& fact = way.fact;
    const std::string groups = is_as_launched(fact) ? "" : " in " + fact.group_order;
    const std::string shape = fmt::format("workgroups of {}{}", extent_of(fact.shape), groups);
    if (fact.order.empty()) return fmt::format("{}, {}", method_words(fact.method), shape);
    const bool has_name = !way.tuned || (fact.order != "permutation" && fact.order != "matrix");
    return fmt::format("{}, {} in {}", method_words(fact.method),
                       has_name ? order_words(fact.order) : fmt::format("the order {}", way.tuned->columns), shape);
}

namespace {

void add_line(std::string& text, const char* title, const std::string& line) {
    text += fmt::format("{:<9} {}\n", title, line);
}

void add_way(std::string& text, const char* title, const TimedWay& way, uint32_t radius) {
    const std::string of_radius =
        way.fact.radius == radius ? "" : fmt::format(", at radius {}, the nearest timing", way.fact.radius);
    add_line(text, title, fmt::format("{}: {}{}", way_words(way), ms_text(way), of_radius));
    // Methods that share out squares are tuned against row order in these.
    const char* where = way.tuned && !is_direct(way.fact) ? ""
                        : way.fact.order.empty()          ? " in 16x16, direct"
                                                          : " in 16x16";
    if (way.over_row) add_line(text, "", gain_text(*way.over_row, fmt::format("row order{}", where).c_str()));
    if (way.over_morton) add_line(text, "", gain_text(*way.over_morton, fmt::format("Morton order{}", where).c_str()));
}

bool orders_gain_nothing(const Derivation& derivation) {
    return !differ_in_segments(derivation.orders) || !saves_segments(derivation.orders);
}

/// The name of the order that is predicted, as JSON has it.
const char* predicted_order(const Advice& advice) {
    const Remap& remap = *advice.remap;
    if (remap.is_row_order()) return "row";
    return advice.question.access == ImageAccess::gather || !(remap == advice.derived->remap) ? "morton" : "learned";
}

const OrderCost* cost_of(const Derivation& derivation, std::string_view name) {
    for (const OrderCost& cost : derivation.orders)
        if (cost.name == name) return &cost;
    return nullptr;
}

const char* access_words(const KernelQuestion& question) {
    switch (question.access) {
        case ImageAccess::box:
            if (question.radius == 0) return "box: the texels around each";
            return "box: every texel within the radius; of taps apart from one another: --access gather";
        case ImageAccess::gather:
            return "gather: some texels anywhere within the radius; of all of them: --access box";
        case ImageAccess::copy:
            return "copy: each texel once";
    }
    return "";
}

/// `title`: "use", or "direct" where another method is advised.
void add_prediction(std::string& text, const char* title, const Advice& advice) {
    const Remap& remap = *advice.remap;
    if (advice.is_linear)
        return add_line(
            text, title,
            fmt::format("row order in {}: the image is linear, rows are memory order", shape_text(remap.shape)));
    const Derivation& derivation = *advice.derived;
    add_line(text, title,
             fmt::format("{} in workgroups of {}{}, each invocation reading its own texels",
                         order_words(predicted_order(advice)), shape_text(remap.shape),
                         advice.groups.kind == GroupOrderKind::linear ? "" : " in " + group_order_text(advice.groups)));
    const OrderCost *row = cost_of(derivation, "row"), *morton = cost_of(derivation, "morton"),
                    *advised = cost_of(derivation, predicted_order(advice));
    // When each invocation of a workgroup reads one: the fewer segments of 64 bytes they lie in, the better.
    std::string segments = fmt::format("{} segments of 64 bytes when each of {} invocations reads one {}",
                                       (advised ? *advised : derivation.orders.back()).segments_64,
                                       derivation.request.invocations, element_words(advice.question.format));
    if (row && row != advised)
        segments += fmt::format("; in row order in {} it is {}", shape_text(row->remap.shape), row->segments_64);
    if (morton && morton != advised)
        segments += fmt::format("{} in Morton order {}", row == advised ? ";" : ",", morton->segments_64);
    add_line(text, "touches", segments);
}

std::string work_text(const kernels::MethodWork& work) {
    return fmt::format(
        "fetches {:.3g} {} and moves {:.3g} bytes for each result; a workgroup makes {} results and waits at {}",
        work.fetches, work.fetches == 1 ? "texel" : "texels", work.bytes, extent_of({work.box.width, work.box.height}),
        counted(work.barriers, "barrier"));
}

std::string radii_text(const std::array<uint32_t, 2>& radii) {
    if (radii[1] == 0) return "";
    return radii[0] == radii[1] ? fmt::format("r = {}, ", radii[0]) : fmt::format("r = {} to {}, ", radii[0], radii[1]);
}

/// "9.71 to 20.3 times as fast as row order in 16x16 on NVIDIA H200 (r = 3, images of 4096x4096)"
std::string range_text(const TimedRange& range) {
    const std::string low = fmt::format("{:.3g}", range.low), high = fmt::format("{:.3g}", range.high);
    const std::string extents = range.smallest == range.largest
                                    ? extent_of(range.smallest)
                                    : fmt::format("{} to {}", extent_of(range.smallest), extent_of(range.largest));
    return fmt::format("{} times as fast as row order in 16x16 on {} ({}images of {})",
                       low == high ? low : fmt::format("{} to {}", low, high), fmt::join(range.devices, " and "),
                       radii_text(range.radii), extents);
}

/// The method that is given as code, where nobody timed the kernel on the device.
void add_given(std::string& text, const Advice& advice) {
    const GivenMethod& given = *advice.given;
    const FamilyRanking& ranking = advice.ranking;
    const std::string size = "in a workgroup that the device can have for certain";
    if (ranking.families.empty())
        add_line(
            text, "use",
            fmt::format("{}, {}; nobody timed {} anywhere", family_of(given.method), size, advice.question.kernel));
    else if (given.departures.empty())
        add_line(text, "use",
                 fmt::format("{}, {}; the fastest on {}, unproven here", family_of(given.method), size,
                             ranking.device.name));
    else
        add_line(text, "use",
                 fmt::format("{}, {}, in place of {}", family_of(given.method), size, ranking.families.front().family));
    for (const std::string& line : split(given.departures, '\n'))
        if (!line.empty()) add_line(text, "", line);
    add_line(text, "", work_text(given.work));
}

/// Whose kernel and format, where they are others than those of the question.
std::string stand_in_text(const Advice& advice) {
    const KernelQuestion &asked = advice.question, &timed = advice.ranking.timed;
    if (asked.kernel == timed.kernel && asked.format == timed.format) return "";
    return fmt::format(" ({}, {})", timed.kernel, timed.format);
}

void add_ranking(std::string& text, const Advice& advice) {
    const FamilyRanking& ranking = advice.ranking;
    const char* title = "ranked";
    for (const RankedFamily& each : ranking.families) {
        std::string line = fmt::format("{}{}: ", each.family, stand_in_text(advice));
        if (each.over_row)
            line += range_text(*each.over_row);
        else
            line += fmt::format("{} ms on {}", kernels::ms_text(each.way.fact.median_ms), ranking.device.name);
        if (&each != &ranking.families.front())
            line +=
                fmt::format("; takes {:.3g} times as long as {}", each.times_as_long, ranking.families.front().family);
        add_line(text, title, line);
        title = "";
        const bool is_given = advice.given && family_of(advice.given->method) == each.family;
        if (each.work && !is_given) add_line(text, "", work_text(*each.work));
    }
    if (!ranking.families.empty()) add_line(text, "evidence", ranking.reason);
}

/// How the whole advice is known.
std::string known_text(const Advice& advice) {
    switch (advice.source) {
        case AdviceSource::measured:
        case AdviceSource::measured_elsewhere:
            return known_text(advice, *advice.way);
        case AdviceSource::predicted:
            return fmt::format("predicted from the pattern {} of {} ({}); nobody has timed it", advice.pattern,
                               advice.device, advice.driver);
        case AdviceSource::unknown:
            return "unknown: " + advice.why_unknown;
    }
    return "";
}

Json estimate_json(const std::optional<Estimate>& estimate) {
    if (!estimate) return nullptr;
    const bool known = std::isfinite(estimate->high);
    return {{"ratio", estimate->value},
            {"interval", known ? Json{estimate->low, estimate->high} : Json(nullptr)},
            {"verdict", known ? Json(verdict_name(verdict(*estimate))) : Json(nullptr)}};
}

}  // namespace

Json way_json(const std::optional<TimedWay>& way) {
    if (!way) return nullptr;
    const ValidationFact& fact = way->fact;
    const std::optional<double> scaled = scaled_ms(*way);
    return {{"method", fact.method},
            {"order", fact.order.empty() ? Json(nullptr) : Json(fact.order)},
            {"shape", fact.shape},
            {"columns", way->tuned ? Json(way->tuned->columns) : Json(nullptr)},
            {"group_order", fact.group_order},
            {"by", way->tuned ? "tune" : "validate"},
            {"median_ms", fact.median_ms},
            {"interval_ms", has_interval(fact) ? Json(fact.interval_ms) : Json(nullptr)},
            {"extent", fact.extent},
            {"scaled_ms", scaled ? Json(*scaled) : Json(nullptr)},
            {"over_row", estimate_json(way->over_row)},
            {"over_morton", estimate_json(way->over_morton)}};
}

namespace {

Json work_json(const std::optional<kernels::MethodWork>& work) {
    if (!work) return nullptr;
    return {{"fetches", work->fetches},
            {"bytes", work->bytes},
            {"barriers", work->barriers},
            {"box", {work->box.width, work->box.height}}};
}

Json range_json(const std::optional<TimedRange>& range) {
    if (!range) return nullptr;
    return {{"low", range->low},           {"high", range->high},       {"radii", range->radii},
            {"smallest", range->smallest}, {"largest", range->largest}, {"devices", range->devices}};
}

Json ranked_json(const Advice& advice) {
    const FamilyRanking& ranking = advice.ranking;
    Json all = Json::array();
    for (const RankedFamily& each : ranking.families) {
        const ValidationFact& fact = each.way.fact;
        all.push_back({{"family", each.family},
                       {"method", fact.method},
                       {"evidence", evidence_names[ranking.evidence]},
                       {"device", ranking.device.name},
                       {"driver", driver_text(each.way.driver)},
                       {"kernel", fact.kernel},
                       {"format", fact.format},
                       {"radius", fact.radius},
                       {"extent", fact.extent},
                       {"median_ms", fact.median_ms},
                       {"times_as_long", each.times_as_long},
                       {"over_row", range_json(each.over_row)},
                       {"work", work_json(each.work)},
                       {"reason", ranking.reason}});
    }
    return all;
}

Json derived_json(const Advice& advice) {
    if (advice.is_linear)
        return {{"method", "direct"},
                {"order", "row"},
                {"shape", {advice.remap->shape[axis_x], advice.remap->shape[axis_y]}},
                {"segments_64", nullptr}};
    if (!advice.derived) return nullptr;
    const Derivation& derivation = *advice.derived;
    Json segments = Json::object();
    for (const OrderCost& cost : derivation.orders) segments[cost.name] = cost.segments_64;
    const Remap& remap = *advice.remap;
    return {{"method", "direct"},
            {"order", predicted_order(advice)},
            {"shape", {remap.shape[axis_x], remap.shape[axis_y]}},
            {"segments_64", segments}};
}

/// The method that is given as code, unless it is the one whose order is predicted.
Json given_json(const Advice& advice) {
    const bool is_predicted = advice.is_linear || advice.derived;
    if (!advice.given || (is_predicted && advice.given->method == kernels::direct_name)) return derived_json(advice);
    const GivenMethod& given = *advice.given;
    return {{"method", given.method},
            {"order", nullptr},
            {"shape", {given.work.box.width, given.work.box.height}},
            {"segments_64", nullptr}};
}

/// As if validate had measured it.
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

/// By the same command, with the same driver, over images of the same extent.
bool are_known_alike(const TimedWay& way, const TimedWay& other) {
    return way.tuned.has_value() == other.tuned.has_value() && driver_text(way.driver) == driver_text(other.driver) &&
           way.fact.extent == other.fact.extent;
}

/// One method in one cell: how it is run there, and its shortest time.
struct MethodTiming {
    const MeasuredCell* cell = nullptr;
    TimedWay way;
    double quickest_ms = 0;
    /// The shortest time, scaled to the extent of the question.
    double scaled_ms = 0;
    /// The images are of the very extent of the question.
    bool is_exact = false;
};

/// What the cell has of it: by validate, or by tune unless that is slower, or tells less of what is as fast.
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

/// The newest result of a cell.
std::string time_of(const MeasuredCell& cell) {
    std::string newest;
    for (const ValidationFact& fact : cell.facts) newest = std::max(newest, fact.time);
    for (const db::TuningFact& fact : cell.tuned) newest = std::max(newest, fact.time);
    return newest;
}

/// The cells, the nearest to the question first, of equally near ones the newest first.
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

/// Scaled times are off by so much: running sums over 3840x2160 take 1.107 times what 4096x4096 lets expect.
constexpr double scaling_error = 1.1;

/// All timings of a kernel, radius and format.
struct Timings {
    const MeasuredCells& measured;
    std::vector<const MeasuredCell*> cells = by_distance(measured);
    /// The extent is asked for: times are shown as they are over it.
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
    /// How many times as long as `anchor` the method takes, over the nearest images of which both were timed; else by what
    /// each of them takes beside `direct`; else as far as scaled times tell.
    double times_as_long(const std::string& method, const std::string& anchor) const {
        if (const auto ratio = times_as_long_beside(method, anchor)) return *ratio;
        const auto by_direct = times_as_long_beside(method, kernels::direct_name),
                   anchor_by_direct = times_as_long_beside(anchor, kernels::direct_name);
        if (by_direct && anchor_by_direct) return *by_direct / *anchor_by_direct;
        return nearest(method)->scaled_ms / nearest(anchor)->scaled_ms;
    }

private:
    /// Over the nearest images of which both were timed, if there are some.
    std::optional<double> times_as_long_beside(const std::string& method, const std::string& anchor) const {
        for (const MeasuredCell* cell : cells) {
            const auto timing = in(*cell, method), beside = in(*cell, anchor);
            if (timing && beside) return timing->quickest_ms / beside->quickest_ms;
        }
        return std::nullopt;
    }
};

/// The exact methods of a cell.
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

/// The exact methods of each family, the fastest family first: that is the one of `best`, whatever scaled times tell.
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

/// The fastest of the methods whose results are rounded otherwise, where it is faster than the best of the others.
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

/// The workgroups of `direct`, and the pattern that they rest on.
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
        // Two estimates may cross, but nothing is faster than the fastest.
        const double least = best->way.fact.median_ms * best->way.scale.factor / direct->way.fact.median_ms;
        TimeScale& scale = advice.direct->scale;
        if (scale.factor != 1) scale.factor = std::max(scale.factor, least);
    }
    advice.ranking = {Evidence::this_device, question, cell.device, "", families_of(timings, *best)};
    advice.rounded = rounded_of(timings, *best);
    note_differences(advice);
    return advice;
}

bool is_of_blocks(const std::string& format) {
    const probe::Format* known = probe::find_format(format);
    return known && known->element.width * known->element.height > 1;
}

std::string element_words(const std::string& format) {
    if (!is_of_blocks(format)) return "texel";
    const Element& element = probe::find_format(format)->element;
    return fmt::format("block of {}x{} texels", element.width, element.height);
}

std::string groups_text(const Advice& advice) {
    if (advice.groups.kind != GroupOrderKind::linear)
        return fmt::format("in {}{}", group_order_text(advice.groups),
                           is_written(advice.question.format)
                               ? ": advise --code and snippet --kind kernel print the grid that dispatches them so"
                               : "");
    const std::optional<TimedWay>& way = advice.direct ? advice.direct : advice.way;
    return way && way->tuned && is_direct(way->fact)
               ? "as they are launched: no other order of workgroups that tune tried is faster"
               : "as they are launched";
}

std::string known_text(const Advice& advice, const TimedWay& way) {
    const bool is_elsewhere = advice.source == AdviceSource::measured_elsewhere;
    return fmt::format(
        "{} on {}{} ({}) by tilewise {}, {}, images of {}",
        way.tuned ? fmt::format("found by tune, of {} orders and shapes,", way.tuned->candidates) : "measured",
        is_elsewhere ? "another device of this chip, " : "", advice.device, driver_text(way.driver),
        way.fact.tool_version, way.fact.time, extent_of(way.fact.extent));
}

bool gains_nothing(const Advice& advice) {
    if (advice.is_linear) return true;
    if (advice.derived)
        return orders_gain_nothing(*advice.derived) && *advice.remap == advice.derived->orders.front().remap;
    const std::optional<TimedWay>& way = advice.direct ? advice.direct : advice.way;
    if (!way) return false;
    if (is_row_in_16x16(*way)) return true;
    return way->over_row && std::isfinite(way->over_row->high) && verdict(*way->over_row) != kernels::Verdict::faster;
}

bool is_morton_enough(const Advice& advice) {
    if (advice.is_linear || advice.question.access == ImageAccess::gather || gains_nothing(advice)) return false;
    if (advice.derived) return is_morton_enough(advice.derived->orders) || orders_gain_nothing(*advice.derived);
    const std::optional<TimedWay>& way = advice.direct ? advice.direct : advice.way;
    return way && way->over_morton && std::isfinite(way->over_morton->high) &&
           verdict(*way->over_morton) != kernels::Verdict::faster;
}

void take_prediction(Advice& advice, const Pattern& pattern, const KnownDevice& device) {
    const KernelQuestion& asked = advice.question;
    advice.source = AdviceSource::predicted;
    advice.is_linear = pattern.is_linear();
    const bool is_gather = asked.access == ImageAccess::gather;
    const GatherRule& gather = gather_rule(pattern.element.bytes, asked.radius, device.max_invocations);
    if (advice.is_linear) {
        // Rows are memory order; only how large a workgroup is can count.
        WorkgroupQuestion question = {.radius = asked.radius};
        if (is_gather) question.shape = gather.shape;
        advice.remap = linear_workgroup(question);
        return;
    }
    WorkgroupQuestion question = {
        .radius = asked.radius, .reads = read_by(asked.kernel), .any_group_order = !is_gather};
    if (asked.extent) question.extent = Extent_px{(*asked.extent)[0], (*asked.extent)[1], 1};
    if (is_gather) question.shape = gather.shape;
    const WorkgroupChoice choice = choose_workgroup(pattern, device, question);
    advice.derived = choice.derivation;
    if (orders_gain_nothing(choice.derivation)) {
        const OrderCost &row = choice.derivation.orders.front(), *morton = cost_of(choice.derivation, "morton");
        const bool saves = morton && touches_no_more(*morton, row) && !touches_no_more(row, *morton);
        advice.remap = (!is_gather && saves ? *morton : row).remap;
    } else if (is_gather) {
        advice.remap = gather_remap(gather);
        advice.rests_on = gather.source;
    } else {
        advice.remap = choice.derivation.remap;
        advice.groups = choice.groups;
    }
}

bool is_access_alone(const KernelQuestion& question) {
    return question.access != ImageAccess::box && question.kernel == access_names[question.access];
}

std::optional<std::string> measure_command(const KernelQuestion& question) {
    if (is_access_alone(question)) return std::nullopt;
    const auto is_known = [&](const KernelFamily& family) { return family.name == question.kernel; };
    const bool is_filter = std::ranges::none_of(kernel_families(), is_known);
    const uint32_t max_radius = question.kernel == "box" ? kernels::max_box_radius : kernels::max_filter_radius;
    if (question.radius > max_radius) return std::nullopt;
    std::string text = fmt::format("tilewise measure --{} {}", is_filter ? "filter" : "kernel", question.kernel);
    try {
        text += " --format " + nearest_timed_format(question.format);
    } catch (const UsageError&) {
        return std::nullopt;  // no kernel writes such images
    }
    if (question.radius > 0) text += fmt::format(" --radius {}", question.radius);
    if (question.extent) text += fmt::format(" --extent {}", extent_of(*question.extent));
    return text;
}

std::string advice_text(const Advice& advice) {
    std::string text;
    const KernelQuestion& question = advice.question;
    add_line(text, "kernel",
             fmt::format("{}, {}", kernel_words(question.shown_kernel(), question.radius), question.format));
    add_line(text, "access", access_words(question));
    if (advice.way) {
        add_way(text, "use", *advice.way, question.radius);
        if (advice.rounded) add_way(text, "rounded", *advice.rounded, question.radius);
        if (advice.direct && !is_direct(advice.way->fact)) add_way(text, "direct", *advice.direct, question.radius);
    } else {
        const bool has_prediction = advice.is_linear || advice.derived;
        const bool is_given = advice.given && !(has_prediction && advice.given->method == kernels::direct_name);
        if (is_given) add_given(text, advice);
        if (has_prediction && !is_given) add_prediction(text, "use", advice);
        add_ranking(text, advice);
        if (has_prediction && is_given) add_prediction(text, "direct", advice);
    }
    if (gains_nothing(advice))
        add_line(text, "gain",
                 advice.way ? "none: no order is faster than row order in 16x16 where invocations read their own texels"
                            : "none: row order in 16x16 touches as few segments");
    if (is_morton_enough(advice))
        add_line(text, "gain",
                 advice.way
                     ? "Morton order in 16x16 is enough: no difference to it"
                     : "Morton order is enough: it touches as few segments of 32, 64 and 128 bytes as memory order");
    if (!advice.rests_on.empty()) add_line(text, "rests on", advice.rests_on);
    if (advice.source != AdviceSource::unknown) add_line(text, "groups", groups_text(advice));
    add_line(text, "known", known_text(advice));
    if (advice.way && advice.direct && !are_known_alike(*advice.way, *advice.direct))
        add_line(text, "", "direct: " + known_text(advice, *advice.direct));
    if (advice.source != AdviceSource::measured || !advice.assumed.empty())
        add_line(text, "measure",
                 measure_command(question).value_or(
                     is_access_alone(question)
                         ? fmt::format("no command times a {}: time row, Morton and memory order in your own program",
                                       question.kernel)
                         : fmt::format("no command times {}, {}: time it in your own program",
                                       kernel_words(question.kernel, question.radius), question.format)));
    return text;
}

Json to_json(const Advice& advice) {
    const KernelQuestion& question = advice.question;
    const bool measured = advice.way.has_value();
    const std::optional<std::string> measure = measure_command(question);
    return {
        {"kernel", question.shown_kernel()},
        {"format", question.format},
        {"radius", question.radius},
        {"extent", question.extent ? Json(*question.extent) : Json(nullptr)},
        {"source", source_names[advice.source]},
        {"device", advice.device},
        {"driver", advice.driver},
        {"pattern", advice.pattern.empty() ? Json(nullptr) : Json(advice.pattern)},
        {"measured", measured ? Json{{"by", advice.way->tuned ? "tune" : "validate"},
                                     {"time", advice.way->fact.time},
                                     {"tool_version", advice.way->fact.tool_version},
                                     {"radius", advice.way->fact.radius},
                                     {"extent", advice.way->fact.extent}}
                              : Json(nullptr)},
        {"use", measured ? way_json(advice.way) : given_json(advice)},
        {"direct", measured ? way_json(advice.direct) : derived_json(advice)},
        {"rounded", way_json(advice.rounded)},
        {"ranked", ranked_json(advice)},
        {"group_order", group_order_text(advice.groups)},
        {"access", access_names[question.access]},
        {"morton_is_enough", advice.source == AdviceSource::unknown ? Json(nullptr) : Json(is_morton_enough(advice))},
        {"gains_nothing", advice.source == AdviceSource::unknown ? Json(nullptr) : Json(gains_nothing(advice))},
        {"assumed", advice.assumed},
        {"measure", measure ? Json(*measure) : Json(nullptr)}};
}

}  // namespace tilewise
