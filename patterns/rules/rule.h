// A rule: how one device and driver choose the image layout of one kind of images. It is learned from probed images
// (patterns/rules/learn.h) and predicts those that nobody probed.
//
// Images of one kind have elements of one size, one image type, usage, samples and flags. A level of such an image is
// stored in one of a few modes. A mode is a block of elements (a pattern whose tile is what the driver allocates) with the
// formulas that say how much a level takes. An NVIDIA image of 4-byte elements, where blocks are 8 to 256 rows high:
//
//   mode                      choose it where              a row of the level     its rows
//   16x256 blocks of 16 KiB   height0 >= 170, height > 128 width * 4 up to 64     height up to 256
//   16x128 blocks of 8 KiB    height0 >= 86, height > 64   width * 4 up to 64     height up to 128
//   ..
//
// Levels, in the order in which they lie in memory, follow one another; so do layers, each with all its levels or each
// level with all its layers. Small levels may share one block, the tail: each lies in it as in a block of its own, moved
// by XOR with a constant.
#pragma once
#include "patterns/model/image_layout.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// What is known of an image's level before it is laid out; lengths are elements.
enum class Feature : uint8_t {
    width0,
    height0,
    depth0,  ///< of level 0
    width,
    height,
    depth,  ///< of the level
    pow2_width,
    pow2_height,
    pow2_depth,  ///< of level 0 rounded up to a power of two, halved as often as the level says
    ceil_width,
    ceil_height,
    ceil_depth,  ///< of level 0, halved and rounded up
    level,
    levels,
    layers,
    levels_below,  ///< 0 for the last level
    row_multiple,  ///< the largest power of two that divides the blocks in a row, in the mode that is to be chosen
    area0,         ///< width0 * height0
    width_px,
    height_px,  ///< texels of the level
};
constexpr size_t feature_count = 20;
const char* feature_name(Feature feature);

struct Bound {
    Feature feature = Feature::width;
    uint64_t min = 0, max = UINT64_MAX;
    bool operator==(const Bound&) const = default;
};

/// The first choice whose bounds all hold is taken.
struct Choice {
    uint32_t mode = 0;
    std::vector<Bound> bounds;
    bool operator==(const Choice&) const = default;
};

/// How a level's length follows from level 0's.
enum class Minify : uint8_t {
    floor,    ///< texels halved and rounded down, then whole elements
    ceil,     ///< elements of level 0, halved and rounded up
    pow2,     ///< those of level 0 rounded up to a power of two, halved
    shifted,  ///< the length of level 0, rounded up to `first`, halved as it is
    /// The first level that is shorter than the largest block along some axis, rounded up to powers of two, and these halved
    /// from there on.
    below,
    rounded,     ///< floor's, rounded up to a power of two
    below_ceil,  ///< as `below`, of lengths that are halved as `ceil` does
};

/// A level's length along one axis: minified, then rounded up to a multiple of `first`, and that to one of `unit`. Along x in
/// bytes, else in elements.
struct Length {
    Minify minify = Minify::floor;
    uint64_t first = 1;
    uint64_t unit = 1;
    bool operator==(const Length&) const = default;
};

/// Small levels that share a block.
struct Tail {
    std::vector<Bound> bounds;        ///< a level within them, and all that are smaller, are in the tail
    std::vector<uint64_t> constants;  ///< of the first level in the tail, of the second, ..
    bool operator==(const Tail&) const = default;
};

struct BlockMode {
    Pattern pattern;            ///< its tile is a block; row-major
    Length row;                 ///< from one row of elements to the next
    Length span, rows, slices;  ///< what a level takes up: bytes of a row, rows, slices
    /// Blocks of a level: the product of its lengths; or level 0's blocks quartered, and what lies at the edges added.
    bool quartered = false;
    uint64_t slice_unit = 1;  ///< a slice's bytes are a multiple of it
    uint64_t level_unit = 1;  ///< a level's bytes, all its layers together, are a multiple of it
    /// Changes the place of every element in its block, by XOR: of two samples NVIDIA's second one comes first.
    uint64_t constant = 0;
    std::optional<Tail> tail;
    /// What each bit of the layer's index changes of the place within a block. Beyond these bits nothing is changed if the
    /// last of them changes nothing; else nobody knows.
    std::vector<uint64_t> layer_xor;

    // Of images whose level 0 has this mode:
    uint64_t alignment = 1;
    uint64_t layer_unit = 1;  ///< a layer's bytes are a multiple of it, where there are several
    uint64_t image_unit = 1;  ///< an image's bytes are a multiple of it
    bool operator==(const BlockMode&) const = default;
};

/// Chooses a mode by what an image would take in each: a mode is taken over the one before it if its bytes are at most
/// `numerator / denominator` of that one's. Where level 0 is not within its bounds, it is passed over.
struct Candidate {
    uint32_t mode = 0;
    uint64_t numerator = 1, denominator = 1;
    std::vector<Bound> bounds = {};
    bool of_texels = false;  ///< the fraction is of the bytes of the texels alone
    bool operator==(const Candidate&) const = default;
};
struct Budget {
    std::vector<Candidate> candidates;
    bool level0_only = false;       ///< the bytes are those of level 0, else of all levels
    bool against_smallest = false;  ///< the first candidate's bytes are compared with, else the last one's taken
    /// The bytes are an estimate: those of level 0 (of several levels, width and height rounded up to powers of two) in whole blocks, and of levels
    /// halved from it along each axis, for every layer; the first that takes half a block or less with all its layers is the last.
    bool halved = false;
    bool operator==(const Budget&) const = default;
};

