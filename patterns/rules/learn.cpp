#include "patterns/rules/learn.h"
#include "patterns/model/bits.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <random>
#include <tuple>

namespace tilewise {

namespace {

constexpr uint64_t max_unit = 1 << 21;

/// A level of a probed image, of its first layer.
struct SeenLevel {
    size_t image = 0;
    uint32_t level = 0;
    const Layout* layout = nullptr;
    Coord extent = unit_extent;
    LevelShape shape;
    uint64_t first = 0;             ///< offset of the element at the origin
    std::optional<uint64_t> bytes;  ///< of one layer, as far as the next level shows it
    std::optional<uint64_t> room;   ///< up to the layer's or image's end, of which rounding may be part
    bool in_tail = false;
    bool orphan = false;                       ///< in some round no mode's formulas agreed with it
    std::vector<std::optional<uint64_t>> row;  ///< by mode: bytes of a row; 0 where one row of blocks does not show it
    bool can(size_t mode) const { return row[mode].has_value(); }
    bool only(size_t mode) const {
        return can(mode) && std::ranges::count_if(row, [](const auto& r) { return r.has_value(); }) == 1;
    }
};

bool is_block(const Pattern& pattern) { return std::has_single_bit(pattern.tile_bytes) && !pattern.is_linear(); }

/// The layout in the given mode that has the same places, as far as some elements show; none if there is none.
std::optional<Layout> in_mode(const Pattern& mode, const Layout& seen, const Coord& extent) {
    const uint64_t first = offset_of(seen, {});
    Layout layout;
    layout.pattern = mode;
    layout.constant = is_block(mode) ? first % mode.tile_bytes : 0;
    layout.base = first - layout.constant;
    for (Axis a : {axis_x, axis_y, axis_z}) {
        if (extent[a] <= mode.tile[a]) continue;
        Coord at = {};
        at[a] = mode.tile[a];
        const uint64_t there = offset_of(seen, at);
        if (there < layout.base) return std::nullopt;
        uint64_t shift = there - layout.base;
        if (is_block(mode)) shift = ((shift / mode.tile_bytes) ^ mode.index_xor.axis(a, 1)) * mode.tile_bytes;
        if (is_block(mode) && shift % mode.tile_bytes != 0) return std::nullopt;
        layout.stride[a] = shift;
    }
    if (extent[axis_x] > mode.tile[axis_x] && layout.stride[axis_x] != mode.tile_bytes) return std::nullopt;
    const auto agrees = [&](const Coord& at) { return offset_of(layout, at) == offset_of(seen, at); };
    for (Axis a : all_axes)
        for (uint64_t step = 1; step < extent[a]; step *= 2) {
            Coord at = {};
            at[a] = static_cast<uint32_t>(step);
            if (!agrees(at)) return std::nullopt;
        }
    if (!agrees({extent[0] - 1, extent[1] - 1, extent[2] - 1, extent[3] - 1})) return std::nullopt;
    std::mt19937 random(1);
    for (unsigned i = 0; i < 48; i++) {
        Coord at;
        for (Axis a : all_axes) at[a] = static_cast<uint32_t>(random() % extent[a]);
        if (!agrees(at)) return std::nullopt;
    }
    return layout;
}

/// The pattern with tiles twice as long along the axis, the next tile there being the next in memory.
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

/// With tiles half as long along x: where that halves the bytes, too. What XORs changed of the half is then F.
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

/// What the layout's block may be: its tile, and larger ones that hold tiles that follow one another. Beyond what strides
/// show, a block has `alignment` bytes at most.
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

struct Hypothesis {
    bool tail = false;         ///< levels share blocks; layers differ by an XOR
    bool split = false;        ///< one block can have two sets of formulas
    bool chain = false;        ///< there is room for levels that the image does not have
    bool kept_slices = false;  ///< small levels of a 3D image have slices as large as the level before
};

struct Learner {
    std::span<const ImageLayout> images;
    Hypothesis hypothesis;
    std::vector<SeenLevel> levels = {};    ///< by image, then level
    std::vector<size_t> first_level = {};  ///< of each image
    Learned out = {};

    std::span<SeenLevel> levels_of(size_t image) {
        return std::span(levels).subspan(first_level[image], images[image].levels);
    }

    uint64_t common_unit = 1;  ///< of all images' bytes
    uint64_t common_base = 1;  ///< of all levels' bases
    uint64_t rounding(const SeenLevel& level) const;

