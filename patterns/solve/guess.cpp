#include "patterns/solve/guess.h"
#include "patterns/model/one_to_one.h"
#include <algorithm>

namespace tilewise {

Probes::Probes(const Table& table, uint32_t row) : extent(table.extent), element(table.element) {
    for (Axis a : all_axes) {
        Axis other = a == axis_x ? axis_y : axis_x;
        zero[a] = {};
        zero[a][other] = std::min(row, extent[other] - 1);
        at_zero[a] = table.offsets[element_index(extent, zero[a])];
        for (uint64_t power = 1; power < extent[a]; power *= 2) {
            Coord at = zero[a];
            at[a] = static_cast<uint32_t>(power);
            at_power[a].push_back(table.offsets[element_index(extent, at)]);
        }
    }
}

TileLog2 smallest_additive_tile(const Probes& probes) {
    TileLog2 tile{};
    for (Axis a : all_axes) {
        auto step = [&](unsigned j) { return probes.at_power[a][j] - probes.at_zero[a]; };
        unsigned first = probes.bits(a);
        if (first > 0) first--;
        while (first > 0 && step(first) == 2 * step(first - 1)) first--;
        tile[a] = first;
    }
    return tile;
}

namespace {

/// An offset from tile 0, parted into whole tiles and the element's place in the tile.
struct Place {
    uint64_t tiles_bytes;  ///< a multiple of the tile's bytes
    uint64_t within;       ///< in offset units
};

struct Fitting {
    const Probes& probes;
    const Guess& guess;
    Layout layout;

    Pattern& pattern() { return layout.pattern; }
    uint64_t unit() const { return layout.pattern.offset_unit(); }

    std::optional<Place> place(uint64_t offset) const {
        if (offset < guess.base) return std::nullopt;
        uint64_t rest = (offset - guess.base) % layout.pattern.tile_bytes;
        if (rest % probes.element.bytes != 0) return std::nullopt;
        return Place{offset - guess.base - rest, rest / unit()};
    }

    /// E, from the steps that stay within one tile.
    bool fit_equation() {
        for (Axis a : all_axes) {
            if (guess.tile[a] == 0) continue;
            std::optional<Place> zero = place(probes.at_zero[a]);
            if (!zero) return false;
            std::vector<uint64_t>& columns = pattern().equation.columns[a];
            for (unsigned j = 0; j < guess.tile[a]; j++) {
                std::optional<Place> power = place(probes.at_power[a][j]);
                if (!power || power->tiles_bytes != zero->tiles_bytes) return false;
                columns.push_back(power->within ^ zero->within);
            }
        }
        return gf2::is_injective(pattern().equation.all_columns());
    }

    /// Strides where a step to the next tile moves all of the tile alike.
    bool fit_plain_strides() {
        for (Axis a : all_axes) {
            if (guess.tile[a] == probes.bits(a)) continue;
            uint64_t stride = probes.at_power[a][guess.tile[a]] - probes.at_zero[a];
            for (unsigned j = guess.tile[a]; j < probes.bits(a); j++)
                if (probes.at_power[a][j] - probes.at_zero[a] != stride << (j - guess.tile[a])) return false;
            layout.stride[a] = stride;
        }
        return true;
    }

    /// Strides of whole tiles. What differs within the tile is put down to G, and the low bits of the tile index, which
    /// the stride leaves zero, to F.
    bool fit_xored_strides() {
        for (Axis a : all_axes) {
            std::optional<Place> zero = place(probes.at_zero[a]);
            if (!zero) return false;
            std::vector<uint64_t> tile_index;
            for (unsigned j = guess.tile[a]; j < probes.bits(a); j++) {
                std::optional<Place> power = place(probes.at_power[a][j]);
                if (!power || (guess.outer == Outer::index_xor && power->within != zero->within)) return false;
                pattern().outer_xor.columns[a].push_back(power->within ^ zero->within);
                // F undoes no carry, so its steps are XORs; without it they are sums, wherever the zero lies.
                if (guess.outer == Outer::outer_xor && power->tiles_bytes < zero->tiles_bytes) return false;
                const uint64_t step = guess.outer == Outer::outer_xor ? power->tiles_bytes - zero->tiles_bytes
                                                                      : power->tiles_bytes ^ zero->tiles_bytes;
                tile_index.push_back(step / pattern().tile_bytes);
            }
            if (!tile_index.empty() && !fit_stride(a, tile_index, guess.changed_bits[a])) return false;
        }
        return true;
    }