struct Rule {
    // The kind of images.
    Element element;
    Aspect aspect = Aspect::color;
    ImageType image_type = ImageType::two_d;
    std::string usage, flags;
    uint32_t samples = 1;          ///< an image of several has one level
    bool samples_outside = false;  ///< each sample has all layers; else the samples of a texel are part of its block
    std::vector<std::string> formats;  ///< that were seen to follow it

    std::vector<BlockMode> modes;
    std::vector<Choice> choices;  ///< of a level's mode
    Budget budget;                ///< of the mode of all levels, where no choice holds
    bool smallest_first = false;  ///< the smallest level has the smallest base
    uint64_t last_rows = 1;       ///< the last level's rows are a multiple of it
    /// Of an image of one layer, the last of several levels ends with its last row, and the rows of a single level are as far apart
    /// as their span says.
    bool bare_end = false;
    bool whole_chain = false;  ///< an image of several levels has room for all levels that its extent allows
    bool layers_inside =
        false;  ///< each level has all layers, or slices of a 3D image; else each of these has all levels
    /// Of 3D images: behind a level whose rows are an even number of units, a slice takes at least a quarter of one there; behind
    /// the first level that does not, or takes more, as much as one of that level.
    bool quarter_slices = false;

    // Within these it was learned; outside it says nothing.
    Extent_px max_extent_px = {1, 1, 1};
    uint32_t max_levels = 1, max_layers = 1;
    uint32_t probes = 0;  ///< images that it rests on
    bool operator==(const Rule&) const = default;
};

/// Of an image that the members before `bytes` describe, its subresources with it; or why the rule says nothing of it.
struct Prediction {
    std::optional<ImageLayout> image;
    std::string why_not;
};
Prediction predict(const Rule& rule, const ImageKind& wanted);

// The parts of a prediction, for who learns them.
struct LevelShape {
    Extent_px extent_px, extent0_px;
    Element element;
    uint32_t level = 0, levels = 1, layers = 1;
    uint32_t first_below = 0;  ///< the first level that is shorter than the largest block along some axis
    uint32_t first_below_ceil = 0;
    uint32_t inner_samples =
        1;  ///< samples that a row has of each element, where each sample does not have rows of its own
    uint32_t inner_layers = 1;  ///< layers that the level has, where each level has all of them
    uint64_t least_slice = 0;   ///< bytes that a slice takes at least
    uint64_t kept_slice = 0;    ///< bytes of a slice, where it takes what one of the level before takes
};
struct PlacedLevel {
    uint32_t mode = 0;
    LevelShape shape;
    uint64_t base = 0, bytes = 0, constant = 0;
};
/// Of an image, without the places of elements.
struct PlacedImage {
    std::vector<PlacedLevel> levels;
    uint64_t outer = 1;        ///< layers, or slabs of a block's depth, where each of these has all levels
    uint64_t outer_bytes = 0;  ///< of all levels of one of them
    uint64_t outer_stride = 0;
    uint64_t sample_stride = 0;  ///< where each sample has all of that
    uint64_t bytes = 0;
    std::string why_not;  ///< empty where the rule places them
};
PlacedImage place(const Rule& rule, const ImageKind& wanted);
/// So many layers of images whose level 0 has the mode are known to lie as layer_xor says.
uint32_t layers_known(const BlockMode& mode);
uint64_t minified_el(Minify minify, const LevelShape& level, unsigned axis);
uint64_t length_of(const Length& length, const LevelShape& level, unsigned axis);
uint64_t feature_of(Feature feature, const LevelShape& level, const BlockMode& mode);
bool holds(const std::vector<Bound>& bounds, const LevelShape& level, const BlockMode& mode);
/// Bytes of the level: of all layers, or of one where each has all levels; of a 3D image whose slices lie outside of the levels,
/// of one block's depth.
uint64_t level_bytes(const BlockMode& mode, const LevelShape& level, bool slices_outside, uint64_t rows_unit = 1);
/// From a slice of the level to the one behind it, on average of a block's depth.
uint64_t slice_bytes(const BlockMode& mode, const LevelShape& level, uint64_t rows_unit = 1);
/// The mode of each level; none where the rule chooses none.
std::optional<std::vector<uint32_t>> modes_of(const Rule& rule, const ImageKind& image);
LevelShape shape_of(const Rule& rule, const ImageKind& image, uint32_t level);
/// Of one level and layer: its rows are the ones that Rule::bare_end puts further apart.
inline bool is_single(const ImageShape& image) { return image.levels == 1 && image.layers == 1; }
/// A budget's candidates are taken one after the other; this is how far it has come with one image.
struct Taken {
    std::optional<uint32_t> mode;
    uint64_t smallest = 0, last = 0;  ///< bytes in the first mode, and in the one taken; 0 before there is one
};
/// The bytes in the candidate's mode (levels that the tail holds count once), and those that they are a fraction of.
struct Compared {
    uint64_t bytes = 0, against = 0;
    double fraction() const { return static_cast<double>(bytes) / static_cast<double>(against); }
};
Compared compared(const Rule& rule, const Budget& budget, const Candidate& candidate, const ImageKind& image,
                  const Taken& taken);
void take(const Rule& rule, const Budget& budget, const Candidate& candidate, const ImageKind& image, Taken& taken);
/// What the rule's candidate of that number is decided by; none where the image never comes to it, or comes to it first.
std::optional<double> fraction_of(const Rule& rule, size_t candidate, const ImageKind& image);

}  // namespace tilewise