    void take_levels();
    bool keep_modes(const Rule& before);
    void find_modes();
    void place_in_modes();
    void find_order();
    void find_tails();
    void measure_levels();
    std::optional<uint64_t> slice_shown(const SeenLevel& level) const;
    bool shows_kept_slices(const SeenLevel& before, const SeenLevel& level) const;
    bool may_keep_slices();
    void keep_slices();
    void fit_mode(size_t m, const std::vector<const SeenLevel*>& mine);
    void fit_lengths(bool may_split);
    void share_formulas(const std::vector<std::vector<const SeenLevel*>>& sets);
    void drop_by_bytes();
    void drop_needless_modes();
    void find_layers();
    void fit_tails();
    void choose();
    bool choose_by_bounds();
    bool choose_by_budget();
    void fit_alignments();
    std::optional<uint64_t> outer_stride(size_t i);
    void fit_units();
    void check();
    void prepare(const Rule* before);
    void run();
};

void Learner::take_levels() {
    const ImageLayout& one = images.front();
    out.rule.element = one.subresources.front().layout.pattern.element;
    out.rule.aspect = one.subresources.front().aspect;
    out.rule.image_type = one.image_type;
    out.rule.usage = one.usage;
    out.rule.flags = one.flags;
    out.rule.samples = one.samples;
    for (size_t i = 0; i < images.size(); i++) {
        const ImageLayout& image = images[i];
        first_level.push_back(levels.size());
        for (uint32_t l = 0; l < image.levels; l++) {
            const Subresource& part = *find_subresource(image, out.rule.aspect, l, 0);
            SeenLevel seen;
            seen.image = i;
            seen.level = l;
            seen.layout = &part.layout;
            seen.extent = extent_el(image, part);
            seen.shape = shape_of(out.rule, image, l);
            seen.first = offset_of(part.layout, {});
            levels.push_back(std::move(seen));
        }
    }
    uint64_t all = 0;
    for (const ImageLayout& image : images) all |= image.bytes;
    common_unit = all & (~all + 1);
    uint64_t bases = 0;
    for (const SeenLevel& level : levels) bases |= level.first;
    common_base = bases == 0 ? 1 : std::min<uint64_t>(bases & (~bases + 1), 65536);
    rest_on(out.rule, images);
}

/// Whether patterns that are known explain all levels.
bool Learner::keep_modes(const Rule& before) {
    std::vector<Pattern> patterns;
    for (const BlockMode& mode : before.modes)
        if (std::ranges::find(patterns, mode.pattern) == patterns.end()) patterns.push_back(mode.pattern);
    for (const SeenLevel& level : levels)
        if (std::ranges::none_of(patterns,
                                 [&](const Pattern& p) { return in_mode(p, *level.layout, level.extent).has_value(); }))
            return false;
    for (const Pattern& pattern : patterns) out.rule.modes.emplace_back().pattern = pattern;
    return true;
}

/// The fewest patterns that explain all levels: again and again the one that explains most of the rest.
void Learner::find_modes() {
    std::vector<Pattern> candidates;
    const auto add = [&](const Pattern& pattern) {
        if (std::ranges::find(candidates, pattern) == candidates.end()) candidates.push_back(pattern);
    };
    for (const SeenLevel& level : levels) {
        for (const Pattern& block : possible_blocks(*level.layout, images[level.image].alignment)) add(block);
        // Of tiles larger than what the driver allocates, the solver could not tell F from G.
        const uint64_t allocated = images[level.image].alignment;
        std::optional<Pattern> less = level.layout->pattern;
        if (less->tile_bytes <= allocated || less->outer_xor.is_zero()) continue;
        while ((less = halved(*less)))
            if (!less->index_xor.is_zero()) add(*less);
    }
    std::vector<std::vector<char>> explains(candidates.size(), std::vector<char>(levels.size()));
    for (size_t c = 0; c < candidates.size(); c++)
        for (size_t l = 0; l < levels.size(); l++)
            explains[c][l] = in_mode(candidates[c], *levels[l].layout, levels[l].extent).has_value();
    std::vector<char> explained(levels.size());
    for (;;) {
        size_t best = candidates.size();
        std::tuple<size_t, size_t, uint64_t> best_rank = {0, 0, 0};
        for (size_t c = 0; c < candidates.size(); c++) {
            size_t fresh = 0, all = 0;
            for (size_t l = 0; l < levels.size(); l++) {
                fresh += explains[c][l] && !explained[l];
                all += static_cast<size_t>(explains[c][l]);
            }
            const std::tuple rank(fresh, all, ~candidates[c].tile_bytes);  // the smallest block of equals
            if (fresh > 0 && rank > best_rank) {
                best_rank = rank;
                best = c;
            }
        }
        if (best == candidates.size()) break;
        for (size_t l = 0; l < levels.size(); l++) explained[l] |= explains[best][l];
        BlockMode mode;
        mode.pattern = candidates[best];
        out.rule.modes.push_back(std::move(mode));
    }
}

void Learner::place_in_modes() {
    for (SeenLevel& level : levels) {
        level.shape = shape_of(out.rule, images[level.image], level.level);
        level.row.assign(out.rule.modes.size(), std::nullopt);
        for (size_t m = 0; m < out.rule.modes.size(); m++) {
            const Pattern& pattern = out.rule.modes[m].pattern;
            const auto layout = in_mode(pattern, *level.layout, level.extent);
            if (layout) level.row[m] = layout->stride[axis_y] / (uint64_t{pattern.tile[axis_y]} * pattern.tile[axis_z]);
        }
    }
}

void Learner::find_order() {
    size_t up = 0, down = 0, inside = 0, outside = 0;
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        if (of_image.size() > 1) (of_image[0].first < of_image.back().first ? up : down)++;
    }
    out.rule.smallest_first = down > up;
    for (size_t i = 0; i < images.size(); i++) {
        const ImageLayout& image = images[i];
        const auto of_image = levels_of(i);
        if (image.levels == 1) continue;
        uint64_t next = 0;  // where the next layer, or slice, of level 0 begins
        if (image.layers > 1) {
            const Subresource& part = *find_subresource(image, out.rule.aspect, 0, 1);
            next = offset_of(layout_of_layer(part, 1), {}) - of_image[0].first;
        } else if (image.extent_px[2] > of_image[0].layout->pattern.tile[axis_z]) {
            next = of_image[0].layout->stride[axis_z];
        } else {
            continue;
        }
        const uint64_t low = std::min(of_image[0].first, of_image.back().first),
                       high = std::max(of_image[0].first, of_image.back().first);
        (next > high - low ? outside : inside)++;
    }
    out.rule.layers_inside = inside > outside;
}

/// The last levels, where they share a block or are moved within it.
void Learner::find_tails() {
    if (!hypothesis.tail) return;
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        const uint64_t block = images[i].alignment;
        if (of_image.size() < 2 || block == 0) continue;
        const auto moved = [&](const SeenLevel& level) { return level.first % block != 0; };
        for (size_t l = of_image.size(); l-- > 0;) {
            const bool shares = std::ranges::any_of(of_image, [&](const SeenLevel& other) {
                return &other != &of_image[l] && other.first / block == of_image[l].first / block;
            });
            if (!moved(of_image[l]) && !shares) break;
            of_image[l].in_tail = true;
        }
    }
}

void Learner::measure_levels() {
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        const uint64_t block = hypothesis.tail && images[i].alignment > 0 ? images[i].alignment : 1;
        const uint64_t layers = out.rule.layers_inside ? images[i].layers : 1;
        for (size_t l = 0; l < of_image.size(); l++) {
            SeenLevel& level = of_image[l];
            const size_t next = out.rule.smallest_first ? l - 1 : l + 1;
            if (level.in_tail) continue;
            if (next >= of_image.size()) {
                const auto whole = static_cast<size_t>(std::bit_width(std::ranges::max(images[i].extent_px)));
                if (hypothesis.chain && of_image.size() > 1 && of_image.size() < whole) continue;
                const uint64_t end = outer_stride(i).value_or(images[i].bytes) / block * block;
                const uint64_t before = level.first / block * block;
                if ((out.rule.layers_inside ? images[i].layers == 1 && images[i].extent_px[2] == 1 : true) &&
                    end > before)
                    level.room = end - before;
                continue;
            }
            const uint64_t begin = level.first / block * block, end = of_image[next].first / block * block;
            if (end > begin && (end - begin) % layers == 0) level.bytes = (end - begin) / layers;
        }
    }
}

template <typename Option, typename Matches>
Option best_of(const std::vector<Option>& options, size_t observations, Matches matches) {
    size_t best = 0;
    Option chosen = options.front();
    for (const Option& option : options) {
        const size_t count = matches(option);
        if (count <= best) continue;
        best = count;
        chosen = option;
        if (best == observations) break;
    }
    return chosen;
}

/// The bytes from a slice to the next, or of a level that has one.
std::optional<uint64_t> Learner::slice_shown(const SeenLevel& level) const {
    if (const uint64_t stride = level.layout->stride[axis_z]; stride != 0 && level.layout->pattern.tile[axis_z] == 1)
        return stride;
    return level.extent[axis_z] == 1 ? level.bytes : std::nullopt;
}

