// What the parts of learning share: what the images show so far, and the rule as far as it is found. Each file of this folder
// finds one part of a rule.
#pragma once
#include "patterns/rules/learn.h"
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tilewise {

/// Elements that tell a level's layout from others, with their offsets: along each axis those at powers of two, the last one,
/// and some at random.
struct Sample {
    Coord at;
    uint64_t offset;
};

/// A level of a probed image, of its first layer.
struct SeenLevel {
    size_t image = 0;
    uint32_t level = 0;
    const Layout* layout = nullptr;
    Coord extent = unit_extent;
    std::shared_ptr<const std::vector<Sample>> samples;
    LevelShape shape;
    uint64_t first = 0;             ///< offset of the element at the origin
    uint64_t begin = 0;             ///< that of its block, where samples have an order of their own; else the same
    std::optional<uint64_t> bytes;  ///< of all layers that the level has, as far as the next level shows it
    std::optional<uint64_t> room;   ///< up to the layer's or image's end, of which rounding may be part
    bool in_tail = false;
    bool orphan = false;                       ///< in some round no mode's formulas agreed with it
    std::vector<std::optional<uint64_t>> row;  ///< by mode: bytes of a row; 0 where one row of blocks does not show it
    std::vector<std::optional<uint64_t>> placed;  ///< the same by places alone, whatever bytes say
    bool can(size_t mode) const { return row[mode].has_value(); }
    /// Of those that it can have; the number of modes where it can have none.
    size_t first_mode() const {
        return static_cast<size_t>(std::ranges::find_if(row, [](const auto& r) { return r.has_value(); }) -
                                   row.begin());
    }
    bool only(size_t mode) const {
        return can(mode) && std::ranges::count_if(row, [](const auto& r) { return r.has_value(); }) == 1;
    }
};

struct Hypothesis {
    bool tail = false;            ///< levels share blocks; layers differ by an XOR
    bool split = false;           ///< one block can have two sets of formulas
    bool chain = false;           ///< there is room for levels that the image does not have
    bool quarter_slices = false;  ///< small levels of a 3D image have slices as large as the level before
    bool bare_end = false;        ///< as the rule's
    bool wide_spans = false;      ///< what rows count as, where there are no blocks, are multiples of hundreds of bytes
    bool flat_tails = false;      ///< levels of all depths share blocks, as long as they are narrow and flat enough
    bool pairs = false;           ///< the largest block is two that lie side by side
};

struct Learner {
    std::span<const ImageLayout> images;
    Hypothesis hypothesis;
    std::vector<SeenLevel> levels = {};    ///< by image, then level
    std::vector<size_t> first_level = {};  ///< of each image
    Learned out = {};

    bool hopeless = false;  ///< the hypothesis explains hardly a level of a mode that many have

    std::span<SeenLevel> levels_of(size_t image) {
        return std::span(levels).subspan(first_level[image], images[image].levels);
    }

    uint64_t common_unit = 1;  ///< of all images' bytes
    uint64_t common_base = 1;  ///< of all levels' bases
    uint64_t rounding(const SeenLevel& level) const;
    uint64_t bytes_of(size_t image) const;

    void take_levels();
    bool keep_modes(const Rule& before);
    void find_modes();
    void place_in_modes();
    void join_pairs();
    void find_order();
    void find_constants();
    void find_tails();
    void measure_levels();
    std::optional<uint64_t> slice_shown(const SeenLevel& level) const;
    bool may_keep_slices();
    void keep_slices();
    void fit_mode(size_t m, const std::vector<const SeenLevel*>& mine);
    std::vector<const SeenLevel*> disagreeing(size_t m, const std::vector<const SeenLevel*>& of, bool soft) const;
    void fit_some(size_t m, const std::vector<const SeenLevel*>& of, bool all);
    void fit_variants(const std::vector<std::vector<const SeenLevel*>>& sets);
    void fit_lengths(bool may_split);
    void share_formulas(const std::vector<std::vector<const SeenLevel*>>& sets);
    void drop_by_bytes();
    void drop_needless_modes();
    void find_layers();
    void fit_tails();
    void choose();
    bool choose_by_bounds();
    bool choose_by_budget(bool extended);
    /// What candidates may have beyond a fraction of another mode's bytes.
    struct CandidateForms {
        bool bounded, of_texels;
    };
    std::optional<Budget> budget_of(const std::vector<size_t>& of, const std::vector<size_t>& order,
                                    const std::vector<std::vector<char>>& can, const Budget& form,
                                    CandidateForms forms);
    size_t levels_chosen_right();
    void fit_alignments();
    std::optional<uint64_t> outer_stride(size_t i, size_t m);
    void fit_units();
    void check();
    void prepare(const Rule* before);
    void run();
};

/// Blocks have as many bytes as a power of two, and elements in some order of their own.
bool is_block(const Pattern& pattern);

/// From a block of the level to the next along the axis; 0 where it has one, none where blocks of that pattern do not lie so.
std::optional<uint64_t> stride_shown(const SeenLevel& level, const Pattern& block, Axis axis);

/// Bytes of a row of elements within a block.
uint64_t row_unit_of(const Pattern& pattern);

/// Whether a mode's formulas give what the level shows.
bool agrees(const BlockMode& mode, size_t m, const SeenLevel& level, bool outside, uint64_t rounding,
            bool soft = false);

struct Labelled {
    const LevelShape* shape;
    bool inside;  ///< must be; else must not
};

/// Bounds, as few as possible, that hold for all that are inside and for none of the others; none if there are no such.
std::optional<std::vector<Bound>> part(const std::vector<Labelled>& labelled, const BlockMode& mode,
                                       std::span<const Feature> features, size_t max_bounds,
                                       std::vector<Learned::Gap>* gaps);

/// The first of the options that matches the most observations.
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

}  // namespace tilewise
