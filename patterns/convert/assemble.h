// An image put together from the known layouts of its subresources and from explicitly given strides.
#pragma once
#include "patterns/model/image_layout.h"
#include <array>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace tilewise {

/// Given strides of an image, in bytes; whatever is not given follows from the pattern.
struct SaidStrides {
    std::optional<uint64_t> constant;                      ///< c of the address model
    std::optional<uint64_t> pitch;                         ///< of a row of texels; rows of tiles are spaced accordingly
    std::optional<uint64_t> layer;                         ///< from one layer to the next
    std::array<std::optional<uint64_t>, axis_count> tile;  ///< from tile to tile

    bool any_of_tiles() const;  ///< whether any distance between tiles is given
};

/// Why an image cannot be laid out with the given strides.
struct StrideFault {
    enum Kind {
        pitch_of_columns,      ///< a pitch applies to tiles in rows, but these lie in columns
        pitch_beyond_64_bits,  ///< `value` is the pitch
        pitch_too_small,       ///< `value` is the pitch, `least` what a row of the image needs
        constant_beyond_tile,  ///< `value` is the constant
        missing,               ///< several tiles along `axis` have no stride
    } kind;
    uint64_t value = 0;
    Axis axis = axis_x;
    uint64_t least = 0;
};

/// Applies the given pitch, tile strides and constant to the layout, or returns why that is not possible.
std::optional<StrideFault> apply_strides(const SaidStrides& said, Layout& layout, const Coord& extent);

/// Whether the distance between tiles is given for each axis.
bool says_all_strides(const SaidStrides& said, const Pattern& pattern, const Coord& extent);

/// What an image takes in memory where its pattern's own tiles do not say it: a mode may have larger blocks than the
/// smallest tile that repeats.
struct PartMemory {
    Coord whole = unit_extent;  ///< elements along each axis, including the blocks' padding
    uint64_t unit_bytes = 1;    ///< what the bytes of a layer are a multiple of
    /// What each bit of a layer's number XORs into the constant, as AMD's pipe and bank XOR does.
    gf2::Columns layer_xor = {};
};

/// The known layout of one level of one layer.
struct KnownPart {
    Layout layout;
    bool is_placed = false;  ///< its base is known; else it follows everything before it, at a multiple of its tile
    std::optional<PartMemory> memory = {};  ///< if it is not just whole tiles; for later layers, too
};

struct AssembledParts {
    std::vector<Subresource> parts;  ///< layers at a constant distance are one entry
    uint64_t layer_stride = 0;       ///< for layers that are not known
    uint64_t bytes = 0;              ///< from the first part's base to the end of all tiles or blocks
};

/// Assembles the image of that shape and one aspect. `known` holds each level of the first layer, then of the next
/// layer, and so on. A part that is not known in a later layer is laid out like the first layer's, at the given layer
/// stride or, without one, behind all of the first layer at a multiple of its first tile. The other given strides apply
/// only to images of one level. Throws Error beyond 64 bits.
std::variant<AssembledParts, StrideFault> assemble(const ImageShape& shape, Aspect aspect,
                                                   std::span<const std::optional<KnownPart>> known,
                                                   const SaidStrides& said);

/// Moves the whole image by the distance from `from` to `to`. Throws Error beyond 64 bits.
void move_image(ImageLayout& image, uint64_t from, uint64_t to);

}  // namespace tilewise