/// Whether a level has fewer rows than the one before, is stored alike, and has slices as large.
bool Learner::shows_kept_slices(const SeenLevel& before, const SeenLevel& level) const {
    const uint64_t row = level.layout->stride[axis_y];
    const auto slice = slice_shown(level);
    return row != 0 && row == before.layout->stride[axis_y] && level.layout->pattern == before.layout->pattern &&
           slice && slice == slice_shown(before) && before.extent[axis_y] >= level.extent[axis_y] * 2 &&
           *slice >= before.extent[axis_y] / level.layout->pattern.tile[axis_y] * row;
}

bool Learner::may_keep_slices() {
    if (out.rule.image_type != "3D" || !out.rule.layers_inside) return false;
    constexpr size_t enough = 5;
    size_t found = 0;
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        for (size_t l = 1; l < of_image.size(); l++) found += shows_kept_slices(of_image[l - 1], of_image[l]);
    }
    return found >= enough;
}

/// What parts levels that are kept, as far as they show it, from those whose slices are smaller than the ones before.
void Learner::keep_slices() {
    if (!hypothesis.kept_slices) return;
    constexpr uint64_t max_row = 4096, max_rows = 64;
    std::vector<KeptSlices> options;
    for (uint32_t after = 0; after < 3; after++)
        for (uint64_t row = out.rule.element.bytes; row <= max_row; row *= 2)
            for (uint64_t rows = 1; rows <= max_rows; rows *= 2) options.push_back({after, row, rows});
    const auto for_levels = [&](const KeptSlices& kept, const auto& look) {
        for (size_t i = 0; i < images.size(); i++) {
            const auto of_image = levels_of(i);
            bool ended = false;
            for (size_t l = 1; l < of_image.size(); l++) {
                ended = ended || ends_halving(kept, of_image[l - 1].shape);
                look(of_image[l - 1], of_image[l], ended);
            }
        }
    };
    out.rule.kept_slices = best_of(options, SIZE_MAX, [&](const KeptSlices& kept) {
        size_t right = 0;
        for_levels(kept, [&](const SeenLevel& before, const SeenLevel& level, bool ended) {
            const auto slice = slice_shown(level), larger = slice_shown(before);
            right += ended ? shows_kept_slices(before, level) : slice && larger && *slice < *larger;
        });
        return right;
    });
    for_levels(*out.rule.kept_slices, [&](const SeenLevel& before, SeenLevel& level, bool ended) {
        if (const auto slice = slice_shown(before); ended && slice) level.shape.kept_slice = *slice;
    });
}

/// What the room behind an image's last level may be a multiple of, at most: behind a layer, a block of level 0, too.
uint64_t Learner::rounding(const SeenLevel& level) const {
    const ImageLayout& image = images[level.image];
    uint64_t unit = std::max(common_unit, image.alignment);
    if (image.layers > 1)
        for (size_t m = 0; m < out.rule.modes.size(); m++)
            if (levels[first_level[level.image]].can(m)) unit = std::max(unit, out.rule.modes[m].pattern.tile_bytes);
    return unit;
}

std::vector<Length> lengths(uint64_t unit, uint64_t max) {
    std::vector<Length> all;
    for (uint64_t u = unit; u <= max; u *= 2)
        for (Minify minify : {Minify::floor, Minify::ceil, Minify::pow2, Minify::below, Minify::rounded})
            all.push_back({minify, 1, u});
    for (uint64_t u = unit; u <= max; u *= 2)
        for (uint64_t first = u; first <= max; first *= 2) all.push_back({Minify::shifted, first, u});
    return all;
}

/// Whether the level may take these bytes: behind the last one there may be rounding, or `more`.
bool may_have(const SeenLevel& level, uint64_t bytes, uint64_t rounding, uint64_t more = 0) {
    if (level.bytes) return bytes == *level.bytes;
    return !level.room || (bytes <= *level.room && *level.room - bytes < rounding + more);
}

/// Whether a mode's formulas give what the level shows.
bool agrees(const BlockMode& mode, size_t m, const SeenLevel& level, bool outside, uint64_t rounding,
            bool soft = false) {
    if (!level.row[m]) return false;
    if (*level.row[m] != 0 && *level.row[m] != length_of(mode.row, level.shape, 0)) return false;
    // The last level may have some more rows.
    const uint64_t more = soft ? 8 * length_of(mode.span, level.shape, 0) : 0;
    return may_have(level, level_bytes(mode, level.shape, outside), rounding, more);
}

/// The formulas that agree with most of the levels.
void Learner::fit_mode(size_t m, const std::vector<const SeenLevel*>& mine) {
    const bool outside = out.rule.image_type == "3D" && !out.rule.layers_inside;
    BlockMode& mode = out.rule.modes[m];
    const Coord& tile = mode.pattern.tile;
    const uint64_t unit =
        mode.pattern.is_linear() ? 1 : mode.pattern.tile_bytes / (uint64_t{tile[axis_y]} * tile[axis_z]);
    std::vector<Length> row_options;
    size_t best_rows = 0;
    for (const Length& option : lengths(unit, std::max<uint64_t>(4096, unit * 8))) {
        size_t count = 0;
        for (const SeenLevel* level : mine)
            count += *level->row[m] != 0 && length_of(option, level->shape, 0) == *level->row[m];
        if (count > best_rows) row_options.clear();
        best_rows = std::max(best_rows, count);
        if (count == best_rows && row_options.size() < 12) row_options.push_back(option);
    }
    std::vector<Length> slices = {{Minify::floor, 1, tile[axis_z]}};
    if (out.rule.image_type == "3D" && !outside)
        for (const Minify minify : {Minify::ceil, Minify::pow2}) slices.push_back({minify, 1, tile[axis_z]});
    std::vector<uint64_t> units = {common_base, 1};
    for (uint64_t u = 64; u <= 65536; u *= 2) units.push_back(u);
    std::vector<Length> spans = row_options;
    for (const Length& span : lengths(unit, unit * 4))
        if (std::ranges::find(spans, span) == spans.end()) spans.push_back(span);
    const std::vector<Length> all_rows = lengths(tile[axis_y], uint64_t{tile[axis_y]} * 16);

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
    const auto row_bytes = by_level(row_options, along(0)), span_bytes = by_level(spans, along(0)),
               row_counts = by_level(all_rows, along(1)), slice_counts = by_level(slices, along(2));
    const auto given = by_level(std::array{false, true}, [&](bool quartered, const SeenLevel& level) {
        mode.quartered = quartered;
        return quartered ? slice_bytes(mode, level.shape) : level.shape.kept_slice;
    });
    std::vector<uint64_t> roundings;
    for (const SeenLevel* level : mine) roundings.push_back(rounding(*level));
    BlockMode best = mode;
    size_t best_count = 0;
    const auto consider = [&](size_t row, size_t span, size_t rows, size_t slice) {
        const std::vector<uint64_t>& known = given[mode.quartered ? 1 : 0];
        size_t missed = 0;
        for (size_t i = 0; i < mine.size(); i++) {
            const SeenLevel& level = *mine[i];
            const uint64_t bytes = (known[i] != 0 ? known[i] : span_bytes[span][i] * row_counts[rows][i]) *
                                   (outside ? tile[axis_z] : slice_counts[slice][i]);
            const bool row_is_right = *level.row[m] == 0 || *level.row[m] == row_bytes[row][i];
            missed += !row_is_right || !may_have(level, round_up(bytes, mode.level_unit), roundings[i]);
            if (best_count + missed >= mine.size()) return;
        }
        best_count = mine.size() - missed;
        best = mode;
    };
    for (uint64_t level_unit : units)
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
                        consider(row, span, rows, slice);
                    }
    mode = best;
}

