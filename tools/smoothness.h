// How much a picture looks like one: how much less neighbouring texels differ than texels anywhere.
#pragma once
#include "patterns/layout.h"
#include "tools/channels.h"
#include <cstddef>
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

/// The mean absolute difference of neighbours along x, y and z, over that of random pairs, the mean of the directions and
/// channels: near 1 for noise and for wrong layouts, toward 0 for pictures. 1 where all texels are equal. Large images
/// are sampled by pairs of rows, always the same ones.
double roughness(const TiledPicture& picture);

/// Of two readings of the same memory, the neighbours that only one of them has.
struct Contrast {
    double first = 0, second = 0;  ///< their mean difference in each, 1 being that of random pairs
    double standard_errors = 0;    ///< by which the second is above the first
    uint64_t pairs = 0;            ///< compared in each, at least; 0: both have the same neighbours
};
Contrast contrast(const TiledPicture& first, const TiledPicture& second);

/// The same against random pairs of its own texels.
Contrast contrast_with_noise(const TiledPicture& picture);

}  // namespace tilewise
