// The search for the canonical layout. Guesses are cheap, since each reads only a few elements
// (patterns/solve/guess.h). So they are made in order of preference, and the first one that reproduces the whole table
// is the answer:
//
//   XORs beside E                          none    G    F   both
//   tiles that repeat along every axis        1    2    3    4
//   tiles as wide or as high as the image     5    6    7    8
//   the whole image as one tile               9
//   any tile                                           10   11
//
// Tiles come from few elements to many, wide before high: 1x1, 2x1, 1x2, 4x1, 2x2, 1x4, ... In 2 to 4, 7 and 8 an XOR
// counts only if its axis shows three tiles: with two tiles there is one step and one column, so some XOR explains any
// offset.
#include "patterns/solve/solve.h"
#include "patterns/solve/guess.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <random>

namespace tilewise {

namespace {

std::string name_of(const Coord& at, const Coord& extent) {
    if (extent[axis_s] > 1) return fmt::format("({},{},{},{})", at[axis_x], at[axis_y], at[axis_z], at[axis_s]);
    if (extent[axis_z] > 1) return fmt::format("({},{},{})", at[axis_x], at[axis_y], at[axis_z]);
    return fmt::format("({},{})", at[axis_x], at[axis_y]);
}

/// Compares the layout with the table, row by row, until more than `limit` elements differ. Returns the number that
/// differ; `first` is set to the index of the first one.
uint64_t count_mismatches(const Table& table, const Layout& layout, uint64_t limit, uint64_t* first = nullptr) {
    const AxisTables tables(layout, table.extent);
    const size_t width = table.extent[axis_x];
    std::vector<uint64_t> row(width);
    uint64_t* predicted = row.data();
    const uint64_t* seen = table.offsets.data();
    uint64_t mismatches = 0;
    for (uint32_t s = 0; s < table.extent[axis_s]; s++)
        for (uint32_t z = 0; z < table.extent[axis_z]; z++)
            for (uint32_t y = 0; y < table.extent[axis_y]; y++, seen += width) {
                tables.row(y, z, s, predicted);
                uint64_t in_row = 0;
                for (size_t x = 0; x < width; x++) in_row += predicted[x] != seen[x];
                if (in_row == 0) continue;
                if (mismatches == 0 && first) {
                    auto differing = std::mismatch(predicted, predicted + width, seen).second;
                    *first = static_cast<uint64_t>(differing - table.offsets.data());
                }
                mismatches += in_row;
                if (mismatches > limit) return mismatches;
            }
    return mismatches;
}

/// How many of `samples` scattered elements the layout misplaces.
unsigned count_sampled_mismatches(const Table& table, const Layout& layout, unsigned samples) {
    std::mt19937_64 random(samples);
    unsigned mismatches = 0;
    for (unsigned i = 0; i < samples; i++) {
        const uint64_t index = random() % table.offsets.size();
        mismatches += offset_of(layout, element_at_index(table.extent, index)) != table.offsets[index];
    }
    return mismatches;
}

/// All tiles that fit the image's bits, from few elements to many, wide before high. The last is the whole image.
std::vector<TileLog2> tiles_by_size(const Probes& probes) {
    std::vector<TileLog2> tiles;
    TileLog2 tile{};
    for (tile[axis_s] = 0; tile[axis_s] <= probes.bits(axis_s); tile[axis_s]++)
        for (tile[axis_z] = 0; tile[axis_z] <= probes.bits(axis_z); tile[axis_z]++)
            for (tile[axis_y] = 0; tile[axis_y] <= probes.bits(axis_y); tile[axis_y]++)
                for (tile[axis_x] = 0; tile[axis_x] <= probes.bits(axis_x); tile[axis_x]++) tiles.push_back(tile);
    auto size = [](const TileLog2& t) { return std::accumulate(t.begin(), t.end(), 0U); };
    std::ranges::sort(
        tiles, [&](const TileLog2& a, const TileLog2& b) { return size(a) != size(b) ? size(a) < size(b) : a > b; });
    return tiles;
}

/// Whether every axis that feeds G or F has shown at least two bits of tile coordinates: a single bit fits any XOR.
bool xors_are_evident(const Layout& layout, const Coord& extent) {
    return std::ranges::all_of(all_axes, [&](Axis a) {
        auto feeds = [a](const LinearMap& map) {
            return std::ranges::any_of(map.columns[a], [](uint64_t column) { return column != 0; });
        };
        const bool feeds_any = feeds(layout.pattern.outer_xor) || feeds(layout.pattern.index_xor);
        return !feeds_any || (extent[a] - 1) / layout.pattern.tile[a] >= 2;
    });
}

constexpr unsigned max_hidden_growth = 12;

struct Search {
    const Table& table;
    Probes probes;
    std::vector<TileLog2> tiles;
    std::vector<uint64_t> bases;  ///< possible starts of tile 0, whatever the tile
    unsigned max_growth;          ///< of tiles within the image; an extent of 1 may hide elements along that axis

