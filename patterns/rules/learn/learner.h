// How a rule is learned: declarations that the files in this folder share.
//
// The model. A driver stores each level of an image in one of a few modes (patterns/rules/rule.h). A mode is a block of
// elements with formulas for the bytes that a level takes in it; bounds, or bytes, choose a level's mode. The evidence
// is where the elements of each level lie, where each level begins, and the image's bytes and alignment.
//
// The hypotheses. Some drivers do things that change how the evidence must be read: levels may share a block, so that
// the bytes between two of them say nothing; an image may have room for levels that it does not have. Such behaviour is
// covered by a short list of named hypotheses (below). Each is tried from scratch until one explains all images, in the
// order of hypotheses_for() in learn.cpp: the plain one comes first, but after those that the images themselves
// suggest, or that explained fewer images of this kind before. If none explains all images, the one that explains the
// most is kept, together with the list of images that it does not explain.
//
// The order of the steps (Learner::prepare and Learner::run). Each needs only what those before it found:
//   1. levels.cpp   what the images show of each level
//   2. modes.cpp    the fewest blocks that explain the places of all elements: these are the modes. By places alone a
//                   level may fit several of them
//   3. levels.cpp   in which order levels and layers lie
//   4. modes.cpp    how samples change the places
//   5. tails.cpp    which levels share a block
//   6. levels.cpp   how many bytes each level takes
//   7. slices.cpp   which slices are as large as those of the level before
//   8. lengths.cpp  the formulas that give the bytes of as many levels of each mode as possible; a level then leaves
//                   the modes that would give it other bytes. This is done three times; then modes that no level needs
//                   are dropped (modes.cpp)
//   9. units.cpp    how images are aligned
//  10. tails.cpp    the bounds of tails
//  11. choices.cpp  the bounds, or the bytes, that separate the levels of each mode from those of the others
//  12. tails.cpp    how the layer's index changes the place within a block
//  13. units.cpp    what layers and images are multiples of
//  14. learn.cpp    the rule predicts every image that it was learned from
//
// The invariant. SeenLevel::row and SeenLevel::placed have an element for every mode of the rule. If `row` allows a
// level a mode, so does `placed`; and if `placed` allows a level any mode, `row` allows it at least one: bytes never
// leave a level without a mode. Steps decide about a mode from the levels that can have no other mode, if there are
// any, otherwise from all that can have it.
//
// The cost. Nearly all of the time goes to step 8: for each mode, all combinations of a row's, a span's, a rows' and a
// slices' formula with a unit are compared with some 240 levels, millions of formulas in all. Most are refuted by the
// first level or two, because the levels that refuted the last formula are compared first. Step 2 costs the candidates
// for blocks times the levels, in parallel; all other steps are small.
#pragma once
#include "patterns/rules/learn.h"
#include "patterns/rules/learn/placing.h"
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tilewise {

/// An element that helps to tell a level's layout from others, with its offset. Along each axis the samples are the
/// elements at powers of two, the last one, and some at random.
struct Sample {
    Coord at;
    uint64_t offset;
};

/// A level of a probed image, in its first layer.
struct SeenLevel {
    size_t image = 0;
    uint32_t level = 0;
    const Layout* layout = nullptr;
    Coord extent = unit_extent;
    std::shared_ptr<const std::vector<Sample>> samples;
    LevelShape shape;
    /// The offset of the element at the origin.
    uint64_t first = 0;
    /// The offset of that element's block if samples have an order of their own; otherwise the same as `first`.
    uint64_t begin = 0;
    /// The bytes of all layers that the level has, as far as the next level shows them.
    std::optional<uint64_t> bytes;
    /// The bytes up to the end of the layer or image, which may include rounding.
    std::optional<uint64_t> room;
    bool in_tail = false;
    /// In some round, no mode's formulas agreed with the level.
    bool orphan = false;
    /// For each mode that the level can have, the bytes of a row; 0 if a single row of blocks does not show them.
    std::vector<std::optional<uint64_t>> row;
    /// The same judging by places alone, whatever the bytes say.
    std::vector<std::optional<uint64_t>> placed;

    bool can(size_t mode) const { return row[mode].has_value(); }
    /// The first mode that the level can have; the number of modes if it can have none.
    size_t first_mode() const {
        return static_cast<size_t>(std::ranges::find_if(row, [](const auto& r) { return r.has_value(); }) -
                                   row.begin());
    }
    bool only(size_t mode) const {
        return can(mode) && std::ranges::count_if(row, [](const auto& r) { return r.has_value(); }) == 1;
    }
};

using LevelList = std::vector<const SeenLevel*>;

/// Driver behaviour beyond the plain model that changes how its images must be read.
struct Hypothesis {
    /// Levels share blocks; layers differ by an XOR.
    bool tail = false;
    /// Layers differ by an XOR, although no levels share blocks.
    bool turned_layers = false;
    /// One block can have two sets of formulas.
    bool split = false;
    /// There is room for levels that the image does not have.
    bool chain = false;
    /// Small levels of a 3D image have slices as large as the level before.
    bool quarter_slices = false;
    /// As in the rule.
    bool bare_end = false;
    /// In modes without blocks, the span of a row is a multiple of hundreds of bytes.
    bool wide_spans = false;
    /// Levels of all depths share blocks, as long as they are narrow and flat enough.
    bool flat_tails = false;
    /// The largest block consists of two blocks side by side.
    bool pairs = false;
};

/// All hypotheses that are tried, with the drivers whose rules in db/catalog show them. A rule cannot distinguish
/// hypotheses that differ only in wide_spans or pairs.
namespace hypotheses {

/// Shown by NVK and lavapipe, and by most of the 2D images of NVIDIA and Turnip.
inline constexpr Hypothesis plain = {};
/// Shown by RADV.
inline constexpr Hypothesis tails = {.tail = true};
/// Shown by RADV before Vega.
inline constexpr Hypothesis turned_layers = {.turned_layers = true};
/// Shown by some of Turnip's 2D images.
inline constexpr Hypothesis split_modes = {.split = true};
/// This one or the one below is shown by NVIDIA and Honeykrisp.
inline constexpr Hypothesis split_modes_with_whole_chain = {.split = true, .chain = true};
inline constexpr Hypothesis paired_blocks_with_whole_chain = {.chain = true, .pairs = true};
/// For 3D images; the one below is for others.
inline constexpr Hypothesis tails_beside_wide_rows = {.tail = true, .wide_spans = true};
/// Shown by 2D images of GFX12 and of Turnip.
inline constexpr Hypothesis tails_beside_bare_rows = {.tail = true, .bare_end = true, .wide_spans = true};
/// Shown by Turnip's 3D images.
inline constexpr Hypothesis kept_slices = {.quarter_slices = true};
/// Shown by some of Turnip's 3D images.
inline constexpr Hypothesis kept_slices_in_split_modes = {.split = true, .quarter_slices = true};
/// This one or the one below is shown by GFX12's 3D images.
inline constexpr Hypothesis flat_tails = {.tail = true, .flat_tails = true};
inline constexpr Hypothesis flat_tails_beside_wide_rows = {.tail = true, .wide_spans = true, .flat_tails = true};

}  // namespace hypotheses

/// How a level's mode is chosen, and what the images leave open about the choice.
struct ModeChoice {
    std::vector<Choice> choices = {};
    Budget budget = {};
    std::vector<Learned::Gap> gaps = {};
    std::vector<Learned::FractionGap> fraction_gaps = {};
};

/// Each mode's tail, if it has one, and where the tails' bounds could also lie.
struct FoundTails {
    std::vector<std::optional<Tail>> of_mode;
    std::vector<Learned::Gap> gaps;
};

struct MemoryOrder {
    bool smallest_first = false, layers_inside = false;
};

/// The evidence, and the rule as far as it has been found.
struct Learner {
    std::span<const ImageLayout> images;
    Hypothesis hypothesis = hypotheses::plain;
    /// Ordered by image, then level.
    std::vector<SeenLevel> levels = {};
    /// The position of each image's first level in `levels`.
    std::vector<size_t> first_level = {};
    Rule rule = {};
    /// The largest power of two that divides all images' bytes.
    uint64_t common_unit = 1;
    /// The largest power of two, up to 64 KiB, that divides the start of every level.
    uint64_t common_base = 1;

    std::span<SeenLevel> levels_of(size_t image) {
        return std::span(levels).subspan(first_level[image], images[image].levels);
    }
    std::span<const SeenLevel> levels_of(size_t image) const {
        return std::span(levels).subspan(first_level[image], images[image].levels);
    }
    uint64_t rounding(const SeenLevel& level) const;
    uint64_t bytes_of(size_t image) const;
    std::optional<uint64_t> outer_stride(size_t i, size_t m) const;
    std::optional<uint64_t> slice_shown(const SeenLevel& level) const;

    // Found before any hypothesis, apart from where blocks are shared.
    void take_levels();
    std::optional<std::vector<Pattern>> blocks_kept(const Rule& before) const;
    std::vector<Pattern> fewest_blocks() const;
    void place_in_modes();
    std::optional<Pattern> pair_of_largest() const;
    MemoryOrder memory_order() const;
    void prepare(const Rule* before);

    // The steps of run().
    std::vector<uint64_t> constants() const;
    void mark_tails();
    void measure_levels();
    bool may_keep_slices() const;
    void keep_slices();
    /// Returns false if, for some mode that many levels have, the hypothesis explains hardly any of these levels.
    bool fit_lengths(bool may_split);
    void drop_by_bytes();
    void drop_needless_modes();
    std::vector<uint64_t> alignments() const;
    FoundTails tails() const;
    ModeChoice mode_choice() const;
    std::vector<std::vector<uint64_t>> layer_xors() const;
    bool layers_turn() const;
    void turn_layers(BlockMode& mode, size_t m) const;
    Rule with_units(Rule tried) const;
    Rule with_last_rows() const;
    Learned checked() const;
    Learned run();

    // The parts of fit_lengths() and mode_choice().
    BlockMode fitted(const BlockMode& mode, size_t m, const LevelList& mine) const;
    BlockMode with_grown_rows(const BlockMode& found, size_t m, const LevelList& mine) const;
    BlockMode fitted_to_some(const BlockMode& mode, size_t m, const LevelList& mine, bool all) const;
    LevelList disagreeing(const BlockMode& mode, size_t m, const LevelList& among, bool soft) const;
    void fit_variants(const std::vector<LevelList>& sets);
    void share_formulas(const std::vector<LevelList>& sets);
    std::optional<ModeChoice> choice_by_bounds() const;
    std::optional<ModeChoice> choice_by_budget(bool extended) const;
    size_t levels_chosen_right(const ModeChoice& choice) const;
};

/// Whether the block's size in bytes is a power of two, and elements have an order of their own in it.
bool is_block(const Pattern& pattern);

/// The distance from a block of the level to the next along the axis; 0 if there is only one, none if blocks of that
/// pattern are not arranged like this.
std::optional<uint64_t> stride_shown(const SeenLevel& level, const Pattern& block, Axis axis);

/// Bytes of a row of elements within a block.
uint64_t row_unit_of(const Pattern& pattern);

/// Whether a mode's formulas give what the level shows.
bool agrees(const BlockMode& mode, size_t m, const SeenLevel& level, bool outside, uint64_t rounding,
            bool soft = false);

struct LabelledLevel {
    const LevelShape* shape;
    /// Whether the level must be within the bounds; otherwise it must not.
    bool inside;
};

/// As few bounds as possible that hold for all levels inside and for none of the others; none if there are no such
/// bounds. Where the bounds could also lie is added to `gaps`, unless that is null.
std::optional<std::vector<Bound>> part(const std::vector<LabelledLevel>& labelled, const BlockMode& mode,
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
