#include "patterns/convert/convert.h"
#include "patterns/convert/rows.h"
#include "patterns/convert/stream.h"
#include "patterns/convert/tiles.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/one_to_one.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// Images from this size on are not meant to stay in the caches of a core.
constexpr uint64_t streamed_bytes = 8 << 20;

void check_size(const char* side, uint64_t has, uint64_t needs) {
    if (has < needs)
        throw Error(fmt::format("{} has {} bytes, and the image needs {}; check extent, element size and strides", side,
                                has, needs));
}

uint64_t element_bytes(const Layout& layout, const Box& box) {
    uint64_t bytes = layout.pattern.element.bytes;
    for (uint32_t n : box.extent)
        if (__builtin_mul_overflow(bytes, n, &bytes)) return ~uint64_t{0};
    return bytes;
}

/// The pitch with nothing left out, once both sides are known to be large enough.
Pitch checked_pitch(const Layout& layout, const Box& box, const Pitch& pitch, uint64_t tiled, uint64_t rows) {
    // Told cheaply, and it bounds the work of the exact answer by the memory that there is.
    check_size("the tiled side", tiled, element_bytes(layout, box));
    Coord extent;
    for (Axis a : all_axes)
        if (__builtin_add_overflow(box.from[a], box.extent[a], &extent[a])) throw Error("a box reaches beyond 32 bits");
    if (const char* why = why_not_one_to_one(layout, extent))
        throw Error(fmt::format("the layout has no room for the image: {}", why));
    check_size("the tiled side", tiled, tiled_bytes(layout, box));
    check_size("the side of the rows", rows, rows_bytes(layout.pattern.element, box.extent, pitch));
    return full_pitch(layout.pattern.element, box.extent, pitch);
}

/// The part of the box that consists of whole tiles; none along an axis: an extent of 0.
Box whole_tiles(const Pattern& pattern, const Box& box) {
    Box whole;
    for (Axis a : all_axes) {
        const uint64_t tile = pattern.tile[a], end = (uint64_t{box.from[a]} + box.extent[a]) / tile * tile;
        const uint64_t from = round_up(box.from[a], tile);
        whole.from[a] = static_cast<uint32_t>(std::min(from, end));
        whole.extent[a] = static_cast<uint32_t>(end - whole.from[a]);
    }
    return whole;
}

uint64_t rows_offset(const Pattern& pattern, const Box& box, const Box& part, const Pitch& pitch) {
    return uint64_t{part.from[axis_x] - box.from[axis_x]} * pattern.element.bytes +
           (part.from[axis_y] - box.from[axis_y]) * pitch.row + (part.from[axis_z] - box.from[axis_z]) * pitch.slice +
           (part.from[axis_s] - box.from[axis_s]) * pitch.sample;
}

/// Calls with boxes that, together with `inside`, make up the box.
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

}  // namespace

void detile(const Layout& layout, const Box& box, std::span<const std::byte> tiled, std::span<std::byte> rows,
            Pitch pitch) {
    pitch = checked_pitch(layout, box, pitch, tiled.size(), rows.size());
    const bool streams = element_bytes(layout, box) >= streamed_bytes;
    detile_rows(layout, box, pitch, tiled.data(), rows.data(), streams);
    if (streams) finish_streaming();
}

void tile(const Layout& layout, const Box& box, std::span<const std::byte> rows, std::span<std::byte> tiled,
          Pitch pitch) {
    pitch = checked_pitch(layout, box, pitch, tiled.size(), rows.size());
    const bool streams = element_bytes(layout, box) >= streamed_bytes;
    const auto by_rows = [&](const Box& part) {
        const std::byte* from = rows.data() + rows_offset(layout.pattern, box, part, pitch);
        tile_rows(layout, part, pitch, from, tiled.data());
    };
    const Box whole = whole_tiles(layout.pattern, box);
    if (element_count(whole.extent) != 0 && has_even_tiles(layout, pitch)) {
        for_surroundings(box, whole, by_rows);
        const std::byte* from = rows.data() + rows_offset(layout.pattern, box, whole, pitch);
        tile_tiles(layout, whole, pitch, from, tiled.data(), streams);
    } else {
        by_rows(box);
    }
    if (streams) finish_streaming();
}

}  // namespace tilewise
