// How much a reading looks like a picture: how much less neighbouring texels differ than random ones.
#pragma once
#include "patterns/model/layout.h"
#include "tools/answers/identify/channels.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewise {

/// Memory that is read as an image, in a layout that fits into it.
struct TiledPicture {
    std::span<const std::byte> bytes;
    Coord extent = unit_extent;  ///< elements
    const std::vector<Channel>& channels;
    Layout layout;
};

/// Compares two sets of pairs of texels by how much the texels of a pair differ, relative to random pairs: 1 is their
/// mean, in each channel. Channels that are the same everywhere do not count.
struct Contrast {
    double first = 0, second = 0;  ///< the mean differences
    double standard_errors = 0;    ///< how far the second is above the first; 0 if there are too few pairs to tell
    uint64_t pairs = 0;            ///< in the smaller set
    uint64_t shared = 0;           ///< between two readings: texels that both show, of those that were visited

    /// How much less the first pairs differ than the second: from 0, no less, to 1.
    double gain() const;
};

/// Compares neighbours, along all axes equally, with random pairs: the first mean is near 1 for noise and for wrong
/// layouts, toward 0 for pictures. It uses samples, always the same ones.
Contrast contrast_with_noise(const TiledPicture& picture);

/// Compares two readings of the same memory where they disagree. For each texel that both show, it takes the neighbours
/// in one reading that are not neighbours in the other. What only one reading shows counts where it touches what both
/// show: the inside of padding is smooth, and says nothing. Texels are sampled, and no more of them than needed.
Contrast contrast(const TiledPicture& first, const TiledPicture& second);

/// The borders at the odd multiples of `step` along an axis. In a picture, a third of the pairs across them are rougher
/// than the two pairs beside them, or half if an edge of the picture lies there by chance; if the layout puts blocks of
/// that size at wrong places, most are.
struct Border {
    Axis axis = axis_x;
    uint32_t step = 0;  ///< a power of two
    double rough = 0;   ///< the share of pairs across the border that differ more than both pairs beside them
};

/// The roughest of the borders at which more than half of the pairs are rough in every channel, by at least that many
/// standard errors; `step` is 0 if there is none. Pairs that differ exactly as much as those beside them, or by
/// rounding alone, are left out.
Border roughest_border(const TiledPicture& picture, double standard_errors);

}  // namespace tilewise
