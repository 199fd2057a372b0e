// A rule: how one device and driver choose the image layout for one kind of images. It is learned from probed images
// (patterns/rules/learn.h) and predicts images that nobody probed.
//
// Images of one kind share element size, image type, usage, samples and flags. A level of such an image is stored in
// one of a few modes. A mode is a block of elements (a pattern whose tile is the driver's unit of allocation) together
// with formulas for how much a level takes. An NVIDIA image of 4-byte elements, with blocks 8 to 256 rows high:
//
//   mode                      chosen if                    a row of the level     its rows
//   16x256 blocks of 16 KiB   height0 >= 170, height > 128 width * 4 up to 64     height up to 256
//   16x128 blocks of 8 KiB    height0 >= 86, height > 64   width * 4 up to 64     height up to 128
//   ..
//
// Levels follow one another in their memory order; so do layers, either each with all its levels or each level with all
// its layers. Small levels may share one block, the tail: each lies in it as in a block of its own, displaced by XOR
// with a constant.
//
// A rule can express what the catalog's drivers do, and no more. "Shown by" names the drivers for whose rules in
// db/catalog a member matters: NVIDIA is NVIDIA's own driver (of an H100 and an H200); NVK, RADV (AMD), Turnip
// (Adreno), Honeykrisp (M1) and lavapipe are Mesa's. GFX12 stands for one chip of RADV, gfx1201 (Navi 48).
#pragma once
#include "patterns/model/enum_names.h"
#include "patterns/model/image_layout.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// Properties of an image's level that are known before it is laid out; lengths are in elements, unless a name ends in
/// px.
enum class Feature : uint8_t {
    /// The width of level 0. Shown by Turnip.
    width0,
    /// The height of level 0. Shown by NVIDIA's 2D images, NVK (Ada and Blackwell) and RADV.
    height0,
    /// The depth of level 0. Shown by NVIDIA, NVK (Ada and Blackwell) and RADV.
    depth0,
    /// The level's own width. Shown by Turnip and Honeykrisp.
    width,
    /// The level's own height. Shown by NVIDIA's 2D images, NVK and Honeykrisp.
    height,
    /// The level's own depth. Shown by NVIDIA and NVK.
    depth,
    /// The level's width, as that of level 0 halved and rounded up. Shown by the tails of RADV, and by Honeykrisp.
    ceil_width,
    /// The level's height, as that of level 0 halved and rounded up. Shown by the tails of RADV, and by Honeykrisp.
    ceil_height,
    /// The level's depth, as that of level 0 halved and rounded up. Shown by the tails of RADV.
    ceil_depth,
    /// The image's number of levels. Shown by RADV: an image of one level has no tail.
    levels,
    /// The number of smaller levels: 0 for the last one. Shown by the tails of RADV's 3D images.
    levels_below,
    /// The largest power of two that divides the number of blocks in a row, in the mode to be chosen. Shown by Turnip.
    row_multiple,
    /// The level's width in texels. Shown by Turnip.
    width_px,
    /// The level's number. Shown by RADV before Vega.
    level,
};
constexpr EnumNames<Feature, 14> feature_names = {
    "feature",
    {"width0", "height0", "depth0", "width", "height", "depth", "ceil_width", "ceil_height", "ceil_depth", "levels",
     "levels_below", "row_multiple", "width_px", "level"}};

struct Bound {
    Feature feature = Feature::width;
    uint64_t min = 0, max = UINT64_MAX;
    bool operator==(const Bound&) const = default;
};

/// The first choice whose bounds all hold is taken. Shown by all drivers.
struct Choice {
    uint32_t mode = 0;
    std::vector<Bound> bounds;
    bool operator==(const Choice&) const = default;
};

/// How a level's length follows from that of level 0.
enum class Minify : uint8_t {
    /// The texels are halved and rounded down, then counted in whole elements. Shown by NVIDIA, NVK and lavapipe, and
    /// by some modes of the others.
    floor,
    /// The elements of level 0 are halved and rounded up. Shown by RADV, Turnip and Honeykrisp.
    ceil,
    /// The elements of level 0 are rounded up to a power of two and halved. Shown by Honeykrisp.
    pow2,
    /// The length of level 0 is rounded up to `first`, and then halved (shifted). Shown by Turnip, for 2-byte elements.
    shifted,
    /// The lengths of the first level that is shorter than the largest block along some axis are rounded up to powers
    /// of two, and halved from that level on. Shown by Honeykrisp.
    below,
    /// In an image of several levels, the length of level 0 is rounded up to a power of two, then to `first`, and then
    /// halved (shifted); otherwise as floor. Shown by RADV before Vega.
    shifted_pow2,
    /// In an image of several levels, the level's own length is rounded up to a power of two; otherwise as floor. Shown
    /// by RADV before Vega.
    own_pow2,
};

/// A level's length along one axis: it is minified, rounded up to a multiple of `first`, and then to a multiple of
/// `unit`. Along x it is in bytes, otherwise in elements.
struct Length {
    Minify minify = Minify::floor;
    /// Shown by Turnip (where lengths are shifted) and lavapipe (elements of 12 bytes).
    uint64_t first = 1;
    uint64_t unit = 1;
    bool operator==(const Length&) const = default;
};

/// Small levels that share a block. Shown by RADV.
struct Tail {
    /// A level within these bounds is in the tail, and so are all smaller levels.
    std::vector<Bound> bounds;
    /// The XOR constants that displace the levels in the tail, the largest level's first.
    std::vector<uint64_t> constants;
    bool operator==(const Tail&) const = default;
};

