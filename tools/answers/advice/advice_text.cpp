#include "tools/answers/advice/advice_text.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/text.h"
#include "patterns/snippet/kernel_format.h"
#include "probe/formats/formats.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

using db::ValidationFact;
using kernels::Estimate;
using Json = nlohmann::ordered_json;

namespace {

constexpr EnumNames<AdviceSource, 4> source_names = {
    "source", {"measured", "measured on another device", "predicted", "unknown"}};

constexpr EnumNames<Evidence, 5> evidence_names = {
    "evidence", {"this device", "this chip", "same tile and architecture", "same tile", "any device"}};

/// The median, scaled to the images that are asked about. What a dispatch costs besides its texels does not depend on
/// the pixel count, so short times are not scaled by pixels: on an H100 the average of RGBA8 takes 0.01148 ms over
/// 1920x1080 and 0.01594 ms over four times the pixels (docs/results/nvidia-h100/usual-sizes-reductions.json).
std::optional<double> scaled_ms(const TimedWay& way) {
    constexpr double shortest = 0.02;
    const double scaled = way.fact.median_ms * way.scale.factor;
    const bool is_too_short = way.scale.by_texels && std::min(scaled, way.fact.median_ms) < shortest;
    return way.scale.factor == 1 || is_too_short ? std::nullopt : std::optional(scaled);
}

/// The time as measured; for another radius or extent, the scaled time if there is one, and what was measured.
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
        return fmt::format("no difference from {} ({:.3f} to {:.3f} times as fast)", over, gain.low, gain.high);
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

/// A method's name in words: "fused (both passes in one dispatch), 8 rows in 1 strip, 8 results an invocation, 32 bits
/// a channel" for "fused, 8 rows, 1 strips, 8 results, 32 bit".
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
        return fmt::format(
            "in {}{}", group_order_text(advice.groups),
            is_written(advice.question.format)
                ? ": advise --code and snippet --kind kernel print the grid that dispatches them in this order"
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

namespace {

void add_line(std::string& text, const char* title, const std::string& line) {
    text += fmt::format("{:<9} {}\n", title, line);
}

void add_way(std::string& text, const char* title, const TimedWay& way, uint32_t radius) {
    const std::string of_radius =
        way.fact.radius == radius ? "" : fmt::format(", at radius {}, the nearest timing", way.fact.radius);
    add_line(text, title, fmt::format("{}: {}{}", way_words(way), ms_text(way), of_radius));
    // Methods that divide the image into squares are tuned against row order in these squares.
    const char* where = way.tuned && !is_direct(way.fact) ? ""
                        : way.fact.order.empty()          ? " in 16x16, direct"
                                                          : " in 16x16";
    if (way.over_row) add_line(text, "", gain_text(*way.over_row, fmt::format("row order{}", where).c_str()));
    if (way.over_morton) add_line(text, "", gain_text(*way.over_morton, fmt::format("Morton order{}", where).c_str()));
}

/// The name of the predicted order, as in JSON.
const char* predicted_order(const Advice& advice) {
    const Remap& remap = *advice.remap;
    if (remap.is_row_order()) return "row";
    return advice.question.access == ImageAccess::gather || !(remap == advice.derived->remap) ? "morton" : "learned";
}

const char* access_words(const KernelQuestion& question) {
    switch (question.access) {
        case ImageAccess::box:
            if (question.radius == 0) return "box: the texels around each";
            return "box: every texel within the radius; for scattered taps: --access gather";
        case ImageAccess::gather:
            return "gather: some texels anywhere within the radius; for all of them: --access box";
        case ImageAccess::copy:
            return "copy: each texel once";
    }
    return "";
}

/// `title`: "use", or "direct" if another method is advised.
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
    // The chosen order may be row order in another shape than that of the row order that it is compared with.
    const auto chosen = std::ranges::find(derivation.orders, remap, &OrderCost::remap);
    const OrderCost *row = cost_of(derivation, "row"), *morton = cost_of(derivation, "morton"),
                    *advised =
                        chosen == derivation.orders.end() ? cost_of(derivation, predicted_order(advice)) : &*chosen;
    // The texels that a workgroup's invocations read, one each: the fewer segments of 64 bytes they lie in, the better.
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
    const std::string fetches = fmt::format("{:.3g}", work.fetches);
    return fmt::format(
        "fetches {} {} and moves {:.3g} bytes for each result; a workgroup makes {} results and waits at {}", fetches,
        fetches == "1" ? "texel" : "texels", work.bytes, extent_of({work.box.width, work.box.height}),
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

/// The method that the given code uses if nobody timed the kernel on the device.
void add_given(std::string& text, const Advice& advice) {
    const GivenMethod& given = *advice.given;
    const FamilyRanking& ranking = advice.ranking;
    const std::string size = "in a workgroup that is sure to fit the device";
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

/// The kernel and format that were timed, if they are not those of the question.
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
            line += fmt::format("{} ms on {} (images of {})", kernels::ms_text(each.way.fact.median_ms),
                                ranking.device.name, extent_of(each.way.fact.extent));
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

/// How the advice as a whole is known.
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

/// Whether both come from the same command, with the same driver, over images of the same extent.
bool are_known_alike(const TimedWay& way, const TimedWay& other) {
    return way.tuned.has_value() == other.tuned.has_value() && driver_text(way.driver) == driver_text(other.driver) &&
           way.fact.extent == other.fact.extent;
}

}  // namespace

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
                     ? "Morton order in 16x16 is enough: no difference from it"
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

namespace {

Json estimate_json(const std::optional<Estimate>& estimate) {
    if (!estimate) return nullptr;
    const bool known = std::isfinite(estimate->high);
    return {{"ratio", estimate->value},
            {"interval", known ? Json{estimate->low, estimate->high} : Json(nullptr)},
            {"verdict", known ? Json(verdict_name(verdict(*estimate))) : Json(nullptr)}};
}

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

/// The method of the given code, unless it is the one whose order is predicted.
Json given_json(const Advice& advice) {
    const bool is_predicted = advice.is_linear || advice.derived;
    if (!advice.given || (is_predicted && advice.given->method == kernels::direct_name)) return derived_json(advice);
    const GivenMethod& given = *advice.given;
    return {{"method", given.method},
            {"order", nullptr},
            {"shape", {given.work.box.width, given.work.box.height}},
            {"segments_64", nullptr}};
}

}  // namespace

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
