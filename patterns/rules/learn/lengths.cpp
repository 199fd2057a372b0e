// How many bytes a level takes: the formulas of each mode.
#include "patterns/model/bits.h"
#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace tilewise {

namespace {

std::vector<Length> lengths(uint64_t unit, uint64_t max) {
    std::vector<Length> all;
    for (uint64_t u = unit; u <= max; u *= 2)
        for (Minify minify :
             {Minify::floor, Minify::ceil, Minify::pow2, Minify::below, Minify::rounded, Minify::below_ceil})
            all.push_back({minify, 1, u});
    for (uint64_t u = unit; u <= max; u *= 2)
        for (uint64_t first = u; first <= max; first *= 2) all.push_back({Minify::shifted, first, u});
    return all;
}

/// Of rows: of elements that take no power of two of bytes, some whole ones, and then a power of two of bytes.
std::vector<Length> row_lengths(const Pattern& pattern, uint64_t max) {
    const uint64_t bytes = pattern.element.bytes;
    std::vector<Length> all = lengths(row_unit_of(pattern), max);
    if (!std::has_single_bit(bytes))
        for (uint64_t first = bytes; first <= 16 * bytes; first *= 2)
            for (uint64_t unit = 1; unit <= max; unit *= 2) all.push_back({Minify::floor, first, unit});
    return all;
}

/// Without those that give of all these levels what one before them gives, and minify alike.
std::vector<Length> distinct(const std::vector<Length>& options, const std::vector<const SeenLevel*>& of,
                             unsigned axis) {
    std::set<std::pair<Minify, std::vector<uint64_t>>> given;
    std::vector<Length> out;
    for (const Length& option : options) {
        std::vector<uint64_t> values;
        values.reserve(of.size());
        for (const SeenLevel* level : of) values.push_back(length_of(option, level->shape, axis));
        if (given.emplace(option.minify, std::move(values)).second) out.push_back(option);
    }
    return out;
}

/// The bytes that a level may take: `least` to `least + spare`.
struct PossibleBytes {
    uint64_t least = 0, spare = UINT64_MAX;
    bool has(uint64_t bytes) const { return bytes - least <= spare; }
};

/// Behind the last level there may be rounding.
PossibleBytes possible_bytes(const SeenLevel& level, uint64_t rounding) {
    if (level.bytes) return {*level.bytes, 0};
    if (!level.room) return {};
    const uint64_t least = *level.room < rounding ? 0 : *level.room - rounding + 1;
    return {least, *level.room - least};
}

/// What gives the rows of as many levels as anything does.
std::vector<Length> possible_rows(const BlockMode& mode, size_t m, const std::vector<const SeenLevel*>& of) {
    constexpr size_t max_options = 12;
    std::vector<Length> options;
    size_t best = 0;
    for (const Length& option : row_lengths(mode.pattern, std::max<uint64_t>(4096, row_unit_of(mode.pattern) * 8))) {
        const auto count = static_cast<size_t>(std::ranges::count_if(of, [&](const SeenLevel* level) {
            return *level->row[m] != 0 && length_of(option, level->shape, 0) == *level->row[m];
        }));
        if (count > best) options.clear();
        best = std::max(best, count);
        if (count == best && options.size() < max_options) options.push_back(option);
    }
    return options;
}

}  // namespace

bool agrees(const BlockMode& mode, size_t m, const SeenLevel& level, bool outside, uint64_t rounding, bool soft) {
    if (!level.row[m]) return false;
    if (*level.row[m] != 0 && *level.row[m] != length_of(mode.row, level.shape, 0)) return false;
    // The last level may have some more rows.
    const uint64_t more = soft ? 8 * length_of(mode.span, level.shape, 0) : 0;
    return possible_bytes(level, rounding + more).has(level_bytes(mode, level.shape, outside));
}