    Search(const Table& t, uint32_t row, std::vector<uint64_t> base_guesses, unsigned growth = 4)
        : table(t), probes(t, row), tiles(tiles_by_size(probes)), bases(std::move(base_guesses)), max_growth(growth) {}

    bool spans(const TileLog2& tile, Axis a) const { return probes.bits(a) > 0 && tile[a] == probes.bits(a); }
    bool spans_an_axis(const TileLog2& tile) const {
        return std::ranges::any_of(all_axes, [&](Axis a) { return spans(tile, a); });
    }

    /// Calls accept(layout) for every layout that a guess with that tile allows, until it returns true.
    template <class Accept>
    bool try_tile(const TileLog2& tile, Outer outer, Accept accept) const {
        Guess guess{.tile = tile, .outer = outer};
        // Some of the tile's bytes can be unused only if the image ends within the tile.
        const unsigned most = spans_an_axis(tile) ? max_hidden_growth : max_growth;
        const uint64_t tile_bytes = uint64_t{table.element.bytes} << std::accumulate(tile.begin(), tile.end(), 0U);
        for (; guess.growth <= most; guess.growth++) {
            auto try_base = [&](uint64_t base) {
                guess.base = base;
                return try_guess(probes, guess, accept);
            };
            if (std::ranges::any_of(bases, try_base)) return true;
            uint64_t aligned = bases[0] - bases[0] % (tile_bytes << guess.growth);
            if (std::ranges::find(bases, aligned) == bases.end() && try_base(aligned)) return true;
        }
        return false;
    }

    bool proves(const Layout& layout) const {
        return count_sampled_mismatches(table, layout, 64) == 0 && count_mismatches(table, layout, 0) == 0;
    }

    std::optional<Layout> smallest_repeating(Outer outer, bool may_span, bool must_be_evident) const {
        const TileLog2 smallest = outer == Outer::plain ? smallest_additive_tile(probes) : TileLog2{};
        std::optional<Layout> found;
        for (const TileLog2& tile : tiles) {
            if (tile == tiles.back() || (!may_span && spans_an_axis(tile))) continue;
            if (!std::ranges::equal(tile, smallest, std::greater_equal<>())) continue;
            auto accept = [&](const Layout& layout) {
                if ((!must_be_evident || xors_are_evident(layout, table.extent)) && proves(layout)) found = layout;
                return found.has_value();
            };
            if (try_tile(tile, outer, accept)) break;
        }
        return found;
    }

