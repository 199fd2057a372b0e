// The parts of a prediction. predict() combines them; learning a rule, and asking for images that decide about one,
// needs them separately.
#pragma once
#include "patterns/rules/rule.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// What formulas and bounds need to know about a level.
struct LevelShape {
    Extent_px extent_px, extent0_px;
    Element element;
    uint32_t level = 0, levels = 1;
    /// The first level that is shorter than the largest block along some axis.
    uint32_t first_below = 0;
    /// Samples per element in a row, if samples do not have rows of their own.
    uint32_t inner_samples = 1;
    /// Layers of the level, if each level has all of them.
    uint32_t inner_layers = 1;
    /// The least number of bytes in a slice.
    uint64_t least_slice = 0;
    /// Bytes of a slice if it takes as much as a slice of the level before; otherwise 0.
    uint64_t kept_slice = 0;
};

struct PlacedLevel {
    uint32_t mode = 0;
    LevelShape shape;
    uint64_t base = 0, bytes = 0, constant = 0;
};

/// Where an image's levels and layers lie, without the places of elements.
struct PlacedImage {
    std::vector<PlacedLevel> levels;
    /// Layers, or slabs of a block's depth, if each of these has all levels.
    uint64_t outer = 1;
    /// Bytes of all levels of one of these.
    uint64_t outer_bytes = 0;
    uint64_t outer_stride = 0;
    /// Not 0 if each sample has all of these.
    uint64_t sample_stride = 0;
    uint64_t bytes = 0;
    /// Empty if the rule places the levels.
    std::string why_not;
};
PlacedImage place(const Rule& rule, const ImageKind& wanted);

/// How many layers an image may have whose level 0 has this mode: with more layers, bits of the layer's index that no
/// image showed might change the places.
uint32_t layers_known(const BlockMode& mode);

uint64_t minified_el(Minify minify, const LevelShape& level, unsigned axis);
uint64_t length_of(const Length& length, const LevelShape& level, unsigned axis);
/// The bytes of a row by the mode's `row` or `span`, after it has grown.
uint64_t row_bytes(const BlockMode& mode, const Length& row, const LevelShape& level);
uint64_t feature_of(Feature feature, const LevelShape& level, const BlockMode& mode);
bool holds(const std::vector<Bound>& bounds, const LevelShape& level, const BlockMode& mode);

/// Whether each slice of a 3D image has all levels; otherwise each level has all slices.
inline bool slices_are_outside(const Rule& rule) {
    return rule.image_type == ImageType::three_d && !rule.layers_inside;
}

/// Bytes of the level: for all layers, or for one layer if each layer has all levels; for a 3D image whose slices lie
/// outside the levels, for one block's depth.
uint64_t level_bytes(const BlockMode& mode, const LevelShape& level, bool slices_outside, uint64_t rows_unit = 1);

/// The bytes from a slice of the level to the next, averaged over a block's depth.
uint64_t slice_bytes(const BlockMode& mode, const LevelShape& level, uint64_t rows_unit = 1);

/// The mode of each level; none if the rule chooses none.
std::optional<std::vector<uint32_t>> modes_of(const Rule& rule, const ImageKind& image);

LevelShape shape_of(const Rule& rule, const ImageKind& image, uint32_t level);

/// Whether the image has one level and one layer: its rows are the ones that Rule::bare_end puts further apart.
inline bool is_single(const ImageShape& image) { return image.levels == 1 && image.layers == 1; }

/// A budget's candidates are considered one after another; this is the state reached for one image.
struct BudgetState {
    std::optional<uint32_t> mode;
    /// The bytes that the image takes in that mode; 0 before there is one.
    uint64_t bytes = 0;
};

/// The bytes in the candidate's mode (levels that share the tail count once), and the bytes of which they are a
/// fraction.
struct ByteRatio {
    uint64_t bytes = 0, against = 0;
    double fraction() const { return static_cast<double>(bytes) / static_cast<double>(against); }
};
ByteRatio byte_ratio(const Rule& rule, const Budget& budget, const Candidate& candidate, const ImageKind& image,
                     const BudgetState& state);

/// The budget's state after the candidate.
BudgetState after(const Rule& rule, const Budget& budget, const Candidate& candidate, const ImageKind& image,
                  const BudgetState& before);

/// The fraction that decides about the rule's candidate of that number; none if the image never gets to that candidate,
/// or gets to it first.
std::optional<double> fraction_of(const Rule& rule, size_t candidate, const ImageKind& image);

}  // namespace tilewise
