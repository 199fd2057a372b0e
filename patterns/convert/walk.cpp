#include "patterns/convert/walk.h"
#include "patterns/convert/stream.h"
#include "patterns/model/bits.h"
#include <algorithm>
#include <cstring>
#include <memory>

namespace tilewise {

namespace {

/// The part of the box that consists of whole cells; if there are none along an axis, its extent is 0.
Box whole_cells(const Coord& cell, const Box& box) {
    Box whole;
    for (Axis a : all_axes) {
        const uint64_t end = (uint64_t{box.from[a]} + box.extent[a]) / cell[a] * cell[a];
        const uint64_t from = std::min(round_up(box.from[a], cell[a]), end);
        whole.from[a] = static_cast<uint32_t>(from);
        whole.extent[a] = static_cast<uint32_t>(end - from);
    }
    return whole;
}

/// Calls the function with boxes that, together with `inside`, make up the box.
template <class Call>
void for_surroundings(Box box, const Box& inside, const Call& call) {
    for (Axis a : all_axes) {
        const uint32_t before = inside.from[a] - box.from[a], after = box.extent[a] - before - inside.extent[a];
        Box part = box;
        part.extent[a] = before;
        if (before != 0) call(part);
        part.from[a] = inside.from[a] + inside.extent[a];
        part.extent[a] = after;
        if (after != 0) call(part);
        box.from[a] = inside.from[a];
        box.extent[a] = inside.extent[a];
    }
}

/// The start of a cell.
struct Place {
    uint64_t memory = 0, inner = 0, rows = 0;
};

struct Walk {
    const Conversion& conversion;
    const Plan& plan;
    const std::byte* from;
    std::byte* to;
    std::byte* buffer;  ///< for a block or a strip of cells

