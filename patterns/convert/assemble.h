// An image put together from the layouts of its subresources, as far as they are known, and from what somebody says
// outright of its strides.
#pragma once
#include "patterns/model/image_layout.h"
#include <array>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace tilewise {

/// What is said of an image's strides, in bytes; the rest is as its pattern has it.
struct SaidStrides {
    std::optional<uint64_t> constant;                      ///< c of the address model
    std::optional<uint64_t> pitch;                         ///< of a row of texels: so far apart are the rows of tiles
    std::optional<uint64_t> layer;                         ///< from one layer to the next
    std::array<std::optional<uint64_t>, axis_count> tile;  ///< from tile to tile

    bool any_of_tiles() const;  ///< whether anything is said of how far apart tiles are
};

/// Why an image cannot lie as it is said to.
struct StrideFault {
    enum Kind {
        pitch_of_columns,      ///< a pitch is for tiles in rows, and these lie in columns
        pitch_beyond_64_bits,  ///< `value` is the pitch
        pitch_too_small,       ///< `value` is the pitch, `least` what a row of the image takes
        constant_beyond_tile,  ///< `value` is the constant
        missing,               ///< several tiles along `axis` have no stride
    } kind;
    uint64_t value = 0;
    Axis axis = axis_x;
    uint64_t least = 0;
};

/// Puts in what is said of pitch, tiles and constant, or returns why not.
std::optional<StrideFault> apply_strides(const SaidStrides& said, Layout& layout, const Coord& extent);

/// Whether it is said of each axis how far apart its tiles are.
bool says_all_strides(const SaidStrides& said, const Pattern& pattern, const Coord& extent);

/// What is known of one level of one layer.
struct KnownPart {
    Layout layout;
    bool is_placed = false;  ///< its base is known; else it follows all that lie before it, at a multiple of its tile
};

struct AssembledParts {
    std::vector<Subresource> parts;  ///< those of a layer that lie at a constant distance are one entry
    uint64_t layer_stride = 0;       ///< of layers that are not known
};

/// Puts together the image of that shape and one aspect. `known` has each level of the first layer, then those of the
/// next; in a later layer, what is not known lies like the first layer's, at the stride that is said, else behind all
/// of the first layer at a multiple of its first tile. What is said of strides counts for images of one level. Throws
/// Error beyond 64 bits.
std::variant<AssembledParts, StrideFault> assemble(const ImageShape& shape, Aspect aspect,
                                                   std::span<const std::optional<KnownPart>> known,
                                                   const SaidStrides& said);

/// Moves all of the image by as much as `to` is from `from`. Throws Error beyond 64 bits.
void move_image(ImageLayout& image, uint64_t from, uint64_t to);

}  // namespace tilewise
