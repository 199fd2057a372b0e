#include "patterns/convert/convert.h"
#include "patterns/convert/checked.h"
#include "patterns/convert/walk.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/one_to_one.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

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

/// Returns the pitch without zeros, once both sides are known to be large enough.
Pitch checked_pitch(const Layout& layout, const Box& box, const Pitch& pitch, uint64_t tiled, uint64_t rows) {
    // This check is cheap, and it bounds the work of the exact answer by the available memory.
    check_size("the tiled side", tiled, element_bytes(layout, box));
    Coord extent;
    for (Axis a : all_axes)
        if (__builtin_add_overflow(box.from[a], box.extent[a], &extent[a])) throw Error(beyond_32_bits);
    if (const char* why = why_not_one_to_one(layout, extent))
        throw Error(fmt::format("the layout has no room for the image: {}", why));
    // Finding the last element's byte takes a third of the time of a small image.
    if (tiled < end_of_tiles(layout, extent)) check_size("the tiled side", tiled, tiled_bytes(layout, box));
    check_size("the side of the rows", rows, rows_bytes(layout.pattern.element, box.extent, pitch));
    return full_pitch(layout.pattern.element, box.extent, pitch);
}

}  // namespace

void detile(const Layout& layout, const Box& box, std::span<const std::byte> tiled, std::span<std::byte> rows,
            Pitch pitch) {
    pitch = checked_pitch(layout, box, pitch, tiled.size(), rows.size());
    convert_box(conversion_of(layout, box, pitch, ConvertDirection::detile, rows.data()), tiled.data(), rows.data());
}

void tile(const Layout& layout, const Box& box, std::span<const std::byte> rows, std::span<std::byte> tiled,
          Pitch pitch) {
    pitch = checked_pitch(layout, box, pitch, tiled.size(), rows.size());
    convert_box(conversion_of(layout, box, pitch, ConvertDirection::tile, tiled.data()), rows.data(), tiled.data());
}

}  // namespace tilewise