    bool detiles() const { return conversion.direction == ConvertDirection::detile; }
    void boxes(size_t pass, const Box& box) const;
    void cells(const Pass& pass, const Box& box) const;
    void strips(const Pass& pass, const std::vector<Place>& places) const;
    void block(const Pass& pass, const Place& place, const Place& next) const;
    Cell cell_at(const Place& place) const;
    void rows() const;
};

/// Bytes from the start of the box, in the rows.
uint64_t rows_offset(const Conversion& conversion, const Coord& at) {
    const Box& box = conversion.box;
    const Pitch& pitch = conversion.pitch;
    return uint64_t{at[axis_x] - box.from[axis_x]} * conversion.layout.pattern.element.bytes +
           (at[axis_y] - box.from[axis_y]) * pitch.row + (at[axis_z] - box.from[axis_z]) * pitch.slice +
           (at[axis_s] - box.from[axis_s]) * pitch.sample;
}

Share share_of_row(const Layout& layout, const Coord& at) {
    return share_of(layout, axis_y, at[axis_y]) + share_of(layout, axis_z, at[axis_z]) +
           share_of(layout, axis_s, at[axis_s]);
}

Place place_of(const Layout& layout, const Share& share, uint64_t rows) {
    return {layout.base + swapped(share, layout.pattern.tile_bytes), share.inner ^ layout.constant, rows};
}

void Walk::boxes(size_t pass, const Box& box) const {
    const Box whole = whole_cells(plan.passes[pass].cell, box);
    if (element_count(whole.extent) == 0) return boxes(pass + 1, box);
    for_surroundings(box, whole, [&](const Box& part) { boxes(pass + 1, part); });
    cells(plan.passes[pass], whole);
}

void Walk::cells(const Pass& pass, const Box& box) const {
    const Layout& layout = conversion.layout;
    std::vector<Share> columns;
    for (uint64_t x = 0; x < box.extent[axis_x]; x += pass.cell[axis_x])
        columns.push_back(share_of(layout, axis_x, box.from[axis_x] + static_cast<uint32_t>(x)));
    std::vector<Place> places(columns.size());
    Coord rows;  // of cells
    for (Axis a : all_axes) rows[a] = box.extent[a] / pass.cell[a];
    rows[axis_x] = 1;
    const bool in_strips = plan.strip_cells != 0 && &pass == &plan.passes.front();
    const bool by_blocks = conversion.streams && !plan.pieces_stream && !detiles() && pass.block_bytes != 0;
    for (uint64_t i = 0; i < element_count(rows); i++) {
        Coord at = element_at_index(rows, i);
        for (Axis a : all_axes) at[a] = box.from[a] + at[a] * pass.cell[a];
        const Share row = share_of_row(layout, at);
        const uint64_t row_begin = rows_offset(conversion, at);
        const uint64_t cell_row = uint64_t{pass.cell[axis_x]} * layout.pattern.element.bytes;
        for (size_t column = 0; column < columns.size(); column++) {
            places[column] = place_of(layout, columns[column] + row, row_begin + column * cell_row);
            places[column].inner &= ~pass.fixed_inner;
        }
        if (in_strips) {
            strips(pass, places);
            continue;
        }
        for (size_t column = 0; column < places.size(); column++) {
            const Place &place = places[column], &next = places[std::min(column + 1, places.size() - 1)];
            if (by_blocks)
                block(pass, place, next);
            else
                pass.kernel(pass, cell_at(place), cell_at(next));
        }
    }
}

Cell Walk::cell_at(const Place& place) const {
    return detiles() ? Cell{from + place.memory, to + place.rows, place.inner}
                     : Cell{from + place.rows, to + place.memory, place.inner};
}

/// Cells side by side, written row by row.
void Walk::strips(const Pass& pass, const std::vector<Place>& places) const {
    const uint64_t cell_row = uint64_t{pass.cell[axis_x]} * conversion.layout.pattern.element.bytes;
    for (size_t begin = 0; begin < places.size(); begin += plan.strip_cells) {
        const size_t count = std::min<size_t>(plan.strip_cells, places.size() - begin);
        for (size_t i = 0; i < count; i++) {
            Cell cell = cell_at(places[begin + i]);
            cell.to = buffer + i * cell_row;
            pass.kernel(pass, cell, cell_at(places[std::min(begin + i + 1, places.size() - 1)]));
        }
        const std::byte* row = buffer;
        for (uint32_t s = 0; s < pass.cell[axis_s]; s++)
            for (uint32_t z = 0; z < pass.cell[axis_z]; z++)
                for (uint32_t y = 0; y < pass.cell[axis_y]; y++) {
                    stream(to + places[begin].rows + y * conversion.pitch.row + z * conversion.pitch.slice +
                               s * conversion.pitch.sample,
                           row, count * cell_row);
                    row += plan.strip.row;
                }
    }
}

/// A cell that is one block of memory, written as a whole.
void Walk::block(const Pass& pass, const Place& place, const Place& next) const {
    pass.kernel(pass, {from + place.rows, buffer, place.inner & pass.block_inner}, cell_at(next));
    stream(to + place.memory + (place.inner & ~pass.block_inner) * pass.unit, buffer, pass.block_bytes);
}

void Walk::rows() const {
    const Layout& layout = conversion.layout;
    Coord rows = conversion.box.extent;
    rows[axis_x] = 1;
    const size_t bytes = size_t{conversion.box.extent[axis_x]} * layout.pattern.element.bytes;
    const Share column = share_of(layout, axis_x, conversion.box.from[axis_x]);
    for (uint64_t i = 0; i < element_count(rows); i++) {
        Coord at = element_at_index(rows, i);
        for (Axis a : all_axes) at[a] += conversion.box.from[a];
        const Place place = place_of(layout, column + share_of_row(layout, at), rows_offset(conversion, at));
        const uint64_t memory = place.memory + place.inner * layout.pattern.offset_unit();
        const uint64_t from_at = detiles() ? memory : place.rows, to_at = detiles() ? place.rows : memory;
        if (conversion.streams)
            stream(to + to_at, from + from_at, bytes);
        else
            std::memcpy(to + to_at, from + from_at, bytes);
    }
}

}  // namespace

void convert_box(Conversion conversion, const std::byte* from, std::byte* to) {
    conversion.to = reinterpret_cast<uintptr_t>(to);
    const Plan plan = make_plan(conversion);
    Walk walk = {conversion, plan, from, to, nullptr};
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    std::unique_ptr<Line[]> buffer;
    if (conversion.streams && !plan.rows_in_sequence && !plan.pieces_stream) {
        uint64_t bytes = plan.strip_bytes;
        for (const Pass& pass : plan.passes) bytes = std::max(bytes, pass.block_bytes);
        buffer = std::make_unique_for_overwrite<Line[]>(ceil_div(bytes, sizeof(Line)));
        walk.buffer = buffer[0].bytes;
    }
    if (plan.rows_in_sequence)
        walk.rows();
    else
        walk.boxes(0, conversion.box);
    if (conversion.streams) finish_streaming();
}

}  // namespace tilewise
