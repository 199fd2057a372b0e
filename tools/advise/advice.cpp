#include "tools/advise/advice.h"
#include "patterns/model/enum_names.h"
#include "tools/probing/facts.h"
#include "tools/terminal/print.h"
#include "tools/validate/cell_result.h"
#include <cmath>
#include <fmt/format.h>

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

bool is_row_in_16x16(const ValidationFact& fact) {
    return fact.order == "row" && fact.shape == std::array<uint32_t, 2>{16, 16};
}

std::string extent_of(const std::array<uint32_t, 2>& extent) { return extent_text({extent[0], extent[1], 1, 1}); }

std::string ms_with_interval(const ValidationFact& fact) {
    if (fact.interval_ms[1] == 0) return ms_text(fact.median_ms) + " ms";
    return fmt::format("{} ms ({} to {})", ms_text(fact.median_ms), ms_text(fact.interval_ms[0]),
                       ms_text(fact.interval_ms[1]));
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

std::string way_words(const ValidationFact& fact) {
    const std::string shape = fmt::format("workgroups of {}", extent_of(fact.shape));
    if (fact.order.empty()) return fmt::format("{}, {}", fact.method, shape);
    return fmt::format("{}, {} in {}", fact.method, order_words(fact.order), shape);
}

void add_line(std::string& text, const char* title, const std::string& line) {
    text += fmt::format("{:<9} {}\n", title, line);
}

void add_way(std::string& text, const char* title, const TimedWay& way) {
    add_line(text, title, fmt::format("{}: {}", way_words(way.fact), ms_with_interval(way.fact)));
    const char* method = way.fact.order.empty() ? ", direct" : "";
    if (way.over_row) add_line(text, "", gain_text(*way.over_row, fmt::format("row order in 16x16{}", method).c_str()));
    if (way.over_morton)
        add_line(text, "", gain_text(*way.over_morton, fmt::format("Morton order in 16x16{}", method).c_str()));
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
             fmt::format("{} in workgroups of {}, each invocation reading its own texels",
                         remap.is_row_order() ? "row order" : "memory order", shape_text(remap.shape)));
    const OrderCost &learned = derivation.orders.back(), *row = cost_of(derivation, "row"),
                    *morton = cost_of(derivation, "morton");
    std::string segments = fmt::format("{} segments of 64 bytes for one texel of each of {} invocations",
                                       learned.segments_64, derivation.request.invocations);
    if (row) segments += fmt::format("; row order in {}: {}", shape_text(row->remap.shape), row->segments_64);
    if (morton) segments += fmt::format(", Morton order: {}", morton->segments_64);
    add_line(text, "touches", segments);
}

std::string known_text(const Advice& advice) {
    const std::string on = fmt::format("{} ({})", advice.device, advice.driver);
    switch (advice.source) {
        case AdviceSource::measured:
        case AdviceSource::measured_elsewhere: {
            const ValidationFact& fact = advice.way->fact;
            return fmt::format("measured on {}{} by tilewise {}, {}, images of {}",
                               advice.source == AdviceSource::measured ? "" : "another device of this chip, ", on,
                               fact.tool_version, fact.time, extent_of(fact.extent));
        }
        case AdviceSource::predicted:
            return fmt::format("predicted from the pattern {} of {}; nobody has timed it", advice.pattern, on);
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
            {"median_ms", fact.median_ms},
            {"interval_ms", fact.interval_ms[1] > 0 ? Json(fact.interval_ms) : Json(nullptr)},
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

}  // namespace

Advice advice_from(const MeasuredCell& cell, const KernelQuestion& question) {
    Advice advice;
    advice.question = question;
    advice.source = AdviceSource::measured;
    advice.device = cell.device.name;
    advice.driver = driver_text(cell.driver);
    const ValidationFact& any = cell.any();
    if (any.radius != question.radius)
        advice.assumed.push_back(
            fmt::format("radius {} was not measured: this is how it is with {}, the nearest that was", question.radius,
                        any.radius));
    if (question.extent && *question.extent != any.extent)
        advice.assumed.push_back(fmt::format("images of {} were not measured: this is how it is with {}",
                                             extent_of(*question.extent), extent_of(any.extent)));
    const auto is_exact = [](const ValidationFact& fact) { return !is_approximate(fact); };
    if (const ValidationFact* best = fastest(cell, is_exact)) advice.way = way_of(cell, *best);
    if (const ValidationFact* best = fastest(cell, is_direct)) advice.direct = way_of(cell, *best);
    const ValidationFact* rounded = fastest(cell, is_approximate);
    if (rounded && advice.way && verdict(times_as_fast(*rounded, advice.way->fact)) == kernels::Verdict::faster)
        advice.rounded = way_of(cell, *rounded);
    if (const ValidationFact* learned = fastest(cell, [](const ValidationFact& fact) { return !fact.pattern.empty(); }))
        advice.pattern = learned->pattern;
    return advice;
}

const Remap& predicted_remap(const Derivation& derivation) {
    return (saves_segments(derivation.orders) ? derivation.orders.back() : derivation.orders.front()).remap;
}

bool gains_nothing(const Advice& advice) {
    if (advice.is_linear) return true;
    if (advice.derived) return !saves_segments(advice.derived->orders);
    const std::optional<TimedWay>& way = advice.direct ? advice.direct : advice.way;
    if (!way) return false;
    if (is_row_in_16x16(way->fact)) return true;
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
    if (advice.source != AdviceSource::unknown)
        add_line(text, "groups", "as they are launched; no other order of workgroups was measured");
    add_line(text, "known", known_text(advice));
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
            {"measured", measured ? Json{{"time", advice.way->fact.time},
                                         {"tool_version", advice.way->fact.tool_version},
                                         {"radius", advice.way->fact.radius},
                                         {"extent", advice.way->fact.extent}}
                                  : Json(nullptr)},
            {"use", measured ? way_json(advice.way) : derived_json(advice)},
            {"direct", measured ? way_json(advice.direct) : derived_json(advice)},
            {"rounded", way_json(advice.rounded)},
            {"group_order", "linear"},
            {"gains_nothing", advice.source == AdviceSource::unknown ? Json(nullptr) : Json(gains_nothing(advice))},
            {"assumed", advice.assumed},
            {"measure", validate_command(question)}};
}

}  // namespace tilewise
