// Elements that lie side by side along x, in the image and in memory alike, form a run, which one copy moves. Rows are
// taken in bands, bands in chunks: so small that the lines of memory that a band's rows share are done with before they
// leave the first-level cache.
//
//           chunk      chunk
//         +----------+----------+--
//   band  | row y    |          |       Turing, 4-byte elements: the address bits x2 y1 y0 x1 x0 .. ..; a run is x1 x0
//         | row y+1  |          |       (16 bytes), and a line of 64 bytes is shared by the 4 rows of y1 y0.
//         +----------+----------+--
#include "patterns/convert/rows.h"
#include "patterns/convert/runs.h"
#include "patterns/convert/stream.h"
#include <algorithm>
#include <cstring>

namespace tilewise {

namespace {

// Found by measuring, as all that is said of speed here: tools/bench/tile.cpp.
constexpr size_t chunk_bytes = 512;
constexpr size_t streamed_chunk_bytes = 2048;  ///< gathered, then written in one go
constexpr uint64_t shared_bytes = 512;         ///< rows that share pieces of memory of this size make a band
constexpr size_t group_runs = 4;
constexpr size_t runs_ahead = 128;  ///< so far ahead the memory of a row is asked for

enum class Direction { detile, tile };

/// How the inner shares of a column and a row combine: they have no bit in common, or they do; in bytes or elements.
enum class Combine { add, exclusive_or, exclusive_or_elements };

/// The runs of a row, by their column; their offsets are shift + combine(inner, the row's).
struct Columns {
    std::vector<uint64_t> shift, inner, index;

    void push_back(const Share& share) {
        shift.push_back(share.shift);
        inner.push_back(share.inner);
        index.push_back(share.index);
    }
};

/// Elements of a row that are no whole run, at either end of the box.
struct Edge {
    size_t column = 0;     ///< in Columns
    uint64_t rows_at = 0;  ///< bytes from the row's start
    size_t bytes = 0;
};

/// Runs from a multiple of their number on are in one tile, and their inner shares are the first one's XOR these.
struct Group {
    std::array<uint64_t, group_runs> inner{};
    size_t phase = 0;  ///< of column 0 in its group
    bool is_used = false;

