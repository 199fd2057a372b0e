// Random layouts and images of every kind that the address model allows, for property tests.
#pragma once
#include "patterns/model/layout.h"
#include "patterns/model/table.h"
#include <random>

namespace tilewise {

struct RandomImage {
    Layout layout;
    Coord extent = unit_extent;
};

/// A layout with a random tile, an equation of full rank, strides and, in part of the cases, G, F, c and a base; and an
/// extent of one to several tiles, mostly not a whole number of them.
RandomImage random_image(std::mt19937_64& random);

/// The image in tiles with up to three more bits of the offset: bits that no coordinate moves, or that repeat another.
RandomImage with_holes(RandomImage image, std::mt19937_64& random);

/// The offset of every element, from offset_of().
Table table_of(const RandomImage& image);

}  // namespace tilewise