void Learner::fit_lengths(bool may_split) {
    const bool outside = out.rule.image_type == "3D" && !out.rule.layers_inside;
    constexpr size_t max_modes = 40, max_levels = 240;
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
    std::mt19937 random(7);
    for (size_t m = 0; m < out.rule.modes.size(); m++) {
        if (sets[m].empty()) continue;
        std::vector<const SeenLevel*> sample = sets[m];
        std::ranges::shuffle(sample, random);
        if (sample.size() > max_levels) sample.resize(max_levels);
        fit_mode(m, sample);
        const auto disagreeing = [&](bool soft) {
            std::vector<const SeenLevel*> found;
            for (const SeenLevel* level : sets[m])
                if (!agrees(out.rule.modes[m], m, *level, outside, rounding(*level), soft)) found.push_back(level);
            return found;
        };
        constexpr size_t few = 30;
        if (const auto left_out = disagreeing(false);
            !may_split && !left_out.empty() && left_out.size() < few && sample.size() < sets[m].size()) {
            std::ranges::copy(left_out, std::back_inserter(sample));
            fit_mode(m, sample);
        }
        const std::vector<const SeenLevel*> others = disagreeing(true);
        if (!may_split || !certain[m] || others.size() < 5 || others.size() == sets[m].size() ||
            out.rule.modes.size() == max_modes)
            continue;
        out.rule.modes.push_back(out.rule.modes[m]);
        for (SeenLevel& level : levels) level.row.push_back(level.row[m]);
        sets.push_back(others);
        certain.push_back(1);
    }
    share_formulas(sets);
}

/// The mode's block with the formulas of another: units are as many blocks as there.
BlockMode with_formulas_of(const BlockMode& mode, const BlockMode& other) {
    const auto row_bytes = [](const BlockMode& m) {
        return m.pattern.is_linear() ? 1 : m.pattern.tile_bytes / (m.pattern.tile[axis_y] * m.pattern.tile[axis_z]);
    };
    BlockMode out = mode;
    const auto take = [](Length& length, const Length& from, uint64_t block, uint64_t block_from) {
        length = from;
        length.unit = std::max<uint64_t>(from.unit / block_from, 1) * block;
    };
    take(out.row, other.row, row_bytes(mode), row_bytes(other));
    take(out.span, other.span, row_bytes(mode), row_bytes(other));
    take(out.rows, other.rows, mode.pattern.tile[axis_y], other.pattern.tile[axis_y]);
    take(out.slices, other.slices, mode.pattern.tile[axis_z], other.pattern.tile[axis_z]);
    out.quartered = other.quartered;
    out.level_unit = other.level_unit;
    return out;
}

/// Of formulas that explain as much of a mode's levels, those that most modes can have: few levels tell little.
void Learner::share_formulas(const std::vector<std::vector<const SeenLevel*>>& sets) {
    const bool outside = out.rule.image_type == "3D" && !out.rule.layers_inside;
    const auto explained = [&](const BlockMode& mode, size_t m) {
        return std::ranges::count_if(
            sets[m], [&](const SeenLevel* level) { return agrees(mode, m, *level, outside, rounding(*level)); });
    };
    std::vector<size_t> order;
    for (size_t m = 0; m < sets.size(); m++)
        if (!sets[m].empty()) order.push_back(m);
    // Of all modes, how many have them: of those that as many have, the ones of more levels.
    std::vector<std::pair<size_t, std::ptrdiff_t>> rank(out.rule.modes.size());
    for (const size_t m : order) {
        rank[m].second = explained(out.rule.modes[m], m);
        for (const size_t other : order) {
            const BlockMode shared = with_formulas_of(out.rule.modes[other], out.rule.modes[m]);
            rank[m].first += explained(shared, other) >= explained(out.rule.modes[other], other);
        }
    }
    std::ranges::stable_sort(order, std::greater(), [&](size_t m) { return rank[m]; });
    for (const size_t m : order) {
        const auto own = explained(out.rule.modes[m], m);
        for (const size_t other : order) {
            const BlockMode shared = with_formulas_of(out.rule.modes[m], out.rule.modes[other]);
            if (other != m && explained(shared, m) < own) continue;
            out.rule.modes[m] = shared;
            break;
        }
    }
}

