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

/// The question, and the conditions on which the rules in policy.h depend.
struct Situation {
    const Pattern& pattern;
    const KnownDevice& device;
    const WorkgroupQuestion& question;

    bool reads_lines() const { return question.reads == Neighbourhood::lines; }
    uint64_t quad_bytes() const { return quad_texels * pattern.element.bytes; }
    /// The image's tiles cover much more than the image.
    bool is_small() const {
        if (!question.extent) return false;
        const auto [width, height, depth] = *question.extent;
        const auto covered = static_cast<double>(round_up(width, pattern.tile[axis_x])) *
                             static_cast<double>(round_up(height, pattern.tile[axis_y]));
        return covered > most_covered * width * height;
    }
    /// The rules in policy.h for workgroups that may be in blocks, and for small images, apply.
    bool is_known() const { return device.launches_along_rows && question.radius > 0 && !question.shape; }
    bool may_be_in_blocks() const {
        const bool is_large_enough = !is_small() || (reads_lines() && quad_bytes() >= 2 * sector_bytes);
        return is_known() && question.any_group_order && is_large_enough;
    }
    bool are_in_blocks(uint32_t invocations) const {
        return may_be_in_blocks() &&
               (reads_lines() ? invocations >= default_invocations
                              : uint64_t{invocations} * pattern.element.bytes >= least_box_bytes_in_blocks);
    }
};

/// The number of invocations that needs the fewest registers; the first number if its own registers are not known.
uint32_t invocations_of_fewest(const std::vector<uint32_t>& to_compare, const Registers& registers) {
    uint32_t best = to_compare.front();
    if (!registers.contains(best)) return best;
    for (const uint32_t invocations : to_compare)
        if (const auto known = registers.find(invocations);
            known != registers.end() && known->second < registers.at(best))
            best = invocations;
    return best;
}

/// The smaller numbers that may be taken instead of `fewest`, with as few registers.
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

/// Whether the device starts workgroups of that size fast enough according to policy.h.
bool starts_fast_enough(const Situation& asked, double fetches, uint32_t invocations) {
    const double texels = std::pow(2 * asked.question.radius + 1, 2) * invocations;
    const double share = asked.question.any_group_order ? share_of_starting_in_blocks : share_of_starting;
    return 1 / asked.device.group_starts <= share * texels / fetches;
}

/// Texels fetched per microsecond; none if that, or the rate of starting workgroups, was not measured.
std::optional<double> fetches_of(const Situation& asked) {
    const auto known = asked.device.fetches.find(asked.pattern.element.bytes);
    return asked.device.group_starts > 0 && known != asked.device.fetches.end() ? std::optional(known->second)
                                                                                : std::nullopt;
}

