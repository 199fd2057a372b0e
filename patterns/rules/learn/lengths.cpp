// The number of bytes that a level takes: the formulas of each mode.
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
        for (Minify minify : {Minify::floor, Minify::ceil, Minify::pow2, Minify::below}) all.push_back({minify, 1, u});
    for (uint64_t u = unit; u <= max; u *= 2)
        for (uint64_t first = u; first <= max; first *= 2) all.push_back({Minify::shifted, first, u});
    return all;
}

/// The possible lengths of rows. If the element's size is not a power of two, these include whole elements first and a
/// power of two of bytes after that.
std::vector<Length> row_lengths(const Pattern& pattern, uint64_t max) {
    const uint64_t bytes = pattern.element.bytes;
    std::vector<Length> all = lengths(row_unit_of(pattern), max);
    if (!std::has_single_bit(bytes))
        for (uint64_t first = bytes; first <= 16 * bytes; first *= 2)
            for (uint64_t unit = 1; unit <= max; unit *= 2) all.push_back({Minify::floor, first, unit});
    return all;
}

/// The options, without those that give the same as an earlier one for all these levels and minify alike.
std::vector<Length> distinct(const std::vector<Length>& options, const LevelList& mine, unsigned axis) {
    std::set<std::pair<Minify, std::vector<uint64_t>>> given;
    std::vector<Length> out;
    for (const Length& option : options) {
        std::vector<uint64_t> values;
        values.reserve(mine.size());
        for (const SeenLevel* level : mine) values.push_back(length_of(option, level->shape, axis));
        if (given.emplace(option.minify, std::move(values)).second) out.push_back(option);
    }
    return out;
}

/// The possible bytes of a level: `least` to `least + spare`.
struct PossibleBytes {
    uint64_t least = 0, spare = UINT64_MAX;
    bool has(uint64_t bytes) const { return bytes - least <= spare; }
};

/// There may be rounding after the last level.
PossibleBytes possible_bytes(const SeenLevel& level, uint64_t rounding) {
    if (level.bytes) return {*level.bytes, 0};
    if (!level.room) return {};
    const uint64_t least = *level.room < rounding ? 0 : *level.room - rounding + 1;
    return {least, *level.room - least};
}