    /// The stride from the high bits of the steps' tile indices, F from the low ones. Broadcom's UIF, RGBA8, 256 rows high,
    /// tiles of 32x8 (1 KiB) one below the other:
    ///
    ///   step to (32,0)    offset C000    tile index   48 = 0011 0000     stride.x = 32 tiles, F's tx0 in bit 4
    ///   step to (64,0)          10000                 64 = 0100 0000     64 tiles; F's tx1 is 0
    bool fit_stride(Axis a, const std::vector<uint64_t>& tile_index, unsigned changed_bits) {
        const uint64_t stride = tile_index[0] >> changed_bits;
        for (size_t j = 0; j < tile_index.size(); j++)
            if (tile_index[j] >> changed_bits != stride << j) return false;
        if (stride == 0) return false;
        layout.stride[a] = (stride << changed_bits) * pattern().tile_bytes;
        for (uint64_t index : tile_index)
            pattern().index_xor.columns[a].push_back(index & ((uint64_t{1} << changed_bits) - 1));
        return true;
    }

    void order_axes() {
        std::vector<Axis> by_stride;
        for (Axis a : all_axes)
            if (layout.stride[a] != 0) by_stride.push_back(a);
        const std::vector<Axis> places = by_stride;
        std::ranges::sort(by_stride, {}, [&](Axis a) { return layout.stride[a]; });
        for (size_t i = 0; i < by_stride.size(); i++) pattern().order[places[i]] = by_stride[i];
    }

    /// c from the element at zero, now that all but c is known of it.
    bool fit_constant() {
        layout.base = guess.base;
        layout.constant = 0;
        uint64_t predicted = offset_of(layout, probes.zero[axis_x]);
        uint64_t seen = probes.at_zero[axis_x];
        if (seen < guess.base) return false;
        Coord tile_at{};
        for (Axis a : all_axes) tile_at[a] = probes.zero[axis_x][a] / pattern().tile[a];
        uint64_t within = pattern().equation(probes.zero[axis_x]) ^ pattern().outer_xor(tile_at);
        uint64_t shift = predicted - within * unit();
        if (seen < shift || (seen - shift) % probes.element.bytes != 0) return false;
        layout.constant = (seen - shift) / unit() ^ within;
        return layout.constant * unit() < pattern().tile_bytes;
    }
};

Fitting begin(const Probes& probes, const Guess& guess) {
    Fitting fitting{probes, guess, {}};
    Pattern& pattern = fitting.pattern();
    pattern.element = probes.element;
    for (Axis a : all_axes) pattern.tile[a] = uint32_t{1} << guess.tile[a];
    pattern.tile_bytes = element_count(pattern.tile) * probes.element.bytes << guess.growth;
    return fitting;
}

}  // namespace

bool equation_fits(const Probes& probes, const Guess& guess) { return begin(probes, guess).fit_equation(); }

std::optional<Layout> fit_guess(const Probes& probes, const Guess& guess) {
    Fitting fitting = begin(probes, guess);
    Pattern& pattern = fitting.pattern();
    if (!fitting.fit_equation()) return std::nullopt;
    const bool strides = guess.outer == Outer::plain ? fitting.fit_plain_strides() : fitting.fit_xored_strides();
    if (!strides) return std::nullopt;
    fitting.order_axes();
    pattern.outer_xor.trim();
    pattern.index_xor.trim();
    if (!fitting.fit_constant() || why_not_one_to_one(fitting.layout, probes.extent)) return std::nullopt;
    return fitting.layout;
}

}  // namespace tilewise
