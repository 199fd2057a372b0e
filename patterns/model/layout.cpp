#include "patterns/model/layout.h"
#include <algorithm>
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tilewise {

uint64_t element_count(const Coord& extent) {
    uint64_t count = 1;
    for (uint32_t n : extent)
        if (__builtin_mul_overflow(count, n, &count)) count = ~uint64_t{0};
    return count;
}

uint64_t element_index(const Coord& extent, const Coord& at) {
    return ((uint64_t{at[axis_s]} * extent[axis_z] + at[axis_z]) * extent[axis_y] + at[axis_y]) * extent[axis_x] +
           at[axis_x];
}

Coord element_at_index(const Coord& extent, uint64_t index) {
    Coord at{};
    for (Axis a : all_axes) {
        at[a] = static_cast<uint32_t>(index % extent[a]);
        index /= extent[a];
    }
    return at;
}

uint64_t LinearMap::axis(Axis a, uint32_t value) const { return gf2::apply(columns[a], value); }

uint64_t LinearMap::operator()(const Coord& coord) const {
    uint64_t result = 0;
    for (Axis a : all_axes) result ^= axis(a, coord[a]);
    return result;
}

bool LinearMap::is_zero() const {
    return std::ranges::all_of(columns, [](const std::vector<uint64_t>& axis_columns) {
        return std::ranges::all_of(axis_columns, [](uint64_t column) { return column == 0; });
    });
}

gf2::Columns LinearMap::all_columns() const {
    gf2::Columns all;
    for (const gf2::Columns& axis_columns : columns) all.insert(all.end(), axis_columns.begin(), axis_columns.end());
    return all;
}

void LinearMap::trim() {
    for (std::vector<uint64_t>& axis_columns : columns)
        while (!axis_columns.empty() && axis_columns.back() == 0) axis_columns.pop_back();
}

namespace {

struct Split {
    Coord tile{}, inner{};
};

Split split(const Pattern& pattern, const Coord& at) {
    Split result;
    for (Axis a : all_axes) {
        result.tile[a] = at[a] / pattern.tile[a];
        result.inner[a] = at[a] % pattern.tile[a];
    }
    return result;
}

uint64_t swapped(uint64_t shift, uint64_t index_xor, uint64_t tile_bytes) {
    return index_xor == 0 ? shift : ((shift / tile_bytes) ^ index_xor) * tile_bytes;
}

}  // namespace

uint64_t offset_of(const Layout& layout, const Coord& at) {
    const Pattern& pattern = layout.pattern;
    auto [tile, inner] = split(pattern, at);
    uint64_t shift = 0;
    for (Axis a : all_axes) shift += tile[a] * layout.stride[a];
    uint64_t within = pattern.equation(inner) ^ pattern.outer_xor(tile) ^ layout.constant;
    return layout.base + swapped(shift, pattern.index_xor(tile), pattern.tile_bytes) + within * pattern.offset_unit();
}

std::optional<Coord> element_of(const Layout& layout, const Coord& extent, uint64_t offset) {
    return ElementFinder(layout, extent)(offset);
}

ElementFinder::ElementFinder(const Layout& layout, const Coord& extent)
    : layout_(layout),
      extent_(extent),
      has_index_xor_(!layout.pattern.index_xor.is_zero()),
      inverse_(gf2::left_inverse(layout.pattern.equation.all_columns())) {
    std::ranges::sort(largest_stride_first_, [&](Axis a, Axis b) { return layout.stride[a] > layout.stride[b]; });
}

/// Finds the tile coordinates with the largest sum of strides that does not exceed `shift`; reduces `shift` to the
/// remainder.
Coord ElementFinder::divide_by_strides(uint64_t& shift) const {
    Coord tile{};
    for (Axis a : largest_stride_first_) {
        const uint64_t stride = layout_.stride[a];
        if (stride == 0) continue;
        const uint64_t last = (extent_[a] - 1) / layout_.pattern.tile[a];
        tile[a] = static_cast<uint32_t>(std::min(shift / stride, last));
        shift -= tile[a] * stride;
    }
    return tile;
}

std::optional<Coord> ElementFinder::operator()(uint64_t offset) const {
    const Pattern& pattern = layout_.pattern;
    if (offset < layout_.base) return std::nullopt;

    uint64_t relative = offset - layout_.base;
    uint64_t rest = relative;
    Coord tile = divide_by_strides(rest);
    if (has_index_xor_) {
        // F reads tile coordinates whose strides are multiples of what it changes. So undoing it gives the outermost
        // axis at once, and then each next one.
        uint64_t index = relative / pattern.tile_bytes;
        rest = relative % pattern.tile_bytes;
        uint64_t index_xor = 0;
        for (unsigned round = 0; round < axis_count; round++) {
            uint64_t shift = (index ^ index_xor) * pattern.tile_bytes;
            tile = divide_by_strides(shift);
            index_xor = pattern.index_xor(tile);
        }
    }

    uint64_t byte_in_element = rest % pattern.element.bytes;
    uint64_t within = (rest - byte_in_element) / pattern.offset_unit() ^ pattern.outer_xor(tile) ^ layout_.constant;
    uint64_t bits = gf2::apply(inverse_, within);

    Coord at{};
    for (Axis a : all_axes) {
        size_t count = pattern.equation.columns[a].size();
        at[a] = tile[a] * pattern.tile[a] + static_cast<uint32_t>(bits & ((uint64_t{1} << count) - 1));
        bits >>= count;
        if (at[a] >= extent_[a]) return std::nullopt;
    }
    return offset_of(layout_, at) == offset - byte_in_element ? std::optional(at) : std::nullopt;
}

std::string pattern_id(const Pattern& pattern) {
    fmt::memory_buffer text;
    auto out = fmt::appender(text);
    fmt::format_to(out, "{} {} {}", pattern.element.bytes, fmt::join(pattern.tile, "x"), pattern.tile_bytes);
    for (Axis a : pattern.order) fmt::format_to(out, " {}", axis_name(a));
    for (LinearMap map : {pattern.equation, pattern.outer_xor, pattern.index_xor}) {
        map.trim();
        for (const std::vector<uint64_t>& columns : map.columns)
            fmt::format_to(out, " [{:x}]", fmt::join(columns, ","));
    }
    return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

AxisTables::AxisTables(const Layout& layout, const Coord& extent)
    : base(layout.base),
      constant(layout.constant),
      unit(layout.pattern.offset_unit()),
      tile_bytes(layout.pattern.tile_bytes),
      has_index_xor(!layout.pattern.index_xor.is_zero()) {
    const Pattern& pattern = layout.pattern;
    for (Axis a : all_axes) {
        shift[a].resize(extent[a]);
        inner[a].resize(extent[a]);
        index[a].resize(extent[a]);
        for (uint32_t v = 0; v < extent[a]; v++) {
            uint32_t tile = v / pattern.tile[a];
            shift[a][v] = tile * layout.stride[a];
            inner[a][v] = pattern.equation.axis(a, v % pattern.tile[a]) ^ pattern.outer_xor.axis(a, tile);
            index[a][v] = pattern.index_xor.axis(a, tile);
        }
    }
}

uint64_t AxisTables::at(const Coord& coord) const {
    uint64_t tiles = 0, inside = constant, index_xor = 0;
    for (Axis a : all_axes) {
        tiles += shift[a][coord[a]];
        inside ^= inner[a][coord[a]];
        index_xor ^= index[a][coord[a]];
    }
    return base + swapped(tiles, index_xor, tile_bytes) + inside * unit;
}

void AxisTables::row(uint32_t y, uint32_t z, uint32_t s, uint64_t* out) const {
    const uint64_t row_shift = shift[axis_y][y] + shift[axis_z][z] + shift[axis_s][s];
    const uint64_t row_inner = inner[axis_y][y] ^ inner[axis_z][z] ^ inner[axis_s][s] ^ constant;
    const uint64_t row_index = index[axis_y][y] ^ index[axis_z][z] ^ index[axis_s][s];
    const uint64_t* x_shift = shift[axis_x].data();
    const uint64_t* x_inner = inner[axis_x].data();
    const size_t width = shift[axis_x].size();
    if (has_index_xor) {
        for (size_t x = 0; x < width; x++)
            out[x] = base + swapped(row_shift + x_shift[x], row_index ^ index[axis_x][x], tile_bytes) +
                     (x_inner[x] ^ row_inner) * unit;
    } else if (unit != 1) {
        for (size_t x = 0; x < width; x++) out[x] = base + row_shift + x_shift[x] + (x_inner[x] ^ row_inner) * unit;
    } else {
        for (size_t x = 0; x < width; x++) out[x] = base + row_shift + x_shift[x] + (x_inner[x] ^ row_inner);
    }
}

}  // namespace tilewise
