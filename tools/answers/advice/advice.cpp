#include "tools/answers/advice/advice.h"
#include "kernels/box/box.h"
#include "kernels/kernel_list.h"
#include "tools/answers/advice/ranking.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilewise {

namespace {

bool is_row_in_16x16(const TimedWay& way) {
    return way.fact.order == "row" && way.fact.shape == usual_shape && is_as_launched(way.fact);
}

}  // namespace

void TimedRange::widen(double ratio, uint32_t radius, const std::array<uint32_t, 2>& extent) {
    if (high == 0) *this = {ratio, ratio, {radius, radius}, extent, extent, devices};
    low = std::min(low, ratio);
    high = std::max(high, ratio);
    radii = {std::min(radii[0], radius), std::max(radii[1], radius)};
    if (texels_of(extent) < texels_of(smallest)) smallest = extent;
    if (texels_of(extent) > texels_of(largest)) largest = extent;
}

bool orders_gain_nothing(const Derivation& derivation) {
    return !differ_in_segments(derivation.orders) || !saves_segments(derivation.orders);
}

const OrderCost* cost_of(const Derivation& derivation, std::string_view name) {
    for (const OrderCost& cost : derivation.orders)
        if (cost.name == name) return &cost;
    return nullptr;
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
        // Row order is memory order: only the size of the workgroups can make a difference.
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

}  // namespace tilewise