    std::optional<Layout> whole_image() const {
        std::optional<Layout> found;
        try_tile(tiles.back(), Outer::plain, [&](const Layout& layout) {
            if (proves(layout)) found = layout;
            return found.has_value();
        });
        return found;
    }
};

std::optional<Layout> canonical_layout(const Search& search) {
    const bool evident = true;
    // A tile as wide or high as the image was not seen to repeat along that axis, and depends on the image's size.
    for (bool may_span : {false, true}) {
        for (Outer outer : {Outer::plain, Outer::outer_xor, Outer::index_xor, Outer::both_xor}) {
            const bool must_be_evident = outer == Outer::outer_xor ? !may_span : evident;
            if (auto layout = search.smallest_repeating(outer, may_span, must_be_evident)) return layout;
        }
    }
    if (auto layout = search.whole_image()) return layout;
    for (Outer outer : {Outer::index_xor, Outer::both_xor})
        if (auto layout = search.smallest_repeating(outer, true, !evident)) return layout;
    return std::nullopt;
}

struct Nearest {
    std::optional<Layout> layout;
    unsigned sampled_mismatches = ~0U;
    bool is_all_but_one = false;  ///< a single element disagrees: nothing closer can be found
};

void find_nearest(const Search& search, unsigned samples, Nearest& nearest) {
    auto accept = [&](const Layout& layout) {
        const unsigned mismatches = count_sampled_mismatches(search.table, layout, samples);
        if (mismatches >= nearest.sampled_mismatches) return false;
        nearest = {layout, mismatches, mismatches <= 1 && count_mismatches(search.table, layout, 1) == 1};
        return nearest.is_all_but_one;
    };
    for (Outer outer : {Outer::plain, Outer::outer_xor, Outer::index_xor, Outer::both_xor})
        for (const TileLog2& tile : search.tiles)
            if (search.try_tile(tile, outer, accept)) return;
}

std::string describe_shared_offset(const Table& table) {
    std::vector<uint64_t> sorted = table.offsets;
    std::ranges::sort(sorted);
    auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) return {};
    auto first = std::ranges::find(table.offsets, *twice);
    auto second = std::find(first + 1, table.offsets.end(), *twice);
    auto name = [&](auto it) {
        return name_of(element_at_index(table.extent, static_cast<uint64_t>(it - table.offsets.begin())), table.extent);
    };
    return fmt::format("not a bijection: elements {} and {} both lie at {:#x}", name(first), name(second), *twice);
}

/// Says what separates the samples if each sample has a layout of its own; otherwise empty.
std::string describe_samples(const Table& table) {
    Table one = {table.element, table.extent, {}, {}};
    one.extent[axis_s] = 1;
    const uint64_t elements = element_count(one.extent);
    for (uint32_t s = 0; s < table.extent[axis_s]; s++) {
        const auto first = table.offsets.begin() + static_cast<ptrdiff_t>(s * elements);
        one.offsets.assign(first, first + static_cast<ptrdiff_t>(elements));
        if (!canonical_layout(Search(one, 0, {one.offsets[0]}))) return {};
    }
    return "each sample alone follows an equation, but no stride and no XOR leads from one sample to the next";
}

/// Explains what is wrong with a table that no layout reproduces. The wrong elements may be those that the search
/// itself probes, so other rows are tried, too.
void explain(const Table& table, const std::vector<uint64_t>& bases, Solution& solution) {
    constexpr unsigned samples = 256;
    Nearest nearest;
    for (uint32_t row : {0U, 3U, 5U}) {
        find_nearest(Search(table, row, bases), samples, nearest);
        if (nearest.is_all_but_one || nearest.sampled_mismatches <= samples / 16) break;
    }
    const bool is_far = !nearest.layout || nearest.sampled_mismatches > samples / 4;
    std::string plainer = describe_shared_offset(table);
    if (plainer.empty() && is_far && table.extent[axis_s] > 1) plainer = describe_samples(table);
    if (!nearest.layout) {
        solution.mismatches = solution.elements;
        solution.reason = plainer.empty()
                              ? "no tile gives a one-to-one equation: the offsets along the axes contradict "
                                "each other already"
                              : plainer;
        return;
    }

    uint64_t first = 0;
    solution.mismatches = count_mismatches(table, *nearest.layout, solution.elements, &first);
    const Coord at = element_at_index(table.extent, first);
    const uint64_t seen = table.offsets[first], predicted = offset_of(*nearest.layout, at);
    if (!is_far) {
        solution.reason = fmt::format("element {} lies at {:#x}, but the others put it at {:#x}",
                                      name_of(at, table.extent), seen, predicted);
        std::optional<Coord> owner = element_of(*nearest.layout, table.extent, seen);
        if (owner && *owner != at)
            solution.reason += fmt::format(", and {} at {:#x}", name_of(*owner, table.extent), seen);
        solution.reason += fmt::format(" ({} of {} elements disagree)", solution.mismatches, solution.elements);
        if (!plainer.empty()) solution.reason += "; " + plainer;
        return;
    }
    const Pattern& pattern = nearest.layout->pattern;
    const bool first_tile = std::ranges::all_of(all_axes, [&](Axis a) { return at[a] < pattern.tile[a]; });
    solution.reason = fmt::format(
        "no tile with an equation, strides and XORs explains the offsets: the nearest, {}x{}x{}, misplaces {} of {} "
        "elements, from {} on, {}",
        pattern.tile[axis_x], pattern.tile[axis_y], pattern.tile[axis_z], solution.mismatches, solution.elements,
        name_of(at, table.extent),
        first_tile ? "within its first tile (no equation)" : "beyond its first tile (no strides)");
    if (!plainer.empty()) solution.reason = plainer;
}

struct OffsetRange {
    uint64_t lowest = ~uint64_t{0}, highest = 0;
};

OffsetRange range_of(const std::vector<uint64_t>& offsets) {
    OffsetRange range;
    for (const uint64_t offset : offsets) {
        range.lowest = std::min(range.lowest, offset);
        range.highest = std::max(range.highest, offset);
    }
    return range;
}

std::string describe_unusable(const Table& table, uint64_t highest) {
    std::string reason;
    if (!table.faults.empty()) {
        reason = table.faults.front();
        if (table.faults.size() > 1) reason += fmt::format(" (and {} more faults)", table.faults.size() - 1);
    }
    if (highest == Table::missing_offset) {
        auto first = std::ranges::find(table.offsets, Table::missing_offset);
        auto count = std::ranges::count(table.offsets, Table::missing_offset);
        Coord at = element_at_index(table.extent, static_cast<uint64_t>(first - table.offsets.begin()));
        reason += fmt::format("{}element {} is missing ({} of {} elements are)", reason.empty() ? "" : "; ",
                              name_of(at, table.extent), count, table.offsets.size());
    }
    if (reason.empty() && highest >= Table::missing_offset - table.element.bytes) {
        const auto last = std::ranges::find(table.offsets, highest);
        reason = fmt::format(
            "element {} at {:#x} reaches beyond 64 bits of address",
            name_of(element_at_index(table.extent, static_cast<uint64_t>(last - table.offsets.begin())), table.extent),
            highest);
    }
    return reason;
}

/// Where tile 0 may begin if its first element lies behind others of the tile that the image does not have. The place
/// of that element is a constant c. A step that changes bits of c adds those that c does not have and subtracts those
/// that it has: if a step's sum is written with as few signed bits as possible, the negative ones are bits of c.
/// AMD Navi 21, RG32UI, one column:
///
///   step to (0,16)  +800  = +800          (0,32)  +1e00 = +2000 -200
///                                         so c has bit 9, and tile 0 begins 200 below (0,0)
///
/// A sum such as +1800 can be +2000 -800 as well as +1000 +800.
std::vector<uint64_t> bases_of_signed_steps(const Table& table) {
    constexpr size_t max_bases = 32;
    const Probes probes(table, 0);
    std::vector<uint64_t> constants = {0};
    for (Axis a : all_axes)
        for (const uint64_t offset : probes.at_power[a]) {
            const uint64_t step = offset - probes.at_zero[a];
            const bool is_negative = step >> 63;
            const uint64_t half = step >> 1 | (is_negative ? uint64_t{1} << 63 : 0);
            const uint64_t fewest = half & (half ^ (step + half)), alike = is_negative ? 0 - step : 0;
            const size_t count = constants.size();
            for (size_t i = 0; i < count; i++) {
                if (alike != fewest && constants.size() < max_bases) constants.push_back(constants[i] | alike);
                constants[i] |= fewest;
            }
        }
    // No hidden element at all, an option that many steps push out of the list: the tile is then merely larger than
    // usual.
    constants.push_back(0);
    std::vector<uint64_t> bases;
    for (const uint64_t constant : constants)
        if (constant <= table.offsets[0]) bases.push_back(table.offsets[0] - constant);
    std::ranges::sort(bases, std::greater());
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    return bases;
}

}  // namespace

Solution solve(const Table& table) {
    Solution solution;
    solution.extent = table.extent;
    solution.elements = table.offsets.size();
    const auto [lowest, highest] = range_of(table.offsets);
    solution.reason = describe_unusable(table, highest);
    if (!solution.reason.empty()) return solution;

    std::vector<uint64_t> bases = {table.offsets[0]};
    if (lowest != bases[0]) bases.push_back(lowest);
    std::optional<Layout> layout = canonical_layout(Search(table, 0, bases));
    std::vector<uint64_t> hidden = bases_of_signed_steps(table);
    if (!layout && !hidden.empty()) layout = canonical_layout(Search(table, 0, std::move(hidden), max_hidden_growth));
    if (layout) {
        solution.fit = Fit::exact;
        solution.layout = *layout;
        return solution;
    }

    uint64_t second_lowest = ~uint64_t{0};
    for (uint64_t offset : table.offsets)
        if (offset > lowest) second_lowest = std::min(second_lowest, offset);
    bases.push_back(second_lowest);
    explain(table, bases, solution);
    return solution;
}

}  // namespace tilewise