/// A level that would take other bytes in a mode, or other rows, is not in that mode.
void Learner::drop_by_bytes() {
    const bool outside = out.rule.image_type == "3D" && !out.rule.layers_inside;
    for (SeenLevel& level : levels) {
        if (level.in_tail) continue;
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

/// What the layer's index changes within a block, by the mode that the rule chooses.
void Learner::find_layers() {
    if (!hypothesis.tail) return;
    for (BlockMode& mode : out.rule.modes) mode.layer_xor.clear();
    for (size_t i = 0; i < images.size(); i++) {
        if (images[i].layers == 1) continue;
        const auto modes = modes_of(out.rule, images[i]);
        if (!modes || !is_block(out.rule.modes[modes->front()].pattern)) continue;
        std::vector<uint64_t>& changes = out.rule.modes[modes->front()].layer_xor;
        for (uint32_t bit = 0; (1U << bit) < images[i].layers; bit++) {
            const uint32_t layer = 1U << bit;
            const Subresource& part = *find_subresource(images[i], out.rule.aspect, 0, layer);
            const uint64_t there = offset_of(layout_of_layer(part, layer), {});
            if (changes.size() <= bit) changes.resize(bit + 1);
            changes[bit] = (there ^ levels_of(i)[0].first) % images[i].alignment;
        }
    }
    for (BlockMode& mode : out.rule.modes)
        if (std::ranges::count(mode.layer_xor, 0) == std::ssize(mode.layer_xor)) mode.layer_xor.clear();
}

/// Modes without a level that no other mode explains, those with the fewest levels first.
void Learner::drop_needless_modes() {
    for (;;) {
        size_t fewest = out.rule.modes.size(), fewest_levels = SIZE_MAX;
        for (size_t m = 0; m < out.rule.modes.size(); m++) {
            if (std::ranges::any_of(levels, [&](const SeenLevel& level) { return level.only(m); })) continue;
            const auto count = static_cast<size_t>(
                std::ranges::count_if(levels, [&](const SeenLevel& level) { return level.can(m); }));
            if (count >= fewest_levels) continue;
            fewest = m;
            fewest_levels = count;
        }
        if (fewest == out.rule.modes.size()) return;
        const auto at = static_cast<std::ptrdiff_t>(fewest);
        out.rule.modes.erase(out.rule.modes.begin() + at);
        for (SeenLevel& level : levels) level.row.erase(level.row.begin() + at);
    }
}

struct Labelled {
    const LevelShape* shape;
    bool inside;  ///< must be; else must not
};

/// Bounds, as few as possible, that hold for all that are inside and for none of the others; none if there are no such.
std::optional<std::vector<Bound>> part(const std::vector<Labelled>& labelled, const BlockMode& mode,
                                       std::span<const Feature> features, size_t max_bounds,
                                       std::vector<Learned::Gap>* gaps) {
    struct Half {
        Feature feature;
        bool is_min;
        uint64_t value;
        std::vector<char> excludes;
    };
    std::vector<const LevelShape*> outsiders;
    for (const Labelled& l : labelled)
        if (!l.inside) outsiders.push_back(l.shape);
    if (outsiders.size() == labelled.size()) return std::nullopt;
    if (outsiders.empty()) return std::vector<Bound>();
    std::vector<Half> halves;
    for (Feature feature : features) {
        uint64_t min = UINT64_MAX, max = 0;
        for (const Labelled& l : labelled)
            if (l.inside) {
                const uint64_t value = feature_of(feature, *l.shape, mode);
                min = std::min(min, value);
                max = std::max(max, value);
            }
        Half low = {feature, true, min, {}}, high = {feature, false, max, {}};
        for (const LevelShape* o : outsiders) {
            const uint64_t value = feature_of(feature, *o, mode);
            low.excludes.push_back(value < min);
            high.excludes.push_back(value > max);
        }
        halves.push_back(std::move(low));
        halves.push_back(std::move(high));
    }
    std::vector<char> excluded(outsiders.size());
    std::vector<size_t> chosen;
    while (std::ranges::count(excluded, 0) > 0) {
        size_t best = halves.size(), best_count = 0;
        for (size_t h = 0; h < halves.size(); h++) {
            size_t count = 0;
            for (size_t o = 0; o < outsiders.size(); o++) count += halves[h].excludes[o] && !excluded[o];
            if (count > best_count) {
                best_count = count;
                best = h;
            }
        }
        if (best == halves.size() || chosen.size() == max_bounds) return std::nullopt;
        chosen.push_back(best);
        for (size_t o = 0; o < outsiders.size(); o++) excluded[o] |= halves[best].excludes[o];
    }
    for (size_t c = chosen.size(); c-- > 0;) {  // those that the others made needless
        std::ranges::fill(excluded, 0);
        for (size_t h : chosen)
            for (size_t o = 0; h != chosen[c] && o < outsiders.size(); o++) excluded[o] |= halves[h].excludes[o];
        if (std::ranges::count(excluded, 0) == 0) chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(c));
    }
    // Each as wide as what it alone excludes allows: levels that could have either mode are no evidence of the next one.
    for (size_t h : chosen) {
        Half& half = halves[h];
        uint64_t nearest = half.is_min ? 0 : UINT64_MAX;
        for (size_t o = 0; o < outsiders.size(); o++) {
            if (std::ranges::any_of(chosen, [&](size_t c) { return c != h && halves[c].excludes[o]; })) continue;
            const uint64_t value = feature_of(half.feature, *outsiders[o], mode);
            nearest = half.is_min ? std::max(nearest, value) : std::min(nearest, value);
        }
        half.value = half.is_min ? nearest + 1 : nearest - 1;
        for (size_t o = 0; o < outsiders.size(); o++) {
            const uint64_t value = feature_of(half.feature, *outsiders[o], mode);
            half.excludes[o] = half.is_min ? value < half.value : value > half.value;
        }
    }
    std::vector<Bound> bounds;
    for (size_t h : chosen) {
        const Half& half = halves[h];
        if (gaps) {
            uint64_t nearest = half.is_min ? UINT64_MAX : 0;
            for (const Labelled& l : labelled) {
                if (!l.inside) continue;
                const uint64_t value = feature_of(half.feature, *l.shape, mode);
                nearest = half.is_min ? std::min(nearest, value) : std::max(nearest, value);
            }
            gaps->push_back(half.is_min ? Learned::Gap{half.feature, half.value - 1, nearest}
                                        : Learned::Gap{half.feature, nearest, half.value + 1});
        }
        const auto same = std::ranges::find(bounds, half.feature, &Bound::feature);
        Bound& bound = same == bounds.end() ? bounds.emplace_back(Bound{half.feature}) : *same;
        (half.is_min ? bound.min : bound.max) = half.value;
    }
    return bounds;
}

constexpr std::array<std::array<Feature, 3>, 3> tail_features = {
    {{Feature::ceil_width, Feature::ceil_height, Feature::ceil_depth},
     {Feature::width, Feature::height, Feature::depth},
     {Feature::pow2_width, Feature::pow2_height, Feature::pow2_depth}}};

void Learner::fit_tails() {
    if (!hypothesis.tail) return;
    for (size_t m = 0; m < out.rule.modes.size(); m++) {
        BlockMode& mode = out.rule.modes[m];
        Tail tail;
        std::vector<Labelled> labelled;
        for (size_t i = 0; i < images.size(); i++) {
            const auto of_image = levels_of(i);
            if (!of_image[0].only(m)) continue;
            uint32_t at = 0;
            for (const SeenLevel& level : of_image) {
                if (level.level > 0 || !level.in_tail) labelled.push_back({&level.shape, level.in_tail});
                if (!level.in_tail) continue;
                if (tail.constants.size() <= at) tail.constants.resize(at + 1);
                tail.constants[at++] = level.first % images[i].alignment;
            }
        }
        if (tail.constants.empty()) continue;
        std::erase_if(labelled, [](const Labelled& l) { return !l.inside && l.shape->levels == 1; });
        // A box: powers of two where those hold no level that lies elsewhere.
        for (const auto& features : tail_features)
            for (const bool rounded : {true, false}) {
                std::vector<Bound> box;
                for (const Feature feature : features) {
                    uint64_t max = 0;
                    for (const Labelled& l : labelled)
                        if (l.inside) max = std::max(max, feature_of(feature, *l.shape, mode));
                    box.push_back({feature, 0, rounded ? std::bit_ceil(max) : max});
                }
                const bool parts = std::ranges::none_of(
                    labelled, [&](const Labelled& l) { return !l.inside && holds(box, *l.shape, mode); });
                if (parts && tail.bounds.empty()) tail.bounds = box;
            }
        if (tail.bounds.empty()) continue;
        for (const Bound& side : tail.bounds) {
            uint64_t seen = 0, beyond = UINT64_MAX;
            for (const Labelled& l : labelled) {
                const uint64_t value = feature_of(side.feature, *l.shape, mode);
                const bool within_others = std::ranges::all_of(tail.bounds, [&](const Bound& other) {
                    return other.feature == side.feature || holds({other}, *l.shape, mode);
                });
                if (l.inside) seen = std::max(seen, value);
                if (!l.inside && within_others) beyond = std::min(beyond, value);
            }
            if (beyond != UINT64_MAX) out.gaps.push_back({side.feature, seen, beyond});
        }
        tail.bounds.push_back({Feature::levels, 2, UINT64_MAX});
        mode.tail = tail;
    }
}

/// What may part modes: few features before many, since a rule made of few is wrong sooner where it is wrong.
std::vector<std::vector<Feature>> feature_families() {
    using enum Feature;
    const std::vector<Feature> own = {width, height, depth}, whole = {width0, height0, depth0},
                               pow2 = {pow2_width, pow2_height, pow2_depth}, texels = {width_px, height_px, depth},
                               other = {row_multiple, levels_below, levels, layers};
    std::vector<std::vector<Feature>> families = {own, whole, pow2, texels};
    const auto add = [&](std::initializer_list<std::vector<Feature>> parts) {
        std::vector<Feature> all;
        for (const auto& p : parts) all.insert(all.end(), p.begin(), p.end());
        families.push_back(all);
    };
    add({own, {row_multiple}});
    add({texels, {row_multiple}});
    add({whole, own});
    add({pow2, own});
    add({whole, own, other});
    add({pow2, own, other});
    add({whole, pow2, own, other});
    return families;
}

/// Modes that differ in their XOR alone: what parts them is how many blocks are in a row.
bool are_variants(const BlockMode& a, const BlockMode& b) {
    return !a.pattern.is_linear() && a.pattern.tile == b.pattern.tile && a.pattern.equation == b.pattern.equation &&
           std::tie(a.row, a.span, a.rows, a.quartered, a.level_unit) ==
               std::tie(b.row, b.span, b.rows, b.quartered, b.level_unit);
}

/// Conditions for the modes in that order, each against those after it; none where the features do not part them.
struct Parted {
    std::vector<Choice> choices;
    std::vector<Learned::Gap> gaps;
};

std::optional<Parted> part_in_order(const Rule& rule, const std::vector<std::vector<size_t>>& groups,
                                    std::vector<const SeenLevel*> rest, std::span<const Feature> features) {
    constexpr Feature row_alone[] = {Feature::row_multiple};
    Parted out;
    std::vector<char> passed(rule.modes.size());
    const auto can = [&](const std::vector<size_t>& group, const SeenLevel& level) {
        return std::ranges::any_of(group, [&](size_t m) { return level.can(m); });
    };
    const auto label = [&](const std::vector<const SeenLevel*>& of, const std::vector<size_t>& group) {
        std::vector<Labelled> labelled;
        for (const SeenLevel* level : of) {
            bool others = false;
            for (size_t o = 0; o < rule.modes.size(); o++)
                others |= std::ranges::count(group, o) == 0 && !passed[o] && level->can(o);
            if (!can(group, *level))
                labelled.push_back({&level->shape, false});
            else if (!others)
                labelled.push_back({&level->shape, true});
        }
        return labelled;
    };
    for (const std::vector<size_t>& group : groups) {
        const BlockMode& first = rule.modes[group.front()];
        const std::vector<Labelled> labelled = label(rest, group);
        std::optional<std::vector<Bound>> bounds;
        if (std::ranges::any_of(labelled, &Labelled::inside)) {
            bounds = part(labelled, first, features, 6, &out.gaps);
            if (!bounds) return std::nullopt;
            std::vector<const SeenLevel*> mine;
            for (const SeenLevel* level : rest)
                if (holds(*bounds, level->shape, first)) mine.push_back(level);
            std::erase_if(rest, [&](const SeenLevel* level) { return holds(*bounds, level->shape, first); });
            if (group.size() == 1) {
                out.choices.push_back({static_cast<uint32_t>(group.front()), *bounds});
            } else {
                std::vector<std::vector<size_t>> variants;
                variants.reserve(group.size());
                for (const size_t m : group) variants.push_back({m});
                std::optional<Parted> inner;
                do {
                    inner = part_in_order(rule, variants, mine, row_alone);
                } while (!inner && variants.size() < 5 && std::ranges::next_permutation(variants).found);
                if (!inner) inner = part_in_order(rule, variants, mine, features);
                if (!inner) return std::nullopt;
                for (Choice& choice : inner->choices) {
                    choice.bounds.insert(choice.bounds.begin(), bounds->begin(), bounds->end());
                    out.choices.push_back(std::move(choice));
                }
                out.gaps.insert(out.gaps.end(), inner->gaps.begin(), inner->gaps.end());
            }
        }
        for (const size_t m : group) passed[m] = 1;
        if (rest.empty()) return out;
    }
    return std::nullopt;
}

bool Learner::choose_by_bounds() {
    std::vector<size_t> order;
    for (size_t m = 0; m < out.rule.modes.size(); m++) order.push_back(m);
    const auto try_order = [&](const std::vector<Feature>& features) {
        std::vector<std::vector<size_t>> groups;
        for (const size_t m : order) {
            const auto same = std::ranges::find_if(groups, [&](const std::vector<size_t>& group) {
                return are_variants(out.rule.modes[group.front()], out.rule.modes[m]);
            });
            if (same == groups.end())
                groups.push_back({m});
            else
                same->push_back(m);
        }
        std::vector<const SeenLevel*> all;
        for (const SeenLevel& level : levels)
            if (!level.in_tail) all.push_back(&level);
        std::optional<Parted> parted = part_in_order(out.rule, groups, std::move(all), features);
        if (!parted) return false;
        out.rule.choices = std::move(parted->choices);
        out.gaps.insert(out.gaps.end(), parted->gaps.begin(), parted->gaps.end());
        return true;
    };
    // Large blocks first; of modes that share a block, those found first or last; small blocks first.
    const auto by_size = [&](size_t m) { return out.rule.modes[m].pattern.tile_bytes; };
    for (const std::vector<Feature>& features : feature_families()) {
        std::ranges::sort(order);
        std::ranges::stable_sort(order, std::greater(), by_size);
        if (try_order(features)) return true;
        std::ranges::reverse(order);
        if (try_order(features)) return true;
        std::ranges::stable_sort(order, std::greater(), by_size);
        if (try_order(features)) return true;
    }
    return false;
}

constexpr Feature image_features[] = {Feature::height0, Feature::width0, Feature::depth0, Feature::levels,
                                      Feature::layers};

/// A simple fraction in [low, high); none if there is none.
std::optional<std::pair<uint64_t, uint64_t>> fraction_between(double low, double high) {
    for (uint64_t denominator = 1; denominator <= 16; denominator++)
        for (uint64_t numerator = 1; numerator <= denominator * 64; numerator++) {
            const double value = static_cast<double>(numerator) / static_cast<double>(denominator);
            if (value >= low && value < high) return std::pair(numerator, denominator);
        }
    return std::nullopt;
}

bool Learner::choose_by_budget() {
    // By image: the modes that all its levels can have.
    std::vector<std::vector<char>> can(images.size(), std::vector<char>(out.rule.modes.size(), 1));
    for (const SeenLevel& level : levels)
        if (!level.in_tail)
            for (size_t m = 0; m < out.rule.modes.size(); m++) can[level.image][m] &= level.can(m);
    for (size_t i = 0; i < images.size(); i++)
        for (size_t m = 0; m < out.rule.modes.size(); m++)
            can[i][m] &= out.rule.modes[m].alignment == images[i].alignment;
    std::vector<size_t> rest;
    for (size_t i = 0; i < images.size(); i++) rest.push_back(i);
    std::vector<size_t> left;
    out.rule.choices.clear();
    for (size_t m = 0; m < out.rule.modes.size(); m++) left.push_back(m);
    std::ranges::reverse(left);  // small blocks first
    // Modes that bounds of level 0 tell from all others.
    for (size_t k = 0; k < left.size() && left.size() > 1;) {
        const size_t m = left[k];
        std::vector<Labelled> labelled;
        for (size_t i : rest) {
            const bool others = std::ranges::any_of(left, [&](size_t o) { return o != m && can[i][o]; });
            if (!can[i][m])
                labelled.push_back({&levels_of(i)[0].shape, false});
            else if (!others)
                labelled.push_back({&levels_of(i)[0].shape, true});
        }
        if (std::ranges::none_of(labelled, &Labelled::inside)) {
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
            continue;
        }
        const auto bounds = part(labelled, out.rule.modes[m], image_features, 1, &out.gaps);
        if (!bounds) {
            k++;
            continue;
        }
        out.rule.choices.push_back({static_cast<uint32_t>(m), *bounds});
        std::erase_if(rest, [&](size_t i) { return holds(*bounds, levels_of(i)[0].shape, out.rule.modes[m]); });
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
    }
    for (const bool level0_only : {false, true})
        for (const bool against_smallest : {false, true}) {
            Budget budget;
            budget.level0_only = level0_only;
            budget.against_smallest = against_smallest;
            budget.candidates.push_back({static_cast<uint32_t>(left.front())});
            std::map<size_t, uint64_t> smallest, last;
            std::map<size_t, size_t> taken;
            const auto bytes_of = [&](size_t m, size_t i) {
                return image_bytes(out.rule, out.rule.modes[m], images[i], level0_only ? 1 : images[i].levels);
            };
            for (size_t i : rest) smallest[i] = last[i] = bytes_of(left.front(), i);
            bool good = true;
            for (size_t k = 1; k < left.size() && good; k++) {
                const size_t m = left[k];
                double low = 0, high = 1e9;
                for (size_t i : rest) {
                    const double ratio = static_cast<double>(bytes_of(m, i)) /
                                         static_cast<double>(against_smallest ? smallest[i] : last[i]);
                    const bool later =
                        std::ranges::any_of(std::span(left).subspan(k + 1), [&](size_t o) { return can[i][o]; });
                    bool earlier = false;
                    for (size_t o = 0; o < k; o++) earlier |= can[i][left[o]] != 0;
                    if (can[i][m] && !earlier && !later) low = std::max(low, ratio);
                    if (!can[i][m] && !later) high = std::min(high, ratio);
                }
                const auto fraction = fraction_between(low, high);
                if (!fraction) {
                    good = false;
                    break;
                }
                budget.candidates.push_back({static_cast<uint32_t>(m), fraction->first, fraction->second});
                for (size_t i : rest) {
                    const uint64_t bytes = bytes_of(m, i);
                    if (bytes * fraction->second <= (against_smallest ? smallest[i] : last[i]) * fraction->first)
                        last[i] = bytes;
                }
            }
            if (!good) continue;
            out.rule.budget = budget;
            return true;
        }
    return false;
}

/// By bounds or by bytes, whichever takes fewer numbers.
void Learner::choose() {
    const auto numbers = [](const Rule& rule) {
        size_t count = rule.budget.candidates.size();
        for (const Choice& choice : rule.choices)
            for (const Bound& bound : choice.bounds) count += (bound.min > 0) + (bound.max != UINT64_MAX);
        return count;
    };
    Learner other = *this;
    const bool bounds = choose_by_bounds();
    if (other.choose_by_budget() && (!bounds || numbers(other.out.rule) < numbers(out.rule)))
        out = std::move(other.out);
}

/// Of images by the mode of their level 0.
void Learner::fit_alignments() {
    for (size_t m = 0; m < out.rule.modes.size(); m++) {
        BlockMode& mode = out.rule.modes[m];
        std::vector<size_t> mine;
        for (const bool strict : {true, false}) {
            for (size_t i = 0; i < images.size(); i++)
                if (strict ? levels_of(i)[0].only(m) : levels_of(i)[0].can(m)) mine.push_back(i);
            if (!mine.empty()) break;
        }
        if (mine.empty()) continue;
        std::map<uint64_t, size_t> alignments;
        for (size_t i : mine) alignments[images[i].alignment]++;
        mode.alignment = std::ranges::max_element(alignments, {}, [](const auto& a) { return a.second; })->first;
    }
}

/// From the origin of a layer (or slab of slices) to that of the next; none where the image has one.
std::optional<uint64_t> Learner::outer_stride(size_t i) {
    const SeenLevel& level = levels_of(i)[0];
    if (out.rule.layers_inside) return std::nullopt;
    if (images[i].layers > 1) {
        const Subresource& part = *find_subresource(images[i], out.rule.aspect, 0, 1);
        return offset_of(layout_of_layer(part, 1), {}) - level.first;
    }
    const uint64_t stride = level.layout->stride[axis_z];
    return out.rule.image_type == "3D" && stride != 0 ? std::optional(stride) : std::nullopt;
}

void Learner::fit_units() {
    std::vector<PlacedImage> placed;
    for (const ImageLayout& image : images) placed.push_back(place(out.rule, image));
    for (size_t m = 0; m < out.rule.modes.size(); m++) {
        BlockMode& mode = out.rule.modes[m];
        std::vector<uint64_t> units = {mode.pattern.tile_bytes, mode.alignment};  // the likely ones first
        for (uint64_t u = 1; u <= max_unit; u *= 2) units.push_back(u);
        std::vector<size_t> mine, several;
        for (size_t i = 0; i < images.size(); i++) {
            if (!placed[i].why_not.empty() || placed[i].levels.front().mode != m) continue;
            mine.push_back(i);
            if (outer_stride(i)) several.push_back(i);
        }
        mode.layer_unit = mode.image_unit = mode.alignment;
        const auto stride_of = [&](size_t i, uint64_t unit) {
            return placed[i].outer > 1 ? round_up(placed[i].outer_bytes, unit) : placed[i].outer_bytes;
        };
        const auto matches = [](const std::vector<size_t>& some, const auto& is_right) {
            return static_cast<size_t>(std::ranges::count_if(some, is_right));
        };
        if (!several.empty())
            mode.layer_unit = best_of(units, several.size(), [&](uint64_t unit) {
                return matches(several, [&](size_t i) {
                    const uint64_t within = hypothesis.tail && images[i].layers > 1 ? mode.alignment : 1;
                    return stride_of(i, unit) == *outer_stride(i) / within * within;
                });
            });
        if (!mine.empty())
            mode.image_unit = best_of(units, mine.size(), [&](uint64_t unit) {
                return matches(mine, [&](size_t i) {
                    return round_up(stride_of(i, mode.layer_unit) * placed[i].outer, unit) == images[i].bytes;
                });
            });
    }
}

void Learner::check() {
    for (size_t i = 0; i < images.size(); i++) {
        const Prediction p = predict(out.rule, images[i]);
        const std::string why = p.image ? difference(*p.image, images[i]) : p.why_not;
        if (why.empty()) continue;
        if (out.unexplained.empty())
            out.why =
                fmt::format("{} {}x{}x{} levels {} layers {}: {}", images[i].format, images[i].extent_px[0],
                            images[i].extent_px[1], images[i].extent_px[2], images[i].levels, images[i].layers, why);
        out.unexplained.push_back(i);
    }
}

void Learner::prepare(const Rule* before) {
    take_levels();
    if (!before || !keep_modes(*before)) find_modes();
    std::ranges::stable_sort(out.rule.modes, std::greater(), [](const BlockMode& m) { return m.pattern.tile_bytes; });
    place_in_modes();
    find_order();
}

void Learner::run() {
    find_tails();
    measure_levels();
    keep_slices();
    for (unsigned round = 0; round < 3; round++) {
        fit_lengths(hypothesis.split && round == 0);
        drop_by_bytes();
    }
    drop_needless_modes();
    fit_alignments();
    fit_tails();
    choose();
    find_layers();
    size_t best = 0;
    Rule chosen = out.rule;
    out.rule.whole_chain = hypothesis.chain;
    for (uint64_t rows = 1; rows <= 32 && best < images.size(); rows *= 2) {
        out.rule.last_rows = rows;
        fit_units();
        size_t count = 0;
        for (const ImageLayout& image : images) count += place(out.rule, image).bytes == image.bytes;
        if (count > best) {
            best = count;
            chosen = out.rule;
        }
    }
    out.rule = chosen;
    check();
}

}  // namespace

