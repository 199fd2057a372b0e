// Elements of images and where they lie, for layouts of one tile: in Triton and CuTe.
#pragma once
#include "patterns/model/layout.h"
#include <string>
#include <vector>

namespace tilewise::prove {

struct TileCase {
    std::string name;
    Layout layout;                       ///< with strides
    Coord extent = unit_extent;          ///< of the image
    std::vector<Coord> places = {};      ///< elements of it: all, x fastest, or some that are scattered
    std::vector<uint64_t> offsets = {};  ///< of each
    bool is_table = false;  ///< offsets are those of a table in tests/data/layouts, not computed by patterns/
};

/// Every element of the tables, and of the catalog's patterns the elements of 2x2 tiles, or so many of them.
std::vector<TileCase> tile_cases(size_t max_places);

/// What lies before the tile that holds the element: bytes.
uint64_t tile_start(const Layout& layout, const Coord& at);

/// The element's place in its tile.
Coord within_tile(const Pattern& pattern, const Coord& at);

}  // namespace tilewise::prove