/// The lengths that explain the rows of as many levels as any length does.
std::vector<Length> possible_rows(const BlockMode& mode, size_t m, const LevelList& mine) {
    constexpr size_t max_options = 12;
    std::vector<Length> options;
    size_t best = 0;
    for (const Length& option : row_lengths(mode.pattern, std::max<uint64_t>(4096, row_unit_of(mode.pattern) * 8))) {
        const auto count = static_cast<size_t>(std::ranges::count_if(mine, [&](const SeenLevel* level) {
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
    if (*level.row[m] != 0 && *level.row[m] != row_bytes(mode, mode.row, level.shape)) return false;
    // The last level may have some more rows.
    const uint64_t more = soft ? 8 * row_bytes(mode, mode.span, level.shape) : 0;
    return possible_bytes(level, rounding + more).has(level_bytes(mode, level.shape, outside));
}

namespace {

/// The units of which a level, or each of its slices, is a multiple. One of the two is 1.
struct Units {
    uint64_t level, slice;
};

/// The possible formulas of a mode: one from each list.
struct FormulaOptions {
    std::vector<Length> row, span, rows, slices;
    std::vector<Units> units;
};

/// Units that images show, the likely ones first. If slices depend on earlier slices, slices are what is rounded, so
/// their units come first.
std::vector<Units> possible_units(uint64_t common_base, bool with_slices, bool slices_first) {
    std::vector<uint64_t> units = {common_base, 1};
    for (uint64_t u = 64; u <= 65536; u *= 2) units.push_back(u);
    std::vector<Units> found;
    found.reserve(2 * units.size());
    for (const uint64_t unit : units) found.push_back({unit, 1});
    if (with_slices)
        for (const uint64_t unit : units) found.push_back({1, unit});
    if (slices_first)
        std::rotate(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(units.size()), found.end());
    return found;
}

/// The possible formulas of rows come first among those of spans, since most modes have the same formula for both.
std::vector<Length> possible_spans(const Pattern& pattern, const std::vector<Length>& rows, uint64_t max_unit) {
    std::vector<Length> spans = rows;
    for (const Length& span : row_lengths(pattern, max_unit))
        if (std::ranges::find(spans, span) == spans.end()) spans.push_back(span);
    return spans;
}

/// The value of each option for each level. It is computed once, because there are many more ways to combine options.
template <typename Options, typename Value>
std::vector<std::vector<uint64_t>> by_level(const Options& options, const LevelList& levels, const Value& value) {
    std::vector<std::vector<uint64_t>> values;
    for (const auto& option : options) {
        std::vector<uint64_t>& given = values.emplace_back();
        given.reserve(levels.size());
        for (const SeenLevel* level : levels) given.push_back(value(option, *level));
    }
    return values;
}

/// Looks for the formulas that agree with the most levels.
class FormulaSearch {
public:
    FormulaSearch(const BlockMode& mode, size_t m, const LevelList& levels, const FormulaOptions& options,
                  const std::vector<PossibleBytes>& wanted, bool outside);
    BlockMode best();

private:
    bool changes_nothing(uint64_t unit) const;
    bool can_be_better(const Units& units) const;
    void consider_all(bool quartered, bool alike);
    void consider(size_t row, size_t span, size_t rows, size_t slice);

    const LevelList& levels_;
    const FormulaOptions& options_;
    const std::vector<PossibleBytes>& wanted_;
    BlockMode mode_, best_;
    size_t best_count_ = 0;
    std::vector<std::vector<uint64_t>> span_bytes_, row_counts_, slice_counts_, row_is_wrong_;
    /// The bytes of a slice if they do not follow from lengths, otherwise 0: without quartered blocks, and with them.
    std::vector<std::vector<uint64_t>> known_slice_;
    std::vector<uint64_t> least_slice_;
    /// The levels in the order in which they are checked.
    std::vector<size_t> order_;
};

FormulaSearch::FormulaSearch(const BlockMode& mode, size_t m, const LevelList& levels, const FormulaOptions& options,
                             const std::vector<PossibleBytes>& wanted, bool outside)
    : levels_(levels), options_(options), wanted_(wanted), mode_(mode), best_(mode), order_(levels.size()) {
    const uint64_t block_depth = mode.pattern.tile[axis_z];
    const auto along = [](unsigned axis) {
        return [axis](const Length& option, const SeenLevel& level) { return length_of(option, level.shape, axis); };
    };
    span_bytes_ = by_level(options.span, levels, along(0));
    row_counts_ = by_level(options.rows, levels, along(1));
    slice_counts_ = by_level(options.slices, levels, [&](const Length& option, const SeenLevel& level) {
        return (outside ? block_depth : length_of(option, level.shape, 2)) * level.shape.inner_layers;
    });
    row_is_wrong_ = by_level(options.row, levels, [&](const Length& option, const SeenLevel& level) {
        return uint64_t{*level.row[m] != 0 && *level.row[m] != length_of(option, level.shape, 0)};
    });
    BlockMode quarters = mode;
    quarters.quartered = true;
    known_slice_ = by_level(std::array{false, true}, levels, [&](bool quartered, const SeenLevel& level) {
        return quartered ? slice_bytes(quarters, level.shape) : level.shape.kept_slice;
    });
    for (const SeenLevel* level : levels) least_slice_.push_back(level->shape.least_slice);
    std::iota(order_.begin(), order_.end(), size_t{0});
    // A mode that no formulas explain counts as quartered.
    best_.quartered = true;
}

/// Whole blocks are multiples of most units already.
bool FormulaSearch::changes_nothing(uint64_t unit) const {
    if (mode_.pattern.is_linear() || !std::has_single_bit(mode_.pattern.tile_bytes)) return false;
    const uint64_t slice = mode_.pattern.tile_bytes / mode_.pattern.tile[axis_z];
    const auto is_multiple = [&](uint64_t bytes) { return bytes % unit == 0; };
    return is_multiple(slice) && std::ranges::all_of(known_slice_[0], is_multiple) &&
           std::ranges::all_of(least_slice_, is_multiple);
}

bool FormulaSearch::can_be_better(const Units& units) const {
    const uint64_t unit = std::max(units.level, units.slice);
    const auto never = std::ranges::count_if(levels_, [&](const SeenLevel* level) {
        return level->bytes && *level->bytes % unit != 0 && !(units.slice > 1 && level->shape.kept_slice != 0);
    });
    return best_count_ + static_cast<size_t>(never) < levels_.size();
}

/// Learning spends its time here: on millions of formulas, most of which are soon refuted by the levels that refuted
/// the last one, since these are checked first. Units are powers of two.
void FormulaSearch::consider(size_t row, size_t span, size_t rows, size_t slice) {
    const uint64_t *known = known_slice_[mode_.quartered ? 1 : 0].data(), *wrong = row_is_wrong_[row].data();
    const uint64_t *width = span_bytes_[span].data(), *height = row_counts_[rows].data();
    const uint64_t *depth = slice_counts_[slice].data(), *least = least_slice_.data();
    const uint64_t below_slice = mode_.slice_unit - 1, below_level = mode_.level_unit - 1;
    const size_t count = order_.size(), spare = count - best_count_;
    size_t missed = 0;
    for (size_t at = 0; at < count; at++) {
        const size_t i = order_[at];
        const uint64_t own = std::max(width[i] * height[i], least[i]);
        const uint64_t bytes = (known[i] != 0 ? known[i] : (own + below_slice) & ~below_slice) * depth[i];
        if (wrong[i] == 0 && wanted_[i].has((bytes + below_level) & ~below_level)) continue;
        std::swap(order_[at], order_[missed++]);
        if (missed >= spare) return;
    }
    best_count_ = count - missed;
    best_ = mode_;
}

/// Tries all combinations of lengths. Minifying alike along both axes is the simpler choice.
void FormulaSearch::consider_all(bool quartered, bool alike) {
    if (quartered && mode_.pattern.is_linear()) return;
    mode_.quartered = quartered;
    for (size_t slice = 0; slice < options_.slices.size(); slice++)
        for (size_t span = 0; span < options_.span.size(); span++)
            for (size_t rows = 0; rows < (quartered ? 1 : options_.rows.size()); rows++) {
                if (best_count_ == levels_.size()) return;
                if (!quartered && (options_.span[span].minify == options_.rows[rows].minify) != alike) continue;
                const size_t row = span < options_.row.size() ? span : 0;
                mode_.row = options_.row[row];
                mode_.span = options_.span[span];
                mode_.rows = options_.rows[rows];
                mode_.slices = options_.slices[slice];
                consider(row, span, rows, slice);
            }
}

BlockMode FormulaSearch::best() {
    bool any_changed_nothing = false;
    for (const Units& units : options_.units) {
        // A single unit that changes nothing is enough.
        if (changes_nothing(std::max(units.level, units.slice)) && std::exchange(any_changed_nothing, true)) continue;
        if (!can_be_better(units)) continue;
        mode_.level_unit = units.level;
        mode_.slice_unit = units.slice;
        consider_all(false, true);
        consider_all(false, false);
        consider_all(true, true);
    }
    return best_;
}

}  // namespace

/// The mode with the formulas that agree with most of those levels.
BlockMode Learner::fitted(const BlockMode& mode, size_t m, const LevelList& mine) const {
    const bool outside = slices_are_outside(rule), slices_vary = rule.image_type == ImageType::three_d && !outside;
    const Pattern& pattern = mode.pattern;
    const uint64_t block_rows = pattern.tile[axis_y], block_depth = pattern.tile[axis_z];
    const uint64_t max_span_unit = hypothesis.wide_spans ? 1024 : row_unit_of(pattern) * 4;
    FormulaOptions options;
    options.row = distinct(possible_rows(mode, m, mine), mine, 0);
    options.span = distinct(possible_spans(pattern, options.row, max_span_unit), mine, 0);
    options.rows = distinct(lengths(block_rows, block_rows * 16), mine, 1);
    options.slices = {{Minify::floor, 1, block_depth}};
    if (slices_vary)
        for (const Minify minify : {Minify::ceil, Minify::pow2}) options.slices.push_back({minify, 1, block_depth});
    options.units = possible_units(common_base, slices_vary, hypothesis.quarter_slices);
    std::vector<PossibleBytes> wanted;
    wanted.reserve(mine.size());
    for (const SeenLevel* level : mine) wanted.push_back(possible_bytes(*level, rounding(*level)));
    BlockMode plain = mode;
    plain.grown_slice = 1;
    const BlockMode found = FormulaSearch(plain, m, mine, options, wanted, outside).best();
    return with_grown_rows(found, m, mine);
}

/// The mode with rows that grow until a slice is a multiple of some power of two, if that agrees with more levels.
BlockMode Learner::with_grown_rows(const BlockMode& found, size_t m, const LevelList& mine) const {
    constexpr uint64_t largest = 4096;
    BlockMode best = found;
    size_t missed = disagreeing(found, m, mine, false).size();
    const uint64_t row_unit = row_unit_of(found.pattern), rows_unit = found.pattern.tile[axis_y];
    if (!is_block(found.pattern)) return found;
    for (uint64_t grown = found.pattern.tile_bytes * 2; grown <= largest; grown *= 2)
        for (const Length& row : lengths(row_unit, row_unit))
            for (const Length& rows : lengths(rows_unit, rows_unit)) {
                if (missed == 0) return best;
                BlockMode tried = found;
                tried.quartered = false;
                tried.level_unit = tried.slice_unit = 1;
                tried.row = tried.span = row;
                tried.rows = rows;
                tried.grown_slice = grown;
                const size_t left = disagreeing(tried, m, mine, false).size();
                if (left >= missed) continue;
                missed = left;
                best = tried;
            }
    return best;
}

LevelList Learner::disagreeing(const BlockMode& mode, size_t m, const LevelList& among, bool soft) const {
    const bool outside = slices_are_outside(rule);
    LevelList found;
    for (const SeenLevel* level : among)
        if (!agrees(mode, m, *level, outside, rounding(*level), soft)) found.push_back(level);
    return found;
}

/// The mode fitted to some of its levels, and then to `all` that disagree, as long as these are few.
BlockMode Learner::fitted_to_some(const BlockMode& mode, size_t m, const LevelList& mine, bool all) const {
    constexpr size_t max_levels = 240, few = 30;
    constexpr unsigned max_rounds = 6;
    std::mt19937 random(7);
    LevelList sample = mine;
    std::ranges::shuffle(sample, random);
    if (sample.size() > max_levels) sample.resize(max_levels);
    BlockMode found = fitted(mode, m, sample);
    for (unsigned round = 0; all && round < max_rounds && sample.size() < mine.size(); round++) {
        const LevelList left_out = disagreeing(found, m, mine, false);
        if (left_out.empty() || left_out.size() >= few) break;
        std::ranges::copy(left_out, std::back_inserter(sample));
        found = fitted(found, m, sample);
    }
    return found;
}

bool Learner::fit_lengths(bool may_split) {
    constexpr size_t max_modes = 40, enough = 2, many = 100;
    std::vector<LevelList> sets;
    // Whether the levels of each set can have no other mode.
    std::vector<char> certain;
    for (size_t m = 0; m < rule.modes.size(); m++) {
        LevelList mine;
        for (const bool strict : {true, false}) {
            for (const SeenLevel& level : levels)
                if (!level.in_tail && level.can(m) && (!strict || level.orphan || level.only(m)))
                    mine.push_back(&level);
            if (strict) certain.push_back(!mine.empty());
            if (!mine.empty()) break;
        }
        sets.push_back(std::move(mine));
    }
    for (size_t m = 0; m < rule.modes.size(); m++) {
        if (sets[m].empty()) continue;
        rule.modes[m] = fitted_to_some(rule.modes[m], m, sets[m], !may_split);
        if (hypothesis.quarter_slices && sets[m].size() >= many &&
            disagreeing(rule.modes[m], m, sets[m], false).size() * 4 > sets[m].size() * 3)
            return false;
        const LevelList others = disagreeing(rule.modes[m], m, sets[m], true);
        if (!may_split || !certain[m] || others.size() < enough || others.size() == sets[m].size() ||
            rule.modes.size() == max_modes)
            continue;
        rule.modes.push_back(rule.modes[m]);
        for (SeenLevel& level : levels) {
            level.row.push_back(level.row[m]);
            level.placed.push_back(level.placed[m]);
        }
        sets.push_back(others);
        certain.push_back(1);
    }
    fit_variants(sets);
    share_formulas(sets);
    return true;
}

namespace {

/// The mode's block with the formulas of another mode: units are as many blocks as in that mode.
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
    out.grown_slice = other.grown_slice;
    out.level_unit = other.level_unit;
    out.slice_unit = other.slice_unit;
    return out;
}

}  // namespace

/// Measures blocks that differ only in their XOR alike, if that explains them: what a few levels of each leave open,
/// all of them together show.
void Learner::fit_variants(const std::vector<LevelList>& sets) {
    const size_t count = rule.modes.size();
    std::vector<char> done(count);
    for (size_t first = 0; first < count; first++) {
        const Pattern& block = rule.modes[first].pattern;
        std::vector<size_t> group;
        for (size_t m = first; m < count; m++) {
            const Pattern& other = rule.modes[m].pattern;
            if (!done[m] && !sets[m].empty() && is_block(block) && other.tile == block.tile &&
                other.equation == block.equation)
                group.push_back(m);
        }
        for (const size_t m : group) done[m] = 1;
        const bool distinct_patterns = std::ranges::all_of(group, [&](size_t m) {
            return std::ranges::count_if(group,
                                         [&](size_t o) { return rule.modes[o].pattern == rule.modes[m].pattern; }) == 1;
        });
        if (group.size() < 2 || !distinct_patterns) continue;
        // A temporary mode that has the levels of all.
        LevelList all;
        for (const size_t m : group) all.insert(all.end(), sets[m].begin(), sets[m].end());
        for (SeenLevel& level : levels) {
            const auto m = std::ranges::find_if(group, [&](size_t g) { return level.can(g); });
            level.row.push_back(m == group.end() ? std::nullopt : level.row[*m]);
        }
        const BlockMode joint = fitted_to_some(rule.modes[first], count, all, true);
        for (SeenLevel& level : levels) level.row.pop_back();
        for (const size_t m : group) {
            const BlockMode own = rule.modes[m];
            const size_t missed = disagreeing(rule.modes[m], m, sets[m], false).size();
            rule.modes[m] = with_formulas_of(own, joint);
            if (disagreeing(rule.modes[m], m, sets[m], false).size() > missed) rule.modes[m] = own;
        }
    }
}

/// Gives each mode, among the formulas that explain equally many of its levels, those that most modes can have: a few
/// levels are weak evidence.
void Learner::share_formulas(const std::vector<LevelList>& sets) {
    const bool outside = slices_are_outside(rule);
    const auto explained = [&](const BlockMode& mode, size_t m) {
        return std::ranges::count_if(
            sets[m], [&](const SeenLevel* level) { return agrees(mode, m, *level, outside, rounding(*level)); });
    };
    std::vector<size_t> order;
    for (size_t m = 0; m < sets.size(); m++)
        if (!sets[m].empty()) order.push_back(m);
    // In rows without blocks, the unit is not a number of blocks.
    const auto can_have = [&](size_t m, size_t formulas_of) {
        return is_block(rule.modes[formulas_of].pattern) || !is_block(rule.modes[m].pattern);
    };
    // How many of all modes can have a mode's formulas, and then how many levels these explain.
    std::vector<std::pair<size_t, std::ptrdiff_t>> rank(rule.modes.size());
    for (const size_t m : order) {
        rank[m].second = explained(rule.modes[m], m);
        for (const size_t other : order) {
            if (!can_have(other, m)) continue;
            const BlockMode shared = with_formulas_of(rule.modes[other], rule.modes[m]);
            rank[m].first += explained(shared, other) >= explained(rule.modes[other], other);
        }
    }
    std::ranges::stable_sort(order, std::greater(), [&](size_t m) { return rank[m]; });
    for (const size_t m : order) {
        const auto own = explained(rule.modes[m], m);
        for (const size_t other : order) {
            if (!can_have(m, other)) continue;
            const BlockMode shared = with_formulas_of(rule.modes[m], rule.modes[other]);
            if (other != m && explained(shared, m) < own) continue;
            rule.modes[m] = shared;
            break;
        }
    }
}

/// Removes a level from a mode in which it would take other bytes, or have other rows.
void Learner::drop_by_bytes() {
    const bool outside = slices_are_outside(rule);
    for (SeenLevel& level : levels) {
        if (level.in_tail) continue;
        level.row = level.placed;  // formulas have changed since the last time
        std::vector<std::optional<uint64_t>> kept = level.row;
        bool any = false;
        for (size_t m = 0; m < rule.modes.size(); m++) {
            if (!agrees(rule.modes[m], m, level, outside, rounding(level), true)) kept[m].reset();
            any = any || kept[m].has_value();
        }
        if (any) level.row = kept;
        level.orphan = level.orphan || !any;
    }
}

}  // namespace tilewise