struct BlockMode {
    /// The pattern's tile is a block; blocks are in row-major order.
    Pattern pattern;
    /// From one row of elements to the next.
    Length row;
    /// The length that a level's row occupies. It differs from `row` on GFX12 and Honeykrisp.
    Length span;
    Length rows;
    /// Shown by 3D images of NVIDIA, NVK and RADV, whose blocks are several slices deep.
    Length slices;
    /// How many blocks a level has: if false, the product of its lengths in blocks; if true, level 0's blocks quartered
    /// for each level, plus those left over at the edges. Shown by Honeykrisp.
    bool quartered = false;
    /// A row grows by its unit until the bytes of a slice are a multiple of this. Shown by RADV before Vega.
    uint64_t grown_slice = 1;
    /// A slice's bytes are a multiple of this. Shown by Turnip's 3D images.
    uint64_t slice_unit = 1;
    /// A level's bytes, for all its layers together, are a multiple of this. Shown by all drivers.
    uint64_t level_unit = 1;
    /// Changes the place of every element in its block, by XOR. Shown by NVIDIA, where the second of two samples comes
    /// first.
    uint64_t constant = 0;
    std::optional<Tail> tail;
    /// The XOR that each bit of the layer's index applies to the place within a block. Higher bits change nothing if
    /// the last entry is 0; otherwise their effect is unknown. Shown by RADV's 2D images, but not by GFX12.
    std::vector<uint64_t> layer_xor;
    /// The layer's index is multiplied by this before its bits are taken. Shown by RADV before Vega: 7 on Polaris.
    uint64_t layer_factor = 1;

    // The following apply to images whose level 0 has this mode. All drivers show them.
    uint64_t alignment = 1;
    /// In an image of several layers, a layer's bytes are a multiple of this.
    uint64_t layer_unit = 1;
    /// An image's bytes are a multiple of this.
    uint64_t image_unit = 1;
    bool operator==(const BlockMode&) const = default;
};

/// Chooses a mode by the bytes that an image would take in each: a mode replaces the one before it if its bytes are at
/// most `numerator / denominator` of that mode's bytes. Shown by RADV.
struct Candidate {
    uint32_t mode = 0;
    uint64_t numerator = 1, denominator = 1;
    /// If level 0 is not within these bounds, the candidate is skipped. Shown by RADV's 3D images.
    std::vector<Bound> bounds = {};
    /// The fraction refers to the bytes of the texels alone. Shown by GFX12.
    bool of_texels = false;
    bool operator==(const Candidate&) const = default;
};
struct Budget {
    std::vector<Candidate> candidates;
    /// The bytes are an estimate: level 0 in whole blocks (for several levels, with width and height rounded up to
    /// powers of two), plus the levels halved from it along each axis, for every layer. The sum ends with the first
    /// level that takes half a block or less with all its layers. Shown by GFX12.
    bool halved = false;
    bool operator==(const Budget&) const = default;
};

struct Rule {
    // The kind of images.
    Element element;
    /// Color is shown by all drivers, stencil by all but NVK, depth by all but NVK and Turnip.
    Aspect aspect = Aspect::color;
    ImageType image_type = ImageType::two_d;
    std::string usage, flags;
    /// An image of several samples has one level. Shown by NVIDIA and lavapipe.
    uint32_t samples = 1;
    /// Each sample has all layers; otherwise the samples of a texel are part of its block. Shown by lavapipe.
    bool samples_outside = false;
    /// The formats that were seen to follow the rule.
    std::vector<std::string> formats;

    std::vector<BlockMode> modes;
    /// Choose each level's mode.
    std::vector<Choice> choices;
    /// Chooses the mode of all levels if no choice holds. Shown by RADV.
    Budget budget;
    /// The smallest level has the smallest base. Shown by RADV.
    bool smallest_first = false;
    /// The last level's number of rows is a multiple of this. Shown by Turnip.
    uint64_t last_rows = 1;
    /// In an image of one layer, the last of several levels ends with its last row, and the rows of a single level are
    /// as far apart as their span says. Shown by 2D images of GFX12 and of Turnip.
    bool bare_end = false;
    /// An image of several levels has room for all levels that its extent allows. Shown by NVIDIA and Honeykrisp.
    bool whole_chain = false;
    /// Each level has all layers (or, in a 3D image, slices); otherwise each layer or slice has all levels. Shown by
    /// lavapipe, and by 3D images of NVIDIA, NVK and Turnip.
    bool layers_inside = false;
    /// In an image of several levels, a level has room for a power of two of layers. Shown by RADV before Vega.
    bool padded_layers = false;
    /// After a level whose rows are an even number of units, a slice takes at least a quarter of that level's slice.
    /// After the first level that does not follow such a level, or whose slice takes more, slices take as much as in
    /// that first level. Shown by Turnip's 3D images.
    bool quarter_slices = false;

    // The rule was learned within these limits; beyond them it predicts nothing.
    Extent_px max_extent_px = {1, 1, 1};
    uint32_t max_levels = 1, max_layers = 1;
    /// The number of images that the rule rests on.
    uint32_t probes = 0;
    bool operator==(const Rule&) const = default;
};

/// The image described by the ImageKind members, with its subresources; or why the rule says nothing about it.
struct Prediction {
    std::optional<ImageLayout> image;
    std::string why_not;
};
Prediction predict(const Rule& rule, const ImageKind& wanted);

}  // namespace tilewise
