// Tiling in the order of the addresses: a piece of a tile is gathered from the rows, run by run, and written at once.
// The same piece of every tile in a row of tiles comes next, so that the rows are read along x.
//
//   rows    [run][run][run]...              tile 0            tile 1
//   rows    [run][run][run]...     ->     piece 0 1 2 3 ..  piece 0 1 2 3 ..
//
// Where a run comes from, beside the tile's own corner, is one table for all tiles: E inverted. G(t) and c only permute
// it, run i for run i XOR G(t) XOR c, for a run has none of their bits.
#include "patterns/convert/tiles.h"
#include "patterns/convert/runs.h"
#include "patterns/convert/stream.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace tilewise {

namespace {

// Found by measuring: tools/bench/tile.cpp.
constexpr size_t piece_bytes = 4096;
constexpr uint64_t largest_table = 1 << 20;  ///< runs of a tile

uint64_t tile_runs(const Layout& layout) { return element_count(layout.pattern.tile) / run_elements(layout, 1); }

/// From the tile's corner on the side of the rows: bytes to the run at each place of the tile.
std::vector<uint32_t> run_places(const Layout& layout, const Pitch& pitch) {
    const Pattern& pattern = layout.pattern;
    const auto run = static_cast<uint32_t>(run_elements(layout, 1));
    const uint64_t place_bytes = uint64_t{run} * pattern.element.bytes / pattern.offset_unit();
    std::vector<uint32_t> places(tile_runs(layout));
    for (uint32_t s = 0; s < pattern.tile[axis_s]; s++)
        for (uint32_t z = 0; z < pattern.tile[axis_z]; z++)
            for (uint32_t y = 0; y < pattern.tile[axis_y]; y++)
                for (uint32_t x = 0; x < pattern.tile[axis_x]; x += run)
                    places[pattern.equation({x, y, z, s}) / place_bytes] = static_cast<uint32_t>(
                        x * pattern.element.bytes + y * pitch.row + z * pitch.slice + s * pitch.sample);
    return places;
}

/// Where one tile of a row of tiles lies, and how its places are permuted.
struct TilePlace {
    uint64_t tiled = 0, rows = 0;
    size_t permuted = 0;  ///< XORed into the places, in runs
};

template <size_t run_bytes>
void gather(const uint32_t* sources, size_t count, size_t exclusive_or, const std::byte* rows, std::byte* to) {
#pragma GCC unroll 4
    for (size_t i = 0; i < count; i++) std::memcpy(to + i * run_bytes, rows + sources[i ^ exclusive_or], run_bytes);
}

/// Calls with the places of the tiles of each row of tiles (along x) in the box.
template <class Call>
void for_rows_of_tiles(const Layout& layout, const Box& box, const Pitch& pitch, size_t run_bytes, const Call& call) {
    const Pattern& pattern = layout.pattern;
    const uint64_t place_bytes = run_bytes / pattern.offset_unit();
    const std::array<uint64_t, axis_count> rows_step = {pattern.element.bytes, pitch.row, pitch.slice, pitch.sample};
    Coord tiles{};
    for (Axis a : all_axes) tiles[a] = box.extent[a] / pattern.tile[a];
    const auto place_of = [&](const Coord& at) {
        Coord tile{};
        uint64_t shift = 0, corner = 0;
        for (Axis a : all_axes) {
            tile[a] = box.from[a] / pattern.tile[a] + at[a];
            shift += tile[a] * layout.stride[a];
            corner += uint64_t{at[a]} * pattern.tile[a] * rows_step[a];
        }
        return TilePlace{layout.base + swapped({shift, 0, pattern.index_xor(tile)}, pattern.tile_bytes), corner,
                         (pattern.outer_xor(tile) ^ layout.constant) / place_bytes};
    };
    std::vector<TilePlace> places(tiles[axis_x]);
    tiles[axis_x] = 1;
    for (uint64_t i = 0; i < element_count(tiles); i++) {
        Coord at = element_at_index(tiles, i);
        for (TilePlace& place : places) {
            place = place_of(at);
            at[axis_x]++;
        }
        call(places);
    }
}

template <size_t run_bytes>
void tile_by_pieces(const Layout& layout, const Box& box, const Pitch& pitch, const std::byte* rows, std::byte* tiled,
                    bool streams) {
    const std::vector<uint32_t> sources = run_places(layout, pitch);
    const size_t piece = std::min(std::bit_floor(piece_bytes / run_bytes), sources.size());  // runs
    alignas(64) std::byte gathered[piece_bytes];
    const auto tile_piece = [&](const TilePlace& place, size_t begin) {
        const size_t from = begin ^ (place.permuted & ~(piece - 1));
        std::byte* to = tiled + place.tiled + begin * run_bytes;
        gather<run_bytes>(&sources[from], piece, place.permuted & (piece - 1), rows + place.rows,
                          streams ? gathered : to);
        if (streams) stream(to, gathered, piece * run_bytes);
    };
    for_rows_of_tiles(layout, box, pitch, run_bytes, [&](const std::vector<TilePlace>& places) {
        for (size_t begin = 0; begin < sources.size(); begin += piece)
            for (const TilePlace& place : places) tile_piece(place, begin);
    });
}

}  // namespace

bool has_even_tiles(const Layout& layout, const Pitch& pitch) {
    const Pattern& pattern = layout.pattern;
    const uint64_t run_bytes = run_elements(layout, 1) * pattern.element.bytes;
    bool constant = false;
    with_constant(run_bytes, [&](auto fixed) { constant = fixed != 0; });
    const uint64_t reach = uint64_t{pattern.tile[axis_y]} * pitch.row + uint64_t{pattern.tile[axis_z]} * pitch.slice +
                           uint64_t{pattern.tile[axis_s]} * pitch.sample;
    return constant && pattern.tile_bytes == element_count(pattern.tile) * pattern.element.bytes &&
           tile_runs(layout) > 1 && tile_runs(layout) <= largest_table && reach <= std::numeric_limits<uint32_t>::max();
}

void tile_tiles(const Layout& layout, const Box& box, const Pitch& pitch, const std::byte* rows, std::byte* tiled,
                bool streams) {
    with_constant(run_elements(layout, 1) * layout.pattern.element.bytes, [&](auto fixed) {
        if constexpr (fixed != 0) tile_by_pieces<fixed>(layout, box, pitch, rows, tiled, streams);
    });
}

}  // namespace tilewise