/// The formulas that agree with most of the levels.
void Learner::fit_mode(size_t m, const std::vector<const SeenLevel*>& mine) {
    const bool outside = out.rule.image_type == ImageType::three_d && !out.rule.layers_inside;
    BlockMode& mode = out.rule.modes[m];
    const Coord& tile = mode.pattern.tile;
    const std::vector<Length> row_options = distinct(possible_rows(mode, m, mine), mine, 0);
    std::vector<Length> slices = {{Minify::floor, 1, tile[axis_z]}};
    if (out.rule.image_type == ImageType::three_d && !outside)
        for (const Minify minify : {Minify::ceil, Minify::pow2}) slices.push_back({minify, 1, tile[axis_z]});
    std::vector<uint64_t> units = {common_base, 1};
    for (uint64_t u = 64; u <= 65536; u *= 2) units.push_back(u);
    std::vector<Length> spans = row_options;
    const uint64_t max_span_unit = hypothesis.wide_spans ? 1024 : row_unit_of(mode.pattern) * 4;
    for (const Length& span : row_lengths(mode.pattern, max_span_unit))
        if (std::ranges::find(spans, span) == spans.end()) spans.push_back(span);
    spans = distinct(spans, mine, 0);
    const std::vector<Length> all_rows = distinct(lengths(tile[axis_y], uint64_t{tile[axis_y]} * 16), mine, 1);

    // What each option gives of each level is worked out once: there are many more ways to join them.
    const auto by_level = [&](const auto& options, const auto& value) {
        std::vector<std::vector<uint64_t>> values;
        for (const auto& option : options) {
            std::vector<uint64_t>& of = values.emplace_back();
            for (const SeenLevel* level : mine) of.push_back(value(option, *level));
        }
        return values;
    };
    const auto along = [](unsigned axis) {
        return [axis](const Length& option, const SeenLevel& level) { return length_of(option, level.shape, axis); };
    };
    const auto span_bytes = by_level(spans, along(0)), row_counts = by_level(all_rows, along(1));
    const auto given = by_level(std::array{false, true}, [&](bool quartered, const SeenLevel& level) {
        mode.quartered = quartered;
        return quartered ? slice_bytes(mode, level.shape) : level.shape.kept_slice;
    });
    std::vector<PossibleBytes> wanted;
    wanted.reserve(mine.size());
    for (const SeenLevel* level : mine) wanted.push_back(possible_bytes(*level, rounding(*level)));
    std::vector<uint64_t> least_slice;
    least_slice.reserve(mine.size());
    for (const SeenLevel* level : mine) least_slice.push_back(level->shape.least_slice);
    const auto row_is_wrong = by_level(row_options, [&](const Length& option, const SeenLevel& level) {
        return uint64_t{*level.row[m] != 0 && *level.row[m] != length_of(option, level.shape, 0)};
    });
    const auto slices_of = by_level(slices, [&](const Length& option, const SeenLevel& level) {
        return (outside ? tile[axis_z] : length_of(option, level.shape, 2)) * level.shape.inner_layers;
    });
    BlockMode best = mode;
    size_t best_count = 0;
    // This is where learning spends its time: millions of formulas, most of them soon found wrong, by the levels that refuted the
    // last one, which are looked at first. Units are powers of two.
    std::vector<size_t> order(mine.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto consider = [&](size_t row, size_t span, size_t rows, size_t slice) {
        const uint64_t *known = given[mode.quartered ? 1 : 0].data(), *wrong = row_is_wrong[row].data();
        const uint64_t *width = span_bytes[span].data(), *height = row_counts[rows].data();
        const uint64_t* depth = slices_of[slice].data();
        const uint64_t of_slice = mode.slice_unit - 1, of_level = mode.level_unit - 1;
        size_t missed = 0;
        for (size_t at = 0; at < order.size(); at++) {
            const size_t i = order[at];
            const uint64_t own = std::max(width[i] * height[i], least_slice[i]);
            const uint64_t bytes = (known[i] != 0 ? known[i] : (own + of_slice) & ~of_slice) * depth[i];
            if (wrong[i] == 0 && wanted[i].has((bytes + of_level) & ~of_level)) continue;
            std::swap(order[at], order[missed++]);
            if (best_count + missed >= mine.size()) return;
        }
        best_count = mine.size() - missed;
        best = mode;
    };
    // What a level is a multiple of, or each of its slices.
    std::vector<std::pair<uint64_t, uint64_t>> level_and_slice;
    level_and_slice.reserve(2 * units.size());
    for (const uint64_t unit : units) level_and_slice.emplace_back(unit, 1);
    if (out.rule.image_type == ImageType::three_d && !outside)
        for (const uint64_t unit : units) level_and_slice.emplace_back(1, unit);
    if (hypothesis.quarter_slices)  // slices follow from slices: then those are what is rounded
        std::rotate(level_and_slice.begin(), level_and_slice.begin() + static_cast<std::ptrdiff_t>(units.size()),
                    level_and_slice.end());
    // Whole blocks are multiples of most units already: of these units the first is enough.
    const auto changes_nothing = [&](uint64_t level_unit, uint64_t slice_unit) {
        if (mode.pattern.is_linear() || !std::has_single_bit(mode.pattern.tile_bytes)) return false;
        const uint64_t slice = mode.pattern.tile_bytes / tile[axis_z];
        const auto is_multiple = [](uint64_t unit) { return [unit](uint64_t bytes) { return bytes % unit == 0; }; };
        const uint64_t unit = std::max(level_unit, slice_unit);
        return slice % unit == 0 && std::ranges::all_of(given[0], is_multiple(unit)) &&
               std::ranges::all_of(least_slice, is_multiple(unit));
    };
    bool any_changed_nothing = false;
    for (const auto& [level_unit, slice_unit] : level_and_slice) {
        const uint64_t unit = std::max(level_unit, slice_unit);
        const bool of_slices = slice_unit > 1;
        if (changes_nothing(level_unit, slice_unit) && std::exchange(any_changed_nothing, true)) continue;
        const auto never = std::ranges::count_if(mine, [&](const SeenLevel* level) {
            return level->bytes && *level->bytes % unit != 0 && !(of_slices && level->shape.kept_slice != 0);
        });
        if (best_count + static_cast<size_t>(never) >= mine.size()) continue;
        for (const auto& [quartered, alike] : {std::pair(false, true), {false, false}, {true, true}})
            for (size_t slice = 0; slice < slices.size(); slice++)
                for (size_t span = 0; span < spans.size(); span++)
                    for (size_t rows = 0; rows < all_rows.size(); rows++) {
                        if (best_count == mine.size()) break;
                        // What is minified alike along both axes is the simpler one.
                        if (!quartered && (spans[span].minify == all_rows[rows].minify) != alike) continue;
                        if (quartered && (mode.pattern.is_linear() || rows > 0)) break;
                        const size_t row = span < row_options.size() ? span : 0;
                        mode.row = row_options[row];
                        mode.span = spans[span];
                        mode.rows = all_rows[rows];
                        mode.slices = slices[slice];
                        mode.quartered = quartered;
                        mode.level_unit = level_unit;
                        mode.slice_unit = slice_unit;
                        consider(row, span, rows, slice);
                    }
    }
    mode = best;
}

std::vector<const SeenLevel*> Learner::disagreeing(size_t m, const std::vector<const SeenLevel*>& of, bool soft) const {
    const bool outside = out.rule.image_type == ImageType::three_d && !out.rule.layers_inside;
    std::vector<const SeenLevel*> found;
    for (const SeenLevel* level : of)
        if (!agrees(out.rule.modes[m], m, *level, outside, rounding(*level), soft)) found.push_back(level);
    return found;
}

/// Fits a mode to some of its levels, and to `all` that then disagree, as long as they are few.
void Learner::fit_some(size_t m, const std::vector<const SeenLevel*>& of, bool all) {
    constexpr size_t max_levels = 240, few = 30;
    constexpr unsigned max_rounds = 6;
    std::mt19937 random(7);
    std::vector<const SeenLevel*> sample = of;
    std::ranges::shuffle(sample, random);
    if (sample.size() > max_levels) sample.resize(max_levels);
    fit_mode(m, sample);
    for (unsigned round = 0; all && round < max_rounds && sample.size() < of.size(); round++) {
        const std::vector<const SeenLevel*> left_out = disagreeing(m, of, false);
        if (left_out.empty() || left_out.size() >= few) return;
        std::ranges::copy(left_out, std::back_inserter(sample));
        fit_mode(m, sample);
    }
}

void Learner::fit_lengths(bool may_split) {
    constexpr size_t max_modes = 40, enough = 2, many = 100;
    std::vector<std::vector<const SeenLevel*>> sets;
    std::vector<char> certain;  ///< of each set: whether its levels can have no other mode
    for (size_t m = 0; m < out.rule.modes.size(); m++) {
        std::vector<const SeenLevel*> mine;
        for (const bool strict : {true, false}) {
            for (const SeenLevel& level : levels)
                if (!level.in_tail && level.can(m) && (!strict || level.orphan || level.only(m)))
                    mine.push_back(&level);
            if (strict) certain.push_back(!mine.empty());
            if (!mine.empty()) break;
        }
        sets.push_back(std::move(mine));
    }
    for (size_t m = 0; m < out.rule.modes.size(); m++) {
        if (sets[m].empty()) continue;
        fit_some(m, sets[m], !may_split);
        hopeless = hypothesis.quarter_slices && sets[m].size() >= many &&
                   disagreeing(m, sets[m], false).size() * 4 > sets[m].size() * 3;
        if (hopeless) return;
        const std::vector<const SeenLevel*> others = disagreeing(m, sets[m], true);
        if (!may_split || !certain[m] || others.size() < enough || others.size() == sets[m].size() ||
            out.rule.modes.size() == max_modes)
            continue;
        out.rule.modes.push_back(out.rule.modes[m]);
        for (SeenLevel& level : levels) {
            level.row.push_back(level.row[m]);
            level.placed.push_back(level.placed[m]);
        }
        sets.push_back(others);
        certain.push_back(1);
    }
    fit_variants(sets);
    share_formulas(sets);
}

namespace {

/// The mode's block with the formulas of another: units are as many blocks as there.
BlockMode with_formulas_of(const BlockMode& mode, const BlockMode& other) {
    BlockMode out = mode;
    const auto take = [](Length& length, const Length& from, uint64_t block, uint64_t block_from) {
        length = from;
        length.unit = std::max<uint64_t>(from.unit / block_from, 1) * block;
    };
    take(out.row, other.row, row_unit_of(mode.pattern), row_unit_of(other.pattern));
    take(out.span, other.span, row_unit_of(mode.pattern), row_unit_of(other.pattern));
    take(out.rows, other.rows, mode.pattern.tile[axis_y], other.pattern.tile[axis_y]);
    take(out.slices, other.slices, mode.pattern.tile[axis_z], other.pattern.tile[axis_z]);
    out.quartered = other.quartered;
    out.level_unit = other.level_unit;
    out.slice_unit = other.slice_unit;
    return out;
}

}  // namespace

/// Blocks that differ by their XOR alone are measured alike, if that explains them: what few levels of each leave open, all of
/// them show.
void Learner::fit_variants(const std::vector<std::vector<const SeenLevel*>>& sets) {
    const size_t count = out.rule.modes.size();
    std::vector<char> done(count);
    for (size_t first = 0; first < count; first++) {
        const Pattern& block = out.rule.modes[first].pattern;
        std::vector<size_t> group;
        for (size_t m = first; m < count; m++) {
            const Pattern& other = out.rule.modes[m].pattern;
            if (!done[m] && !sets[m].empty() && is_block(block) && other.tile == block.tile &&
                other.equation == block.equation)
                group.push_back(m);
        }
        for (const size_t m : group) done[m] = 1;
        const bool distinct_patterns = std::ranges::all_of(group, [&](size_t m) {
            return std::ranges::count_if(
                       group, [&](size_t o) { return out.rule.modes[o].pattern == out.rule.modes[m].pattern; }) == 1;
        });
        if (group.size() < 2 || !distinct_patterns) continue;
        // A mode for the time being, which has the levels of all.
        std::vector<const SeenLevel*> all;
        for (const size_t m : group) all.insert(all.end(), sets[m].begin(), sets[m].end());
        out.rule.modes.push_back(out.rule.modes[first]);
        for (SeenLevel& level : levels) {
            const auto m = std::ranges::find_if(group, [&](size_t g) { return level.can(g); });
            level.row.push_back(m == group.end() ? std::nullopt : level.row[*m]);
        }
        fit_some(count, all, true);
        const BlockMode joint = out.rule.modes.back();
        out.rule.modes.pop_back();
        for (SeenLevel& level : levels) level.row.pop_back();
        for (const size_t m : group) {
            const BlockMode own = out.rule.modes[m];
            const size_t missed = disagreeing(m, sets[m], false).size();
            out.rule.modes[m] = with_formulas_of(own, joint);
            if (disagreeing(m, sets[m], false).size() > missed) out.rule.modes[m] = own;
        }
    }
}

/// Of formulas that explain as much of a mode's levels, those that most modes can have: few levels tell little.
void Learner::share_formulas(const std::vector<std::vector<const SeenLevel*>>& sets) {
    const bool outside = out.rule.image_type == ImageType::three_d && !out.rule.layers_inside;
    const auto explained = [&](const BlockMode& mode, size_t m) {
        return std::ranges::count_if(
            sets[m], [&](const SeenLevel* level) { return agrees(mode, m, *level, outside, rounding(*level)); });
    };
    std::vector<size_t> order;
    for (size_t m = 0; m < sets.size(); m++)
        if (!sets[m].empty()) order.push_back(m);
    // What rows without blocks are multiples of is no number of blocks.
    const auto can_have = [&](size_t m, size_t formulas_of) {
        return is_block(out.rule.modes[formulas_of].pattern) || !is_block(out.rule.modes[m].pattern);
    };
    // Of all modes, how many have them: of those that as many have, the ones of more levels.
    std::vector<std::pair<size_t, std::ptrdiff_t>> rank(out.rule.modes.size());
    for (const size_t m : order) {
        rank[m].second = explained(out.rule.modes[m], m);
        for (const size_t other : order) {
            if (!can_have(other, m)) continue;
            const BlockMode shared = with_formulas_of(out.rule.modes[other], out.rule.modes[m]);
            rank[m].first += explained(shared, other) >= explained(out.rule.modes[other], other);
        }
    }
    std::ranges::stable_sort(order, std::greater(), [&](size_t m) { return rank[m]; });
    for (const size_t m : order) {
        const auto own = explained(out.rule.modes[m], m);
        for (const size_t other : order) {
            if (!can_have(m, other)) continue;
            const BlockMode shared = with_formulas_of(out.rule.modes[m], out.rule.modes[other]);
            if (other != m && explained(shared, m) < own) continue;
            out.rule.modes[m] = shared;
            break;
        }
    }
}

/// A level that would take other bytes in a mode, or other rows, is not in that mode.
void Learner::drop_by_bytes() {
    const bool outside = out.rule.image_type == ImageType::three_d && !out.rule.layers_inside;
    for (SeenLevel& level : levels) {
        if (level.in_tail) continue;
        level.row = level.placed;  // formulas have changed since the last time
        std::vector<std::optional<uint64_t>> kept = level.row;
        bool any = false;
        for (size_t m = 0; m < out.rule.modes.size(); m++) {
            if (!agrees(out.rule.modes[m], m, level, outside, rounding(level), true)) kept[m].reset();
            any = any || kept[m].has_value();
        }
        if (any) level.row = kept;
        level.orphan = level.orphan || !any;
    }
}

}  // namespace tilewise
