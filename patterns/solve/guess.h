// One guess of the solver: given the tile, the few elements at powers of two along each axis determine everything else.
#pragma once
#include "patterns/model/layout.h"
#include "patterns/model/table.h"
#include <optional>

namespace tilewise {

using TileLog2 = std::array<unsigned, axis_count>;

/// Which maps beside E may be other than zero: none, G, F, or both.
enum class Outer { plain, outer_xor, index_xor, both_xor };

struct Guess {
    TileLog2 tile{};
    unsigned growth =
        0;  ///< the tile takes 2^growth times its elements' bytes: the image is narrower than the real tile
    uint64_t base = 0;
    Outer outer = Outer::plain;
    /// With F, for each axis: how many low bits of the tile index F may change. Its stride leaves them zero.
    std::array<unsigned, axis_count> changed_bits{};
};

/// The elements that a guess reads: along each axis the coordinates 0, 1, 2, 4, 8, ..., the others being zero but for
/// one, which is `row`. Guesses from different rows share no element, so that a single wrong one cannot spoil all.
struct Probes {
    std::array<std::vector<uint64_t>, axis_count> at_power;  ///< offset at 2^j along the axis
    std::array<uint64_t, axis_count> at_zero;
    std::array<Coord, axis_count> zero;  ///< where at_zero was read
    Coord extent;
    Element element;

    Probes(const Table& table, uint32_t row);
    unsigned bits(Axis a) const { return static_cast<unsigned>(at_power[a].size()); }
};

/// The one layout that the guess allows, or none where the probed elements contradict each other, the equation is not
/// injective, or tiles would overlap. It agrees with the probed elements only: prove it on the table.
std::optional<Layout> fit_candidate(const Probes& probes, const Guess& guess);

/// Along each axis the smallest tile beyond which the probed offsets double from bit to bit, as a stride's must.
TileLog2 smallest_additive_tile(const Probes& probes);

}  // namespace tilewise
