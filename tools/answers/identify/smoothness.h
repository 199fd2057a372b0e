// How much a picture looks like one: how much less neighbouring texels differ than texels anywhere.
#pragma once
#include "patterns/model/layout.h"
#include "tools/answers/identify/channels.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewise {

/// Memory, read as an image by a layout that it is large enough for.
struct TiledPicture {
    std::span<const std::byte> bytes;
    Coord extent = unit_extent;  ///< elements
    const std::vector<Channel>& channels;
    Layout layout;
};

/// Two sets of pairs of texels, by how much the texels of a pair differ: 1 is the mean of random pairs, in each
/// channel; channels that are the same everywhere have no say.
struct Contrast {
    double first = 0, second = 0;  ///< the mean differences
    double standard_errors = 0;    ///< by which the second is above the first; 0 where there are too few pairs to tell
    uint64_t pairs = 0;            ///< in the smaller set

    /// By how much less the first differ than the second: from 0, not at all, to 1.
    double gain() const;
};

/// Neighbours, along each axis alike, against random pairs: the first is near 1 for noise and for wrong layouts, toward
/// 0 for pictures. Samples, always the same ones.
Contrast contrast_with_noise(const TiledPicture& picture);

/// Two readings of the same memory, compared where they disagree. For each texel that both show: its neighbours in one
/// that are none in the other. What only one of them shows counts where it touches what both show: padding inside is
/// smooth, and says nothing. Texels are sampled, and no more of them than it takes.
Contrast contrast(const TiledPicture& first, const TiledPicture& second);

/// The borders at the odd multiples of `step` along an axis. In a picture a third of the pairs across are rougher than
/// the two pairs beside them, or half where some edge of the picture lies there by chance; where the layout puts blocks
/// of that size at wrong places, most are.
struct Border {
    Axis axis = axis_x;
    uint32_t step = 0;  ///< a power of two
    double rough = 0;   ///< the share of the pairs across that differ more than both of those beside them
};

/// The roughest of the borders at which more than half of the pairs are rough in every channel, by so many standard
/// errors at least; step 0 where there is none. Pairs that differ no less and no more than those beside them are left
/// out, and so are those that differ by rounding alone.
Border roughest_border(const TiledPicture& picture, double standard_errors);

}  // namespace tilewise