void rest_on(Rule& rule, std::span<const ImageLayout> images) {
    rule.max_extent_px = {1, 1, 1};
    rule.max_levels = rule.max_layers = 1;
    for (const ImageLayout& image : images) {
        for (unsigned a = 0; a < 3; a++) rule.max_extent_px[a] = std::max(rule.max_extent_px[a], image.extent_px[a]);
        rule.max_levels = std::max(rule.max_levels, image.levels);
        rule.max_layers = std::max(rule.max_layers, image.layers);
    }
    rule.probes = static_cast<uint32_t>(images.size());
}

Learned learn(std::span<const ImageLayout> images, const Rule* before) {
    Learner prepared = {.images = images, .hypothesis = {}};
    prepared.prepare(before);
    Learned best;
    bool first = true;
    std::vector<Hypothesis> hypotheses = {{}, {.tail = true}, {.split = true}, {.split = true, .chain = true}};
    Learner measured = prepared;
    measured.measure_levels();
    if (measured.may_keep_slices()) hypotheses.insert(hypotheses.begin(), {.kept_slices = true});
    if (before) {  // what explained fewer of them is likely to explain all
        const bool tail = std::ranges::any_of(
            before->modes, [](const BlockMode& m) { return m.tail.has_value() || !m.layer_xor.empty(); });
        if (tail) std::swap(hypotheses[0], hypotheses[1]);
    }
    for (const Hypothesis hypothesis : hypotheses) {
        Learner learner = prepared;
        learner.hypothesis = hypothesis;
        learner.run();
        if (first || learner.out.unexplained.size() < best.unexplained.size()) best = std::move(learner.out);
        first = false;
        if (best.unexplained.empty()) break;
    }
    return best;
}

