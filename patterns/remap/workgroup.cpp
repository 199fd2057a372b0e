#include "patterns/remap/workgroup.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/remap/box_order.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace tilewise {

namespace {

constexpr uint64_t quad_texels = 4;

/// Of fewest registers; the first where its own are not known.
uint32_t invocations_of_fewest(const std::vector<uint32_t>& to_compare, const Registers& registers) {
    uint32_t best = to_compare.front();
    if (!registers.contains(best)) return best;
    for (const uint32_t invocations : to_compare)
        if (const auto known = registers.find(invocations);
            known != registers.end() && known->second < registers.at(best))
            best = invocations;
    return best;
}

/// Those that may be taken in place of `fewest`, with as few registers.
std::vector<uint32_t> smaller_with_as_few(const std::vector<uint32_t>& to_compare, const Registers& registers,
                                          uint32_t fewest) {
    std::vector<uint32_t> smaller;
    const auto taken = registers.find(fewest);
    for (const uint32_t invocations : to_compare)
        if (const auto known = registers.find(invocations); invocations >= least_invocations && invocations < fewest &&
                                                            known != registers.end() && taken != registers.end() &&
                                                            known->second <= taken->second)
            smaller.push_back(invocations);
    return smaller;
}

/// Whether the device starts workgroups of that size fast enough, by policy.h.
bool starts_fast_enough(const KnownDevice& device, double fetches, uint32_t radius, uint32_t invocations) {
    const double texels = std::pow(2 * radius + 1, 2) * invocations;
    return 1 / device.group_starts <= share_of_starting * texels / fetches;
}

/// Texels in a microsecond; none where that, or how many workgroups start, was not measured.
std::optional<double> fetches_of(const KnownDevice& device, const Pattern& pattern) {
    const auto known = device.fetches.find(pattern.element.bytes);
    return device.group_starts > 0 && known != device.fetches.end() ? std::optional(known->second) : std::nullopt;
}

uint32_t invocations_for_square(const Pattern& pattern, const KnownDevice& device, const WorkgroupQuestion& question,
                                const std::vector<uint32_t>& to_compare) {
    const uint32_t fewest = invocations_of_fewest(to_compare, question.registers);
    uint32_t chosen = fewest;
    if (const auto fetches = fetches_of(device, pattern))
        for (const uint32_t invocations : smaller_with_as_few(to_compare, question.registers, fewest))
            if (invocations < chosen && starts_fast_enough(device, *fetches, question.radius, invocations))
                chosen = invocations;
    return chosen;
}

bool fits(const std::optional<Neighbourhood>& wanted, Neighbourhood reads) { return !wanted || *wanted == reads; }

uint32_t invocations_in(const Coord& shape, const std::optional<uint32_t>& wanted) {
    uint64_t count = 1;
    for (const uint32_t side : shape) {
        if (!std::has_single_bit(side) || side > max_workgroup_invocations)
            throw UsageError(fmt::format("a workgroup of {}: give sides that are powers of two, up to {}",
                                         shape_text(shape), max_workgroup_invocations));
        count = std::min<uint64_t>(count * side, max_workgroup_invocations + 1);
    }
    if (count > max_workgroup_invocations)
        throw UsageError(fmt::format("a workgroup of {} has more than {} invocations: give a smaller shape",
                                     shape_text(shape), max_workgroup_invocations));
    if (wanted && *wanted != count)
        throw UsageError(fmt::format("a workgroup of {} has {} invocations, not {}: give the shape alone",
                                     shape_text(shape), count, *wanted));
    return static_cast<uint32_t>(count);
}

const ShapeRule& shape_rule(const KnownDevice& device, const WorkgroupQuestion& question, uint32_t invocations) {
    const ShapeRule* rule = nullptr;
    for (const ShapeRule& each : shape_rules)
        if (fits(each.reads, question.reads) && (!each.along_rows || device.launches_along_rows) &&
            question.radius >= each.min_radius && invocations >= each.min_invocations)
            rule = &each;
    return *rule;
}

RemapRequest request_for(const KnownDevice& device, const WorkgroupQuestion& question, uint32_t invocations) {
    RemapRequest request;
    request.invocations = invocations;
    request.radius = question.radius;
    request.reads = question.reads;
    request.shape = shape_rule(device, question, invocations).shape;
    request.subgroup_size = subgroup_size_of(device, invocations, question.subgroup_size);
    if (const auto lanes = device.lanes.find(invocations); lanes != device.lanes.end())
        request.lane_order = lanes->second.order;
    return request;
}

uint32_t registers_for_all(const KnownDevice& device) {
    return device.registers_for_all ? device.registers_for_all : assumed_registers_for_all;
}

/// As policy.h says of lines.
uint32_t invocations_for_lines(const Pattern& pattern, const KnownDevice& device, const WorkgroupQuestion& question,
                               const std::vector<uint32_t>& to_compare) {
    const uint32_t usual = to_compare.front();
    if (to_compare.size() == 1 || !question.registers.contains(usual)) return usual;
    std::vector<uint32_t> at_once;
    for (const uint32_t invocations : to_compare)
        if (const auto known = question.registers.find(invocations);
            known != question.registers.end() && known->second <= registers_for_all(device))
            at_once.push_back(invocations);
    if (at_once.empty()) return std::ranges::min(to_compare);
    std::ranges::sort(at_once);
    for (const uint32_t invocations : at_once)
        if (invocations >= usual &&
            derive_remap(pattern, request_for(device, question, invocations)).remap.shape[axis_y] >=
                pattern.tile[axis_y])
            return invocations;
    return std::ranges::count(at_once, usual) ? usual : at_once.back();
}

/// Which measurements the choice rests on; empty where it is what is taken without any.
std::string rests_on(const KnownDevice& device, const WorkgroupQuestion& question,
                     const std::vector<uint32_t>& compared, uint32_t invocations) {
    std::string text;
    const bool by_starts =
        question.reads == Neighbourhood::square && invocations != invocations_of_fewest(compared, question.registers);
    if (by_starts && !question.shape) {
        text += fmt::format(
            "\n{} invocations: the kernel takes as few registers as with {}, and the device starts workgroups fast "
            "enough ({:.0f} a microsecond). Rests on {}.",
            invocations, invocations_of_fewest(compared, question.registers), device.group_starts, starting_source);
    } else if (invocations != compared.front()) {
        const auto rule = std::ranges::find_if(invocations_rules, [&](const InvocationsRule& each) {
            return each.invocations == invocations && fits(each.reads, question.reads);
        });
        const uint32_t taken = question.registers.at(invocations);
        const std::string why =
            question.reads == Neighbourhood::lines && taken <= registers_for_all(device) &&
                    invocations > compared.front()
                ? fmt::format(
                      "with the {} registers that the kernel takes none waits for another, and the box is "
                      "as tall as the tile",
                      taken)
                : fmt::format("the kernel takes {} registers, and {} with {}", taken,
                              question.registers.at(compared.front()), compared.front());
        text += fmt::format("\n{} invocations: {}. Rests on {}.", invocations, why, rule->source);
    }
    const ShapeRule& rule = shape_rule(device, question, invocations);
    if (rule.shape != WorkgroupShape::compact && !question.shape)
        text += fmt::format("\nThe policy for its shape rests on {}.", rule.source);
    return text;
}

}  // namespace