    /// Runs from the column on that come before the next group, of `count`.
    size_t before(size_t column, size_t count) const {
        return is_used ? std::min(count, (0 - (phase + column)) % group_runs) : count;
    }
};

struct Plan {
    Combine combine = Combine::add;
    uint64_t unit = 1;  ///< bytes that the inner shares count
    size_t run_bytes = 0;
    size_t first_run = 0, runs = 0;  ///< the whole ones, in columns
    uint64_t rows_at = 0;            ///< of the first whole run: bytes from the row's start
    std::vector<Edge> edges;
    Columns columns;
    Group group;
    Coord block = unit_extent;  ///< rows, slices and samples of a band
    bool streams = false;
};

Combine combine_of(const Layout& layout) {
    const Pattern& pattern = layout.pattern;
    uint64_t of_columns = 0, of_rows = layout.constant;
    for (Axis a : all_axes)
        (a == axis_x ? of_columns : of_rows) |=
            all_bits(pattern.equation.columns[a]) | all_bits(pattern.outer_xor.columns[a]);
    if ((of_columns & of_rows) == 0) return Combine::add;
    return pattern.counts_elements() ? Combine::exclusive_or_elements : Combine::exclusive_or;
}

Plan make_plan(const Layout& layout, const Box& box) {
    const Pattern& pattern = layout.pattern;
    const uint64_t size = pattern.element.bytes;
    Plan plan;
    plan.combine = combine_of(layout);
    plan.unit = pattern.offset_unit();
    const uint64_t begin = box.from[axis_x], end = begin + box.extent[axis_x];
    const uint64_t run = run_elements(layout, static_cast<uint32_t>(end));
    plan.run_bytes = run * size;
    for (uint64_t x = begin; x < end;) {
        const uint64_t next = std::min(end, (x / run + 1) * run), rows_at = (x - begin) * size;
        if (next - x < run)
            plan.edges.push_back({plan.columns.shift.size(), rows_at, (next - x) * size});
        else if (plan.runs++ == 0)
            plan.first_run = plan.columns.shift.size(), plan.rows_at = rows_at;
        plan.columns.push_back(share_of(layout, axis_x, static_cast<uint32_t>(x)));
        x = next;
    }
    plan.group.is_used = pattern.tile[axis_x] >= group_runs * run;
    plan.group.phase = begin / run % group_runs;
    for (size_t i = 0; i < group_runs; i++)
        plan.group.inner[i] = pattern.equation.axis(axis_x, static_cast<uint32_t>(i * run));
    for (Axis a : {axis_y, axis_z, axis_s})
        for (uint64_t column : pattern.equation.columns[a]) {
            if (column * plan.unit >= shared_bytes) break;
            plan.block[a] *= 2;
        }
    return plan;
}

/// `count` runs of a row, from a column on.
struct RunsOfRow {
    const uint64_t *shift = nullptr, *inner = nullptr;
    size_t count = 0, up_to_end = 0;  ///< these, and those up to the row's end
    size_t before_groups = 0;
    size_t bytes = 0;  ///< of a run
    uint64_t row_inner = 0;
};

/// Moves runs: from or to tiled + their offsets, and one after another on the other side.
/// `fixed_bytes` of a run, or 0 where the compiler cannot know them.
template <Direction direction, Combine combine, size_t fixed_bytes>
void copy_runs(RunsOfRow runs, const Plan& plan, const std::byte* from, std::byte* to) {
    const size_t bytes = fixed_bytes != 0 ? fixed_bytes : runs.bytes;
    const auto move = [&](size_t i, uint64_t at) {
        if constexpr (direction == Direction::detile)
            std::memcpy(to + i * bytes, from + at, bytes);
        else
            std::memcpy(to + at, from + i * bytes, bytes);
    };
    if constexpr (combine == Combine::add) {
        for (size_t i = 0; i < runs.count; i++) move(i, runs.shift[i]);
        return;
    }
    const uint64_t unit = combine == Combine::exclusive_or ? 1 : plan.unit;
    const auto move_one = [&](size_t i) { move(i, runs.shift[i] + (runs.inner[i] ^ runs.row_inner) * unit); };
    size_t i = 0;
    for (; i < runs.before_groups; i++) move_one(i);
    const std::array<uint64_t, group_runs> group = plan.group.inner;
    for (; i + group_runs <= runs.count; i += group_runs) {
        const uint64_t shift = runs.shift[i], inner = runs.inner[i] ^ runs.row_inner;
        // Short runs under an XOR jump about in memory: the processor does not foresee where to.
        if constexpr (direction == Direction::detile) {
            const size_t ahead = std::min(i + runs_ahead, runs.up_to_end - 1);
            __builtin_prefetch(from + runs.shift[ahead] + (runs.inner[ahead] ^ runs.row_inner) * unit);
        }
        for (size_t in_group = 0; in_group < group_runs; in_group++)
            move(i + in_group, shift + (inner ^ group[in_group]) * unit);
    }
    for (; i < runs.count; i++) move_one(i);
}
using CopyRuns = decltype(&copy_runs<Direction::detile, Combine::add, 0>);

template <Direction direction>
CopyRuns choose_copy(Combine combine, size_t bytes) {
    CopyRuns chosen = nullptr;
    with_constant(bytes, [&](auto fixed) {
        switch (combine) {
            case Combine::add:
                chosen = copy_runs<direction, Combine::add, fixed>;
                break;
            case Combine::exclusive_or:
                chosen = copy_runs<direction, Combine::exclusive_or, fixed>;
                break;
            case Combine::exclusive_or_elements:
                chosen = copy_runs<direction, Combine::exclusive_or_elements, fixed>;
                break;
        }
    });
    return chosen;
}

/// A row's offsets on both sides; what the columns contribute comes on top.
struct RowPlace {
    uint64_t tiled = 0, inner = 0, rows = 0;
};
/// Rows in one row of tiles.
using Band = std::vector<RowPlace>;

template <Direction direction>
void convert_band(const Plan& plan, const std::vector<uint64_t>& shift, const Band& band, const std::byte* from,
                  std::byte* to) {
    const std::vector<uint64_t>& inner = plan.columns.inner;
    const auto runs_at = [&](size_t column, size_t count, size_t bytes, const RowPlace& row) {
        return RunsOfRow{&shift[column], &inner[column], count, shift.size() - column, plan.group.before(column, count),
                         bytes,          row.inner};
    };
    const auto move = [&](CopyRuns copy, const RunsOfRow& runs, uint64_t rows_at, const RowPlace& row) {
        const uint64_t from_at = direction == Direction::detile ? row.tiled : row.rows + rows_at;
        const uint64_t to_at = direction == Direction::detile ? row.rows + rows_at : row.tiled;
        copy(runs, plan, from + from_at, to + to_at);
    };
    const CopyRuns whole = choose_copy<direction>(plan.combine, plan.run_bytes);
    const bool streams = direction == Direction::detile && plan.streams && plan.run_bytes <= streamed_chunk_bytes;
    const size_t chunk = std::max<size_t>(1, (streams ? streamed_chunk_bytes : chunk_bytes) / plan.run_bytes);
    alignas(64) std::byte gathered[streamed_chunk_bytes];
    for (size_t run = 0; run < plan.runs; run += chunk) {
        const size_t count = std::min(chunk, plan.runs - run), column = plan.first_run + run;
        const uint64_t rows_at = plan.rows_at + run * plan.run_bytes;
        for (const RowPlace& row : band) {
            const RunsOfRow runs = runs_at(column, count, plan.run_bytes, row);
            if (!streams) {
                move(whole, runs, rows_at, row);
                continue;
            }
            whole(runs, plan, from + row.tiled, gathered);
            stream(to + row.rows + rows_at, gathered, count * plan.run_bytes);
        }
    }
    const CopyRuns any_size = choose_copy<direction>(plan.combine, 0);
    for (const Edge& edge : plan.edges)
        for (const RowPlace& row : band) move(any_size, runs_at(edge.column, 1, edge.bytes, row), edge.rows_at, row);
}

/// The columns' shifts in a band whose tiles have the share `band`, which matters to F only.
void place_columns(const Layout& layout, const Plan& plan, const Share& band, std::vector<uint64_t>& shift) {
    const Columns& columns = plan.columns;
    shift.resize(columns.shift.size());
    uint64_t tile_place = 0;
    for (size_t i = 0; i < shift.size(); i++) {
        if (i == 0 || columns.shift[i] != columns.shift[i - 1] || columns.index[i] != columns.index[i - 1])
            tile_place = swapped(Share{columns.shift[i], 0, columns.index[i]} + band, layout.pattern.tile_bytes);
        shift[i] = tile_place + (plan.combine == Combine::add ? columns.inner[i] * plan.unit : 0);
    }
}

/// Calls with every block [begin, end) of the box along the axis, cut at multiples of `step`.
template <class Call>
void for_blocks(const Box& box, Axis axis, uint32_t step, const Call& call) {
    const uint64_t end = uint64_t{box.from[axis]} + box.extent[axis];
    for (uint64_t begin = box.from[axis]; begin < end;) {
        const uint64_t next = std::min(end, (begin / step + 1) * step);
        call(static_cast<uint32_t>(begin), static_cast<uint32_t>(next));
        begin = next;
    }
}

template <Direction direction>
void convert_rows(const Layout& layout, const Box& box, const Pitch& pitch, const std::byte* from, std::byte* to,
                  bool streams) {
    Plan plan = make_plan(layout, box);
    plan.streams = streams;
    const bool has_index_xor = !layout.pattern.index_xor.is_zero();
    std::vector<uint64_t> shift;
    place_columns(layout, plan, {}, shift);
    Band band;
    const auto add_row = [&](const Share& share, uint64_t rows_at) {
        if (band.empty() && has_index_xor) place_columns(layout, plan, share, shift);
        RowPlace row = {layout.base + (has_index_xor ? 0 : share.shift), share.inner ^ layout.constant, rows_at};
        if (plan.combine == Combine::add) row.tiled += row.inner * plan.unit;
        band.push_back(row);
    };
    const auto convert_block = [&](const Coord& begin, const Coord& end) {
        band.clear();
        for (uint32_t s = begin[axis_s]; s < end[axis_s]; s++)
            for (uint32_t z = begin[axis_z]; z < end[axis_z]; z++)
                for (uint32_t y = begin[axis_y]; y < end[axis_y]; y++)
                    add_row(share_of(layout, axis_y, y) + share_of(layout, axis_z, z) + share_of(layout, axis_s, s),
                            (y - box.from[axis_y]) * pitch.row + (z - box.from[axis_z]) * pitch.slice +
                                (s - box.from[axis_s]) * pitch.sample);
        convert_band<direction>(plan, shift, band, from, to);
    };
    for_blocks(box, axis_s, plan.block[axis_s], [&](uint32_t s, uint32_t s_end) {
        for_blocks(box, axis_z, plan.block[axis_z], [&](uint32_t z, uint32_t z_end) {
            for_blocks(box, axis_y, plan.block[axis_y], [&](uint32_t y, uint32_t y_end) {
                convert_block({0, y, z, s}, {0, y_end, z_end, s_end});
            });
        });
    });
}

}  // namespace

void detile_rows(const Layout& layout, const Box& box, const Pitch& pitch, const std::byte* tiled, std::byte* rows,
                 bool streams) {
    convert_rows<Direction::detile>(layout, box, pitch, tiled, rows, streams);
}

void tile_rows(const Layout& layout, const Box& box, const Pitch& pitch, const std::byte* rows, std::byte* tiled) {
    convert_rows<Direction::tile>(layout, box, pitch, rows, tiled, false);
}

}  // namespace tilewise
