#include "tools/answers/advice/advice.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/extent_text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tilewise {

using db::ValidationFact;
using kernels::Estimate;
using Json = nlohmann::ordered_json;

namespace {

constexpr EnumNames<AdviceSource, 4> source_names = {
    "source", {"measured", "measured on another device", "predicted", "unknown"}};

TimedWay way_of(const MeasuredCell& cell, const ValidationFact& fact) {
    TimedWay way = {fact, {}, {}};
    if (const ValidationFact* row = in_16x16(cell, fact, "row"); row && row != &fact)
        way.over_row = times_as_fast(fact, *row);
    if (const ValidationFact* morton = in_16x16(cell, fact, "morton"); morton && morton != &fact)
        way.over_morton = times_as_fast(fact, *morton);
    return way;
}

bool is_row_in_16x16(const TimedWay& way) {
    return way.fact.order == "row" && way.fact.shape == std::array<uint32_t, 2>{16, 16} && is_as_launched(way.fact);
}

std::string extent_of(const std::array<uint32_t, 2>& extent) { return extent_text(Extent_px{extent[0], extent[1], 1}); }

std::string ms_with_interval(const ValidationFact& fact) {
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

std::string order_words(const std::string& order) {
    return order == "learned"  ? "memory order"
           : order == "rdna"   ? "RDNA order"
           : order == "morton" ? "Morton order"
                               : order + " order";
}

std::string way_words(const TimedWay& way) {
    const ValidationFact& fact = way.fact;
    const std::string groups = is_as_launched(fact) ? "" : " in " + fact.group_order;
    const std::string shape = fmt::format("workgroups of {}{}", extent_of(fact.shape), groups);
    if (fact.order.empty()) return fmt::format("{}, {}", fact.method, shape);
    const bool has_name = !way.tuned || (fact.order != "permutation" && fact.order != "matrix");
    return fmt::format("{}, {} in {}", fact.method,
                       has_name ? order_words(fact.order) : fmt::format("the order {}", way.tuned->columns), shape);
}

void add_line(std::string& text, const char* title, const std::string& line) {
    text += fmt::format("{:<9} {}\n", title, line);
}

void add_way(std::string& text, const char* title, const TimedWay& way) {
    add_line(text, title, fmt::format("{}: {}", way_words(way), ms_with_interval(way.fact)));
    // Methods that share out squares are tuned against row order in these.
    const char* where = way.tuned && !is_direct(way.fact) ? ""
                        : way.fact.order.empty()          ? " in 16x16, direct"
                                                          : " in 16x16";
    if (way.over_row) add_line(text, "", gain_text(*way.over_row, fmt::format("row order{}", where).c_str()));
    if (way.over_morton) add_line(text, "", gain_text(*way.over_morton, fmt::format("Morton order{}", where).c_str()));
}

const OrderCost* cost_of(const Derivation& derivation, std::string_view name) {
    for (const OrderCost& cost : derivation.orders)
        if (cost.name == name) return &cost;
    return nullptr;
}

void add_prediction(std::string& text, const Advice& advice) {
    if (advice.is_linear)
        return add_line(text, "use", "row order in 16x16: the image is linear, rows are memory order");
    const Derivation& derivation = *advice.derived;
    const Remap& remap = predicted_remap(derivation);
    add_line(text, "use",
             fmt::format("{} in workgroups of {}{}, each invocation reading its own texels",
                         remap.is_row_order() ? "row order" : "memory order", shape_text(remap.shape),
                         advice.groups.kind == GroupOrderKind::linear ? "" : " in " + group_order_text(advice.groups)));
    const OrderCost &learned = derivation.orders.back(), *row = cost_of(derivation, "row"),
                    *morton = cost_of(derivation, "morton");
    std::string segments = fmt::format("{} segments of 64 bytes for one texel of each of {} invocations",
                                       learned.segments_64, derivation.request.invocations);
    if (row) segments += fmt::format("; row order in {}: {}", shape_text(row->remap.shape), row->segments_64);
    if (morton) segments += fmt::format(", Morton order: {}", morton->segments_64);
    add_line(text, "touches", segments);
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

Json way_json(const std::optional<TimedWay>& way) {
    if (!way) return nullptr;
    const ValidationFact& fact = way->fact;
    return {{"method", fact.method},
            {"order", fact.order.empty() ? Json(nullptr) : Json(fact.order)},
            {"shape", fact.shape},
            {"columns", way->tuned ? Json(way->tuned->columns) : Json(nullptr)},
            {"group_order", fact.group_order},
            {"by", way->tuned ? "tune" : "validate"},
            {"median_ms", fact.median_ms},
            {"interval_ms", has_interval(fact) ? Json(fact.interval_ms) : Json(nullptr)},
            {"over_row", estimate_json(way->over_row)},
            {"over_morton", estimate_json(way->over_morton)}};
}

Json derived_json(const Advice& advice) {
    if (advice.is_linear)
        return {{"method", "direct"}, {"order", "row"}, {"shape", {16, 16}}, {"segments_64", nullptr}};
    if (!advice.derived) return nullptr;
    const Derivation& derivation = *advice.derived;
    Json segments = Json::object();
    for (const OrderCost& cost : derivation.orders) segments[cost.name] = cost.segments_64;
    const Remap& remap = predicted_remap(derivation);
    return {{"method", "direct"},
            {"order", remap.is_row_order() ? "row" : "learned"},
            {"shape", {remap.shape[axis_x], remap.shape[axis_y]}},
            {"segments_64", segments}};
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
        advice.assumed.push_back(
            fmt::format("radius {} was not measured: this is how it is with {}, the nearest that was", question.radius,
                        fact.radius));
    if (question.extent && *question.extent != fact.extent)
        advice.assumed.push_back(fmt::format("images of {} were not measured: this is how it is with {}",
                                             extent_of(*question.extent), extent_of(fact.extent)));
}

Advice advice_of(const db::DeviceFact& device, const db::DriverFact& driver, const KernelQuestion& question) {
    Advice advice;
    advice.question = question;
    advice.source = AdviceSource::measured;
    advice.device = device.name;
    advice.driver = driver_text(driver);
    advice.measured_device = device;
    advice.measured_driver = driver;
    return advice;
}

/// For its method, unless it is slower, or has no interval where what is as fast has one; for all, where it is the
/// fastest.
void take_tuned(Advice& advice, const db::TuningFact& tuned) {
    const TimedWay found = way_of(tuned);
    const auto replaces = [&](const std::optional<TimedWay>& way) {
        if (!way) return true;
        const bool is_of_method = found.fact.method == way->fact.method;
        const bool tells_as_much = has_interval(found.fact) || !has_interval(way->fact);
        return is_of_method && tells_as_much ? is_as_fast(found.fact, way->fact) : !is_as_fast(way->fact, found.fact);
    };
    if (replaces(advice.way)) advice.way = found;
    if (!is_direct(found.fact) || !replaces(advice.direct)) return;
    advice.direct = found;
    advice.remap = db::remap_of(tuned);
    advice.groups = group_order_from_text(tuned.group_order);
    advice.pattern = tuned.pattern;
}

Advice advice_from(const db::Database& database, const MeasuredCell& cell, const db::TuningFact* tuned,
                   const KernelQuestion& question) {
    Advice advice = advice_of(cell.device, cell.driver, question);
    const auto is_exact = [](const ValidationFact& fact) { return !is_approximate(fact); };
    if (const ValidationFact* best = fastest(cell, is_exact)) advice.way = way_of(cell, *best);
    if (const ValidationFact* best = fastest(cell, is_direct)) {
        advice.direct = way_of(cell, *best);
        advice.remap = remap_of(database, cell.device, cell.driver, *best);
        advice.groups = group_order_from_text(best->group_order);
    }
    if (const ValidationFact* learned = fastest(cell, [](const ValidationFact& fact) { return !fact.pattern.empty(); }))
        advice.pattern = learned->pattern;
    if (tuned) take_tuned(advice, *tuned);
    const ValidationFact* rounded = fastest(cell, is_approximate);
    if (rounded && advice.way && verdict(times_as_fast(*rounded, advice.way->fact)) == kernels::Verdict::faster)
        advice.rounded = way_of(cell, *rounded);
    if (advice.way) note_differences(advice);
    return advice;
}

/// Whether the tune result, of another driver or extent than the cell, answers alone.
bool answers_alone(const db::TuningFact& tuned, const MeasuredCell& cell, const KernelQuestion& question) {
    const ValidationFact& measured = cell.any();
    if (measured.radius != tuned.radius) return true;
    if (question.extent && measured.extent != tuned.extent) return *question.extent == tuned.extent;
    return tuned.time > std::ranges::max(cell.facts, {}, &ValidationFact::time).time;
}

}  // namespace

std::optional<Advice> measured_advice(const db::Database& database, std::vector<db::ValidationRow> validations,
                                      const std::vector<db::TuningRow>& tunings, const KernelQuestion& question) {
    const auto cell = find_measured(std::move(validations), question);
    const auto tuned = find_tuned(tunings, question);
    if (!cell && !tuned) return std::nullopt;
    const bool are_beside = cell && tuned && cell->device.name == tuned->device.name &&
                            driver_text(cell->driver) == driver_text(tuned->driver) &&
                            cell->any().radius == tuned->fact.radius && cell->any().extent == tuned->fact.extent;
    if (tuned && !are_beside && (!cell || answers_alone(tuned->fact, *cell, question))) {
        Advice advice = advice_of(tuned->device, tuned->driver, question);
        take_tuned(advice, tuned->fact);
        note_differences(advice);
        return advice;
    }
    return advice_from(database, *cell, are_beside ? &tuned->fact : nullptr, question);
}

std::string groups_text(const Advice& advice) {
    if (advice.groups.kind != GroupOrderKind::linear)
        return fmt::format("in {}: advise --code and snippet --kind kernel print the grid that dispatches them so",
                           group_order_text(advice.groups));
    const std::optional<TimedWay>& way = advice.direct ? advice.direct : advice.way;
    return way && way->tuned && is_direct(way->fact)
               ? "as they are launched; tune found no other order of workgroups that is faster"
               : "as they are launched";
}

std::string known_text(const Advice& advice, const TimedWay& way) {
    const bool is_elsewhere = advice.source == AdviceSource::measured_elsewhere;
    return fmt::format(
        "{} on {}{} ({}) by tilewise {}, {}, images of {}",
        way.tuned ? fmt::format("found by tune, of {} orders and shapes,", way.tuned->candidates) : "measured",
        is_elsewhere ? "another device of this chip, " : "", advice.device, advice.driver, way.fact.tool_version,
        way.fact.time, extent_of(way.fact.extent));
}

const Remap& predicted_remap(const Derivation& derivation) {
    return (saves_segments(derivation.orders) ? derivation.orders.back() : derivation.orders.front()).remap;
}

bool gains_nothing(const Advice& advice) {
    if (advice.is_linear) return true;
    if (advice.derived) return !saves_segments(advice.derived->orders);
    const std::optional<TimedWay>& way = advice.direct ? advice.direct : advice.way;
    if (!way) return false;
    if (is_row_in_16x16(*way)) return true;
    return way->over_row && std::isfinite(way->over_row->high) && verdict(*way->over_row) != kernels::Verdict::faster;
}

std::string validate_command(const KernelQuestion& question) {
    std::string text = fmt::format("tilewise validate --kernel {} --format {}", question.kernel, question.format);
    if (question.radius > 0) text += fmt::format(" --radius {}", question.radius);
    if (question.extent) text += fmt::format(" --extent {}", extent_of(*question.extent));
    return text;
}

std::string advice_text(const Advice& advice) {
    std::string text;
    const KernelQuestion& question = advice.question;
    add_line(text, "kernel",
             fmt::format("{}{}, {}", question.kernel,
                         question.radius ? fmt::format(" of radius {}", question.radius) : "", question.format));
    if (advice.way) {
        add_way(text, "use", *advice.way);
        if (advice.rounded) add_way(text, "rounded", *advice.rounded);
        if (advice.direct && !is_direct(advice.way->fact)) add_way(text, "direct", *advice.direct);
    } else if (advice.is_linear || advice.derived) {
        add_prediction(text, advice);
    }
    if (gains_nothing(advice))
        add_line(text, "gain",
                 advice.way ? "none: no order is faster than row order in 16x16 where invocations read their own texels"
                            : "none: row order in 16x16 touches as few segments");
    if (advice.source != AdviceSource::unknown) add_line(text, "groups", groups_text(advice));
    add_line(text, "known", known_text(advice));
    if (advice.way && advice.direct && advice.direct->tuned.has_value() != advice.way->tuned.has_value())
        add_line(text, "", "direct: " + known_text(advice, *advice.direct));
    if (advice.source != AdviceSource::measured || !advice.assumed.empty())
        add_line(text, "measure", validate_command(question));
    return text;
}

Json to_json(const Advice& advice) {
    const KernelQuestion& question = advice.question;
    const bool measured = advice.way.has_value();
    return {{"kernel", question.kernel},
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
            {"use", measured ? way_json(advice.way) : derived_json(advice)},
            {"direct", measured ? way_json(advice.direct) : derived_json(advice)},
            {"rounded", way_json(advice.rounded)},
            {"group_order", group_order_text(advice.groups)},
            {"gains_nothing", advice.source == AdviceSource::unknown ? Json(nullptr) : Json(gains_nothing(advice))},
            {"assumed", advice.assumed},
            {"measure", validate_command(question)}};
}

}  // namespace tilewise