namespace {

uint64_t rows_covered(const Coord& shape, const Extent_px& extent) { return round_up(extent[1], shape[axis_y]); }

/// Lower and wider, while the box covers more rows than policy.h says; the same where that covers no fewer.
Coord within_rows(Coord shape, const Extent_px& extent) {
    while (static_cast<double>(rows_covered(shape, extent)) > most_rows_covered * extent[1] && shape[axis_y] > 1) {
        Coord lower = shape;
        lower[axis_y] /= 2;
        lower[axis_x] *= 2;
        if (lower[axis_x] > lower[axis_y] || rows_covered(lower, extent) == rows_covered(shape, extent)) break;
        shape = lower;
    }
    return shape;
}

}  // namespace

uint32_t subgroup_size_of(const KnownDevice& device, uint32_t invocations, std::optional<uint32_t> given) {
    if (given) return *given;
    const auto lanes = device.lanes.find(invocations);
    if (lanes != device.lanes.end() && lanes->second.subgroup_size) return lanes->second.subgroup_size;
    return device.subgroup_size ? device.subgroup_size : default_subgroup_size;
}

std::vector<uint32_t> invocations_to_compare(const Pattern& pattern, const KnownDevice& device,
                                             const WorkgroupQuestion& question) {
    std::vector<uint32_t> numbers;
    if (question.shape) {
        numbers.push_back(invocations_in(*question.shape, question.invocations));
    } else if (question.invocations) {
        numbers.push_back(*question.invocations);
    } else {
        const uint32_t max = device.max_invocations ? device.max_invocations : max_workgroup_invocations;
        for (const InvocationsRule& rule : invocations_rules)
            if (rule.invocations <= max && fits(rule.reads, question.reads) &&
                quad_texels * pattern.element.bytes >= rule.min_quad_bytes)
                numbers.push_back(rule.invocations);
        if (numbers.empty()) numbers.push_back(std::bit_floor(max));
        if (question.radius == 0) numbers.resize(1);
    }
    return numbers;
}

