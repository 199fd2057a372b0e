// Finds the modes: the fewest blocks that explain the places of all elements.
#include "patterns/model/bits.h"
#include "patterns/model/parallel.h"
#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

namespace tilewise {

bool is_block(const Pattern& pattern) { return std::has_single_bit(pattern.tile_bytes) && !pattern.is_linear(); }

std::optional<uint64_t> stride_shown(const SeenLevel& level, const Pattern& block, Axis axis) {
    if (level.extent[axis] <= block.tile[axis]) return 0;
    Coord next = {};
    next[axis] = block.tile[axis];
    const uint64_t there = offset_of(*level.layout, next), unit = is_block(block) ? block.tile_bytes : 1,
                   base = level.first / unit * unit;
    if (there < base) return std::nullopt;
    if (!is_block(block)) return there - base;
    return ((there - base) / unit ^ block.index_xor.axis(axis, 1)) * unit;
}

namespace {

/// Layouts in one mode. A pattern has many vectors, so one copy of it serves all levels.
class ModeFit {
public:
    explicit ModeFit(const Pattern& mode) { layout_.pattern = mode; }

    /// Returns the layout with the same places, as far as the sampled elements show; null if there is none. Valid until
    /// the next call.
    const Layout* of(const SeenLevel& level) {
        const Pattern& mode = layout_.pattern;
        layout_.constant = is_block(mode) ? level.first % mode.tile_bytes : 0;
        layout_.base = level.first - layout_.constant;
        for (const Axis a : all_axes) {
            const std::optional<uint64_t> stride = stride_shown(level, mode, a);
            if (!stride) return nullptr;
            layout_.stride[a] = *stride;
        }
        if (level.extent[axis_x] > mode.tile[axis_x] && layout_.stride[axis_x] != mode.tile_bytes) return nullptr;
        const bool agrees = std::ranges::all_of(
            *level.samples, [&](const Sample& sample) { return offset_of(layout_, sample.at) == sample.offset; });
        return agrees ? &layout_ : nullptr;
    }

private:
    Layout layout_;
};

/// The pattern with tiles twice as long along the axis; the next tile along it must be the next in memory.
Pattern doubled(Pattern pattern, Axis a) {
    auto& outer = pattern.outer_xor.columns[a];
    const uint64_t changed = outer.empty() ? 0 : outer.front();
    if (!outer.empty()) outer.erase(outer.begin());
    auto& inner = pattern.equation.columns[a];
    inner.resize(log2_exact(pattern.tile[a]));
    inner.push_back(pattern.tile_bytes | changed);
    pattern.tile[a] *= 2;
    pattern.tile_bytes *= 2;
    return pattern;
}

/// The pattern with tiles half as long along x, if that also halves the bytes. XORs that changed the half become F.
std::optional<Pattern> halved(const Pattern& pattern) {
    const uint64_t half = pattern.tile_bytes / 2;
    if (!is_block(pattern) || pattern.counts_elements() || pattern.tile[axis_x] == 1) return std::nullopt;
    Pattern out = pattern;
    auto& inner = out.equation.columns[axis_x];
    inner.resize(log2_exact(pattern.tile[axis_x]));
    const uint64_t changed = inner.back() ^ half;
    inner.pop_back();
    const auto has_half = [&](uint64_t column) { return (column & half) != 0; };
    if (has_half(changed) || std::ranges::any_of(out.equation.all_columns(), has_half)) return std::nullopt;
    out.tile[axis_x] /= 2;
    out.tile_bytes = half;
    auto& outer = out.outer_xor.columns[axis_x];
    outer.insert(outer.begin(), changed);
    auto& index = out.index_xor.columns[axis_x];
    index.insert(index.begin(), 0);
    for (Axis a : all_axes) {
        auto& low = out.outer_xor.columns[a];
        auto& high = out.index_xor.columns[a];
        high.resize(std::max(high.size(), low.size()));
        for (size_t bit = 0; bit < high.size(); bit++) {
            if (a != axis_x || bit > 0) high[bit] *= 2;
            if (bit >= low.size() || !has_half(low[bit])) continue;
            high[bit] |= 1;
            low[bit] ^= half;
        }
    }
    out.outer_xor.trim();
    out.index_xor.trim();
    return out;
}

/// Whether one is the beginning of the other.
bool agree(const std::vector<uint64_t>& one, const std::vector<uint64_t>& other) {
    const auto both = static_cast<std::ptrdiff_t>(std::min(one.size(), other.size()));
    return std::equal(one.begin(), one.begin() + both, other.begin());
}

/// A block combined with what another image shows of it: that image may be shorter than the block along some axes, and
/// have XORs for more of the tiles' bits along others. None if the two differ in a bit that both show.
std::optional<Pattern> merged(const Pattern& one, const Pattern& other) {
    if (one.tile_bytes != other.tile_bytes || !one.index_xor.is_zero() || !other.index_xor.is_zero())
        return std::nullopt;
    Pattern out = one;
    for (const Axis a : all_axes) {
        if (other.tile[a] > one.tile[a] || !agree(one.equation.columns[a], other.equation.columns[a]))
            return std::nullopt;
        auto& columns = out.outer_xor.columns[a];
        const auto& more = other.outer_xor.columns[a];
        if (other.tile[a] < one.tile[a] ? !more.empty() : !agree(columns, more)) return std::nullopt;
        if (more.size() > columns.size()) columns = more;
    }
    return out;
}

/// The possible blocks of a layout: its tile, and larger ones made of tiles that follow one another. Beyond what
/// strides show, a block has at most `alignment` bytes.
std::vector<Pattern> possible_blocks(const Layout& layout, uint64_t alignment) {
    std::vector<Pattern> blocks;
    Pattern pattern = layout.pattern;
    auto stride = layout.stride;
    const auto smallest = [&] {
        Axis at = axis_x;
        for (Axis a : all_axes)
            if (stride[a] != 0 && (stride[at] == 0 || stride[a] < stride[at])) at = a;
        return at;
    };
    for (;;) {
        const Axis a = smallest();
        if (a == axis_x || stride[a] == 0 || pattern.is_linear()) {
            blocks.push_back(pattern);
            blocks.back().order = all_axes;
        }
        const bool grows = is_block(pattern) && pattern.index_xor.is_zero() && pattern.tile[a] < (1U << 15) &&
                           (stride[a] == pattern.tile_bytes || stride[a] == 0) &&
                           (a != axis_x || pattern.tile_bytes < alignment);
        if (!grows) return blocks;
        pattern = doubled(std::move(pattern), a);
        if (stride[a] != 0) stride[a] *= 2;
        for (Axis other : all_axes)
            if (other != a && stride[other] != 0 && stride[a] >= stride[other]) stride[a] = 0;
    }
}

}  // namespace

/// The blocks of a known rule, if they explain all levels.
std::optional<std::vector<Pattern>> Learner::blocks_kept(const Rule& before) const {
    std::vector<Pattern> patterns;
    for (const BlockMode& mode : before.modes)
        if (std::ranges::find(patterns, mode.pattern) == patterns.end()) patterns.push_back(mode.pattern);
    std::vector<ModeFit> modes(patterns.begin(), patterns.end());
    for (const SeenLevel& level : levels)
        if (std::ranges::none_of(modes, [&](ModeFit& mode) { return mode.of(level) != nullptr; })) return std::nullopt;
    return patterns;
}

/// The fewest patterns that explain all levels: repeatedly takes the one that explains most of the remaining levels.
std::vector<Pattern> Learner::fewest_blocks() const {
    std::vector<Pattern> blocks, candidates;
    const auto add = [&](const Pattern& pattern) {
        if (std::ranges::find(candidates, pattern) == candidates.end()) candidates.push_back(pattern);
    };
    for (const SeenLevel& level : levels)
        for (const Pattern& block : possible_blocks(*level.layout, images[level.image].alignment)) add(block);
    const size_t seen = candidates.size();
    // An image that is long along one axis is seldom long along the others.
    for (size_t c = 0; hypothesis.tail && c < seen; c++) {
        Pattern whole = candidates[c];
        if (!is_block(whole)) continue;
        for (size_t o = 0; o < seen; o++)
            if (const std::optional<Pattern> more = merged(whole, candidates[o])) whole = *more;
        add(whole);
    }
    std::set<uint64_t> alignments;
    for (const ImageLayout& image : images) alignments.insert(image.alignment);
    for (const SeenLevel& level : levels) {
        // A tile found by the solver that is as large as the driver's allocation unit, or larger, may be several blocks
        // and F.
        const uint64_t allocated = images[level.image].alignment;
        std::optional<Pattern> less = level.layout->pattern;
        if (less->tile_bytes < allocated || (less->outer_xor.is_zero() && less->index_xor.is_zero())) continue;
        while ((less = halved(*less)))
            if (!less->index_xor.is_zero()) add(*less);
    }
    // If levels share blocks, an image is aligned to them: a larger block that explains a small level does so by
    // chance.
    const auto may_have = [&](const Pattern& block, const SeenLevel& level) {
        return !hypothesis.tail || block.tile_bytes <= images[level.image].alignment;
    };
    std::vector<std::vector<char>> explains(candidates.size(), std::vector<char>(levels.size()));
    parallel_for(candidates.size(), [&](size_t c) {
        ModeFit mode(candidates[c]);
        for (size_t l = 0; l < levels.size(); l++)
            explains[c][l] = may_have(candidates[c], levels[l]) && mode.of(levels[l]);
    });
    std::vector<char> explained(levels.size());
    for (;;) {
        size_t best = candidates.size();
        std::tuple<size_t, size_t, bool, bool, uint64_t> best_rank = {};
        for (size_t c = 0; c < candidates.size(); c++) {
            size_t fresh = 0, all = 0;
            for (size_t l = 0; l < levels.size(); l++) {
                fresh += explains[c][l] && !explained[l];
                all += static_cast<size_t>(explains[c][l]);
            }
            // Among equals, one that was seen is preferred, then one to which images are aligned if levels share
            // blocks, then the smallest.
            const bool aligned = hypothesis.tail && alignments.contains(candidates[c].tile_bytes);
            const std::tuple rank(fresh, all, c < seen, aligned, ~candidates[c].tile_bytes);
            if (fresh > 0 && rank > best_rank) {
                best_rank = rank;
                best = c;
            }
        }
        if (best == candidates.size()) break;
        for (size_t l = 0; l < levels.size(); l++) explained[l] |= explains[best][l];
        blocks.push_back(candidates[best]);
    }
    return blocks;
}

uint64_t row_unit_of(const Pattern& pattern) {
    return pattern.is_linear() ? 1 : pattern.tile_bytes / (uint64_t{pattern.tile[axis_y]} * pattern.tile[axis_z]);
}

/// Two of the largest blocks side by side, if levels are measured by such pairs: that is, if all rows that nothing else
/// explains are an even number of blocks. The fewest blocks that explain all levels are then halves of the pair, and
/// smaller levels may still have the half.
std::optional<Pattern> Learner::pair_of_largest() const {
    constexpr size_t enough = 8;
    const auto largest =
        std::ranges::max_element(rule.modes, {}, [](const BlockMode& m) { return m.pattern.tile_bytes; });
    const auto m = static_cast<size_t>(largest - rule.modes.begin());
    const Pattern& pattern = largest->pattern;
    if (!is_block(pattern) || !pattern.index_xor.is_zero()) return std::nullopt;
    const Pattern pair = doubled(pattern, axis_x);
    ModeFit mode(pair);
    size_t rows = 0;
    for (const SeenLevel& level : levels) {
        if (!level.only(m)) continue;
        rows += *level.row[m] != 0;
        if (*level.row[m] % row_unit_of(pair) != 0 || !mode.of(level)) return std::nullopt;
    }
    if (rows < enough) return std::nullopt;
    return pair;
}

void Learner::place_in_modes() {
    std::vector<ModeFit> modes;
    for (const BlockMode& mode : rule.modes) modes.emplace_back(mode.pattern);
    for (SeenLevel& level : levels) {
        const ImageLayout& image = images[level.image];
        // Those rows show how much a level takes, not how far apart rows are in other images.
        const bool by_span = hypothesis.bare_end && is_single(image);
        level.shape = shape_of(rule, image, level.level);
        level.row.assign(rule.modes.size(), std::nullopt);
        for (size_t m = 0; m < rule.modes.size(); m++) {
            const Pattern& pattern = rule.modes[m].pattern;
            const Layout* layout = modes[m].of(level);
            if (!layout) continue;
            const uint64_t rows = uint64_t{pattern.tile[axis_y]} * pattern.tile[axis_z];
            level.row[m] = by_span ? 0 : layout->stride[axis_y] / rows;
        }
        level.placed = level.row;
    }
}

/// How samples change the place within each mode's blocks, as shown by most of the levels that no other mode explains.
std::vector<uint64_t> Learner::constants() const {
    std::vector<uint64_t> found(rule.modes.size());
    if (rule.samples == 1) return found;
    for (size_t m = 0; m < rule.modes.size(); m++) {
        const BlockMode& mode = rule.modes[m];
        if (!is_block(mode.pattern)) continue;
        for (const bool strict : {true, false}) {
            std::map<uint64_t, size_t> counts;
            for (const SeenLevel& level : levels)
                if (strict ? level.only(m) : level.can(m)) counts[level.first % mode.pattern.tile_bytes]++;
            if (counts.empty()) continue;
            found[m] = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->first;
            break;
        }
    }
    return found;
}

/// Drops modes that explain no level of their own, those with the fewest levels first.
void Learner::drop_needless_modes() {
    for (;;) {
        size_t fewest = rule.modes.size(), fewest_levels = SIZE_MAX;
        for (size_t m = 0; m < rule.modes.size(); m++) {
            if (std::ranges::any_of(levels, [&](const SeenLevel& level) { return level.only(m); })) continue;
            const auto count = static_cast<size_t>(
                std::ranges::count_if(levels, [&](const SeenLevel& level) { return level.can(m); }));
            if (count >= fewest_levels) continue;
            fewest = m;
            fewest_levels = count;
        }
        if (fewest == rule.modes.size()) return;
        const auto at = static_cast<std::ptrdiff_t>(fewest);
        rule.modes.erase(rule.modes.begin() + at);
        for (SeenLevel& level : levels) {
            level.row.erase(level.row.begin() + at);
            level.placed.erase(level.placed.begin() + at);
        }
    }
}

}  // namespace tilewise