std::string difference(const ImageLayout& predicted, const ImageLayout& probed) {
    if (predicted.bytes != probed.bytes) return fmt::format("{} bytes, not {}", predicted.bytes, probed.bytes);
    if (predicted.alignment != probed.alignment)
        return fmt::format("alignment {}, not {}", predicted.alignment, probed.alignment);
    for (const Subresource& part : probed.subresources)
        for (uint32_t layer = part.layer; layer < part.layer + part.layers; layer++) {
            const Subresource* other = find_subresource(predicted, part.aspect, part.level, layer);
            if (!other) return fmt::format("level {} layer {} is missing", part.level, layer);
            const Coord extent = extent_el(probed, part);
            const AxisTables a(layout_of_layer(*other, layer), extent), b(layout_of_layer(part, layer), extent);
            std::vector<uint64_t> row_a(extent[axis_x]), row_b(extent[axis_x]);
            for (uint32_t s = 0; s < extent[axis_s]; s++)
                for (uint32_t z = 0; z < extent[axis_z]; z++)
                    for (uint32_t y = 0; y < extent[axis_y]; y++) {
                        a.row(y, z, s, row_a.data());
                        b.row(y, z, s, row_b.data());
                        if (row_a == row_b) continue;
                        const auto at = std::ranges::mismatch(row_a, row_b);
                        return fmt::format("level {} layer {} element {},{},{} at {}, not {}", part.level, layer,
                                           at.in1 - row_a.begin(), y, z, *at.in1, *at.in2);
                    }
        }
    return {};
}

}  // namespace tilewise