WorkgroupChoice choose_workgroup(const Pattern& pattern, const KnownDevice& device, const WorkgroupQuestion& question) {
    const std::vector<uint32_t> to_compare = invocations_to_compare(pattern, device, question);
    const uint32_t invocations = question.reads == Neighbourhood::lines
                                     ? invocations_for_lines(pattern, device, question, to_compare)
                                     : invocations_for_square(pattern, device, question, to_compare);
    const RemapRequest request = request_for(device, question, invocations);
    WorkgroupChoice choice;
    choice.derivation =
        question.shape ? derive_remap_in(pattern, *question.shape, request) : derive_remap(pattern, request);
    choice.derivation.reason += rests_on(device, question, to_compare, invocations);
    const Coord& derived = choice.derivation.remap.shape;
    if (question.extent && !question.shape && request.shape == WorkgroupShape::tall &&
        invocations <= default_invocations)
        if (const Coord lower = within_rows(derived, *question.extent); lower != derived) {
            const std::string why = fmt::format(
                "\n{} and not {}, which would cover {} rows of an image that has {} (docs/results/nvidia-h100.md).",
                shape_text(lower), shape_text(derived), rows_covered(derived, *question.extent), (*question.extent)[1]);
            choice.derivation = derive_remap_in(pattern, lower, request);
            choice.derivation.reason += why;
        }
    choice.occupancy_unknown = question.reads == Neighbourhood::lines && to_compare.size() > 1 &&
                               question.registers.contains(to_compare.front()) && device.registers_for_all == 0;
    choice.registers_unknown = to_compare.size() > 1 && !question.registers.contains(to_compare.front());
    choice.figures_unknown = question.reads == Neighbourhood::square && !fetches_of(device, pattern) &&
                             !smaller_with_as_few(to_compare, question.registers, invocations).empty();
    if (const auto lanes = device.lanes.find(invocations); lanes != device.lanes.end())
        choice.lane_disorder = lanes->second.disorder;
    return choice;
}

Remap linear_workgroup(const WorkgroupQuestion& question) {
    if (question.shape) {
        invocations_in(*question.shape, question.invocations);
        return row_order(*question.shape);
    }
    const uint32_t invocations = question.invocations.value_or(default_invocations);
    require_invocations(invocations);
    const unsigned bits = log2_exact(invocations);
    return row_order({1U << (bits + 1) / 2, 1U << bits / 2, 1, 1});
}

}  // namespace tilewise
