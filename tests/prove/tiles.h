// Elements of images and their offsets, for layouts of one tile: in Triton and CuTe.
#pragma once
#include "patterns/model/layout.h"
#include <string>
#include <vector>

namespace tilewise::prove {

struct TileCase {
    std::string name;
    Layout layout;                       ///< with strides
    Coord extent = unit_extent;          ///< of the image
    std::vector<Coord> places = {};      ///< elements of the image: all, x fastest, or some scattered ones
    std::vector<uint64_t> offsets = {};  ///< the offset of each
    bool is_table = false;  ///< offsets are those of a table in tests/data/layouts, not computed by patterns/
};

/// Every element of the tables; of the catalog's patterns the elements of 2x2 tiles, or `max_places` of them.
std::vector<TileCase> tile_cases(size_t max_places);

/// The bytes before the tile that holds the element.
uint64_t tile_start(const Layout& layout, const Coord& at);

/// The element's place in its tile.
Coord within_tile(const Pattern& pattern, const Coord& at);

}  // namespace tilewise::prove
