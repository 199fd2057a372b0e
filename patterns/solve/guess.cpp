#include "patterns/solve/guess.h"
#include "patterns/model/one_to_one.h"
#include <algorithm>
#include <bit>
#include <optional>

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

/// An offset from tile 0, split into whole tiles and the element's place in the tile.
struct TilePlace {
    uint64_t tiles_bytes;  ///< a multiple of the tile's bytes
    uint64_t within;       ///< in offset units
};

uint64_t tile_bytes_of(const Probes& probes, const Guess& guess) {
    unsigned bits = guess.growth;
    for (Axis a : all_axes) bits += guess.tile[a];
    return uint64_t{probes.element.bytes} << bits;
}

/// Whether the probed elements within the tile allow an equation, whatever lies beyond the tile. Most guesses fail
/// here, so nothing is stored.
bool equation_fits(const Probes& probes, const Guess& guess) {
    const uint64_t tile_bytes = tile_bytes_of(probes, guess);
    gf2::Echelon echelon;
    for (Axis a : all_axes) {
        if (guess.tile[a] == 0) continue;
        if (probes.at_zero[a] < guess.base) return false;
        const uint64_t zero = (probes.at_zero[a] - guess.base) % tile_bytes;
        const uint64_t tile_begin = probes.at_zero[a] - zero;
        if (zero % probes.element.bytes != 0) return false;
        for (unsigned j = 0; j < guess.tile[a]; j++) {
            if (probes.at_power[a][j] < tile_begin) return false;
            const uint64_t power = probes.at_power[a][j] - tile_begin;
            if (power >= tile_bytes || power % probes.element.bytes != 0) return false;
            const bool counts_elements = !std::has_single_bit(probes.element.bytes);
            const uint64_t column =
                counts_elements ? power / probes.element.bytes ^ zero / probes.element.bytes : power ^ zero;
            if (echelon.add(column).value == 0) return false;
        }
    }
    return true;
}

struct Fitting {
    const Probes& probes;
    const Guess& guess;
    Layout layout;
    /// With an XOR: for the steps along each axis, the index of the tile that they lead to.
    std::array<std::vector<uint64_t>, axis_count> tile_index;

    Pattern& pattern() { return layout.pattern; }
    uint64_t unit() const { return layout.pattern.offset_unit(); }

    std::optional<TilePlace> place(uint64_t offset) const {
        if (offset < guess.base) return std::nullopt;
        uint64_t rest = (offset - guess.base) % layout.pattern.tile_bytes;
        if (rest % probes.element.bytes != 0) return std::nullopt;
        return TilePlace{offset - guess.base - rest, rest / unit()};
    }

    /// Sets E from the steps that stay within one tile, after equation_fits() has succeeded.
    void fit_equation() {
        for (Axis a : all_axes) {
            if (guess.tile[a] == 0) continue;
            const uint64_t zero = place(probes.at_zero[a])->within;
            for (unsigned j = 0; j < guess.tile[a]; j++)
                pattern().equation.columns[a].push_back(place(probes.at_power[a][j])->within ^ zero);
        }
    }

    /// Sets the strides, if a step to the next tile moves the whole tile uniformly.
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

    /// Splits steps of whole tiles. Differences within the tile are attributed to G.
    bool part_steps() {
        for (Axis a : all_axes) {
            std::optional<TilePlace> zero = place(probes.at_zero[a]);
            if (!zero) return false;
            for (unsigned j = guess.tile[a]; j < probes.bits(a); j++) {
                std::optional<TilePlace> power = place(probes.at_power[a][j]);
                if (!power || (guess.outer == Outer::index_xor && power->within != zero->within)) return false;
                pattern().outer_xor.columns[a].push_back(power->within ^ zero->within);
                // F undoes no carry, so its steps are XORs; without F they are sums, wherever the zero lies.
                if (guess.outer == Outer::outer_xor && power->tiles_bytes < zero->tiles_bytes) return false;
                const uint64_t step = guess.outer == Outer::outer_xor ? power->tiles_bytes - zero->tiles_bytes
                                                                      : power->tiles_bytes ^ zero->tiles_bytes;
                tile_index[a].push_back(step / pattern().tile_bytes);
            }
        }
        return true;
    }

    /// The stride from the high bits of the steps' tile indices; F from the low bits, which the stride leaves zero.
    /// Broadcom's UIF, RGBA8, 256 rows high, tiles of 32x8 (1 KiB) one below the other:
    ///
    ///   step to (32,0)    offset C000    tile index   48 = 0011 0000     stride.x = 32 tiles, F's tx0 in bit 4
    ///   step to (64,0)          10000                 64 = 0100 0000     64 tiles; F's tx1 is 0
    bool fit_stride(Axis a, unsigned changed_bits) {
        const std::vector<uint64_t>& steps = tile_index[a];
        const uint64_t stride = steps[0] >> changed_bits;
        for (size_t j = 0; j < steps.size(); j++)
            if (steps[j] >> changed_bits != stride << j) return false;
        if (stride == 0) return false;
        layout.stride[a] = (stride << changed_bits) * pattern().tile_bytes;
        pattern().index_xor.columns[a].clear();
        for (uint64_t index : steps)
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

    /// Sets c from the element at zero, once everything else about it is known.
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

    /// Completes the layout, once all strides are known.
    bool finish() {
        order_axes();
        pattern().outer_xor.trim();
        pattern().index_xor.trim();
        return fit_constant() && !why_not_one_to_one(layout, probes.extent);
    }

    using Accept = std::function<bool(const Layout&)>;

    /// Tries every choice of the bits that F may change, from this axis on.
    bool try_changed_bits(unsigned axis, const Accept& accept) {
        if (axis == axis_count) {
            Fitting whole = *this;
            return whole.finish() && accept(whole.layout);
        }
        const Axis a = all_axes[axis];
        if (tile_index[a].empty()) return try_changed_bits(axis + 1, accept);
        constexpr unsigned max_changed_bits = 6;
        const bool has_index_xor = guess.outer != Outer::outer_xor;
        for (unsigned bits = 0; bits <= (has_index_xor ? max_changed_bits : 0); bits++)
            if (fit_stride(a, bits) && try_changed_bits(axis + 1, accept)) return true;
        return false;
    }
};

}  // namespace

bool try_guess(const Probes& probes, const Guess& guess, const std::function<bool(const Layout&)>& accept) {
    if (!equation_fits(probes, guess)) return false;
    Fitting fitting{probes, guess, {}, {}};
    Pattern& pattern = fitting.pattern();
    pattern.element = probes.element;
    for (Axis a : all_axes) pattern.tile[a] = uint32_t{1} << guess.tile[a];
    pattern.tile_bytes = tile_bytes_of(probes, guess);
    fitting.fit_equation();
    if (guess.outer == Outer::plain) return fitting.fit_plain_strides() && fitting.finish() && accept(fitting.layout);
    return fitting.part_steps() && fitting.try_changed_bits(0, accept);
}

}  // namespace tilewise