uint32_t invocations_for_square(const Situation& asked, const std::vector<uint32_t>& to_compare) {
    const Registers& registers = asked.question.registers;
    const uint32_t fewest = invocations_of_fewest(to_compare, registers);
    uint32_t chosen = fewest;
    if (const auto fetches = fetches_of(asked))
        for (const uint32_t invocations : smaller_with_as_few(to_compare, registers, fewest))
            if (invocations < chosen && starts_fast_enough(asked, *fetches, invocations)) chosen = invocations;
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

const ShapeRule& shape_rule(const Situation& asked, uint32_t invocations) {
    const WorkgroupQuestion& question = asked.question;
    const bool in_blocks = asked.are_in_blocks(invocations);
    const ShapeRule* rule = nullptr;
    for (const ShapeRule& each : shape_rules)
        if (fits(each.reads, question.reads) && (!each.along_rows || asked.device.launches_along_rows) &&
            each.in_blocks.value_or(in_blocks) == in_blocks && question.radius >= each.min_radius &&
            invocations >= each.min_invocations)
            rule = &each;
    return *rule;
}

/// The most rows that a tall box may have.
uint32_t max_rows(const Situation& asked, uint32_t invocations) {
    const uint32_t tile = asked.pattern.tile[axis_y];
    const bool in_blocks = asked.are_in_blocks(invocations);
    uint32_t parts = 1;
    if (asked.is_small() || (in_blocks && asked.question.radius == 1))
        parts = tile_for_low_box;
    else if (in_blocks)
        parts = tile_for_box;
    return std::max(tile / parts, 1U);
}

RemapRequest request_for(const Situation& asked, uint32_t invocations) {
    RemapRequest request;
    request.invocations = invocations;
    request.radius = asked.question.radius;
    request.reads = asked.question.reads;
    request.shape = shape_rule(asked, invocations).shape;
    request.max_rows = max_rows(asked, invocations);
    request.subgroup_size = subgroup_size_of(asked.device, invocations, asked.question.subgroup_size);
    if (const auto lanes = asked.device.lanes.find(invocations); lanes != asked.device.lanes.end())
        request.lane_order = lanes->second.order;
    return request;
}

uint32_t registers_for_all(const KnownDevice& device) {
    return device.registers_for_all ? device.registers_for_all : assumed_registers_for_all;
}

/// The numbers to compare if blocks, or an image being small, decide; empty if policy.h leaves the choice to
/// invocations_rules.
std::vector<uint32_t> invocations_by_size(const Situation& asked) {
    std::vector<uint32_t> numbers;
    if (!asked.is_known()) return numbers;
    if (asked.reads_lines() && (asked.may_be_in_blocks() || asked.is_small())) {
        for (const LineInvocationsRule& rule : line_invocations_in_blocks)
            if (asked.quad_bytes() >= rule.min_quad_bytes && asked.question.radius >= rule.min_radius &&
                (rule.min_radius == 1 || !asked.is_small()))
                numbers.assign(rule.invocations.begin(), rule.invocations.end());
        std::erase(numbers, 0);
    } else if (asked.may_be_in_blocks() && asked.question.radius == 1 && asked.quad_bytes() == sector_bytes) {
        numbers.push_back(invocations_of_sector_quads);
    }
    return numbers;
}

/// Implements the rules for lines in policy.h.
uint32_t invocations_for_lines(const Situation& asked, const std::vector<uint32_t>& to_compare) {
    const Registers& registers = asked.question.registers;
    const uint32_t usual = to_compare.front();
    if (to_compare.size() == 1 || !registers.contains(usual)) return usual;
    if (to_compare == invocations_by_size(asked))
        return registers.at(usual) <= registers_for_all(asked.device) ? usual : to_compare.back();
    std::vector<uint32_t> at_once;
    for (const uint32_t invocations : to_compare)
        if (const auto known = registers.find(invocations);
            known != registers.end() && known->second <= registers_for_all(asked.device))
            at_once.push_back(invocations);
    if (at_once.empty()) return std::ranges::min(to_compare);
    std::ranges::sort(at_once);
    for (const uint32_t invocations : at_once)
        if (invocations >= usual && derive_remap(asked.pattern, request_for(asked, invocations)).remap.shape[axis_y] >=
                                        asked.pattern.tile[axis_y])
            return invocations;
    return std::ranges::count(at_once, usual) ? usual : at_once.back();
}

/// Why this number was chosen, if several were compared; empty if it is the number taken without any measurement.
std::string why_so_many(const Situation& asked, const std::vector<uint32_t>& compared, uint32_t invocations) {
    const WorkgroupQuestion& question = asked.question;
    const Registers& registers = question.registers;
    if (compared.size() == 1 || !registers.contains(compared.front())) return "";
    if (asked.reads_lines() && compared == invocations_by_size(asked))
        return fmt::format("\n{} invocations: in {} the kernel takes {} registers, and all invocations run with {}.",
                           invocations, compared.front(), registers.at(compared.front()),
                           registers_for_all(asked.device));
    const uint32_t fewest = invocations_of_fewest(compared, registers);
    if (!asked.reads_lines() && invocations != fewest)
        return fmt::format(
            "\n{} invocations: the kernel takes as few registers as with {}, and the device starts workgroups fast "
            "enough ({:.0f} a microsecond). Rests on {}.",
            invocations, fewest, asked.device.group_starts, starting_source);
    if (invocations == compared.front()) return "";
    const auto rule = std::ranges::find_if(invocations_rules, [&](const InvocationsRule& each) {
        return each.invocations == invocations && fits(each.reads, question.reads);
    });
    const uint32_t taken = registers.at(invocations);
    const bool fills_tile =
        asked.reads_lines() && taken <= registers_for_all(asked.device) && invocations > compared.front();
    const std::string why =
        fills_tile ? fmt::format(
                         "with the {} registers that the kernel takes none waits for another, and the box is "
                         "as tall as the tile",
                         taken)
                   : fmt::format("the kernel takes {} registers, and {} with {}", taken, registers.at(compared.front()),
                                 compared.front());
    return fmt::format("\n{} invocations: {}. Rests on {}.", invocations, why, rule->source);
}

/// The measurements on which number and shape rest.
std::string rests_on(const Situation& asked, const std::vector<uint32_t>& compared, uint32_t invocations) {
    std::string text = why_so_many(asked, compared, invocations);
    const ShapeRule& rule = shape_rule(asked, invocations);
    if (asked.question.shape || rule.shape == WorkgroupShape::compact) return text;
    text += fmt::format("\nThe policy for its shape rests on {}.", rule.source);
    if (asked.is_small() && rule.shape == WorkgroupShape::tall)
        text += fmt::format("\nTiles of {} cover much more than the image: the box is at most {} high ({}).",
                            shape_text(asked.pattern.tile), max_rows(asked, invocations), blocks_source);
    return text;
}

GroupOrder groups_of(const Situation& asked, const Remap& remap) {
    const auto invocations = static_cast<uint32_t>(element_count(remap.shape));
    const bool is_wide_square = !asked.reads_lines() && shape_rule(asked, invocations).shape == WorkgroupShape::wide;
    if (!asked.are_in_blocks(invocations) || is_wide_square) return {};
    const GroupOrder tiles = derive_group_order(asked.pattern, remap, GroupOrderKind::tiles);
    const bool is_too_large = dispatched_grid(tiles, remap.shape)[0].groups > max_dispatched_groups;
    return is_as_launched(tiles) || is_too_large ? GroupOrder{} : tiles;
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
    if (question.shape) return {invocations_in(*question.shape, question.invocations)};
    if (question.invocations) return {*question.invocations};
    const Situation asked = {pattern, device, question};
    const uint32_t max = device.max_invocations ? device.max_invocations : max_workgroup_invocations;
    std::vector<uint32_t> numbers = invocations_by_size(asked);
    std::erase_if(numbers, [&](uint32_t number) { return number > max; });
    if (!numbers.empty()) return numbers;
    const bool is_small = asked.is_known() && asked.is_small();
    for (const InvocationsRule& rule : invocations_rules)
        if (rule.invocations <= std::min(max, is_small ? default_invocations : max) &&
            fits(rule.reads, question.reads) && asked.quad_bytes() >= rule.min_quad_bytes)
            numbers.push_back(rule.invocations);
    if (numbers.empty()) numbers.push_back(std::bit_floor(max));
    if (question.radius == 0) numbers.resize(1);
    return numbers;
}

WorkgroupChoice choose_workgroup(const Pattern& pattern, const KnownDevice& device, const WorkgroupQuestion& question) {
    if (question.invocations) require_invocations(*question.invocations);
    const Situation asked = {pattern, device, question};
    const Registers& registers = question.registers;
    const std::vector<uint32_t> to_compare = invocations_to_compare(pattern, device, question);
    const uint32_t invocations =
        asked.reads_lines() ? invocations_for_lines(asked, to_compare) : invocations_for_square(asked, to_compare);
    const RemapRequest request = request_for(asked, invocations);
    WorkgroupChoice choice;
    choice.derivation =
        question.shape ? derive_remap_in(pattern, *question.shape, request) : derive_remap(pattern, request);
    choice.derivation.reason += rests_on(asked, to_compare, invocations);
    choice.groups = groups_of(asked, choice.derivation.remap);
    if (choice.groups.kind != GroupOrderKind::linear)
        choice.derivation.reason +=
            fmt::format("\nWorkgroups in {}: those of one tile of the pattern run one after the other. Rests on {}.",
                        group_order_text(choice.groups), blocks_source);
    choice.occupancy_unknown = asked.reads_lines() && to_compare.size() > 1 && registers.contains(to_compare.front()) &&
                               device.registers_for_all == 0;
    choice.registers_unknown = to_compare.size() > 1 && !registers.contains(to_compare.front());
    choice.figures_unknown =
        !asked.reads_lines() && !fetches_of(asked) && !smaller_with_as_few(to_compare, registers, invocations).empty();
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
