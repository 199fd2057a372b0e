// Random layouts and images of every kind that the address model has, for property tests.
#pragma once
#include "patterns/model/layout.h"
#include "patterns/model/table.h"
#include <random>

namespace tilewise {

struct RandomImage {
    Layout layout;
    Coord extent = unit_extent;
};

/// A layout with a random tile, equation of full rank, strides, and in part of the cases G, F, c and a base; and an
/// extent that covers one to several tiles, mostly not in whole numbers.
RandomImage random_image(std::mt19937_64& random);

/// Every element's offset, by offset_of.
Table table_of(const RandomImage& image);

}  // namespace tilewise
