#include "tests/support/random_layout.h"
#include "patterns/model/bits.h"
#include "patterns/model/gf2.h"
#include <algorithm>
#include <bit>

namespace tilewise {

namespace {

uint64_t below(std::mt19937_64& random, uint64_t limit) {
    return std::uniform_int_distribution<uint64_t>(0, limit - 1)(random);
}
bool one_in(std::mt19937_64& random, uint64_t n) { return below(random, n) == 0; }

std::vector<uint64_t> invertible_columns(std::mt19937_64& random, unsigned bits) {
    std::vector<uint64_t> columns(bits);
    do
        for (uint64_t& column : columns) column = below(random, uint64_t{1} << bits);
    while (!gf2::is_injective(columns));
    return columns;
}

}  // namespace

RandomImage random_image(std::mt19937_64& random) {
    RandomImage image;
    Layout& layout = image.layout;
    Pattern& pattern = layout.pattern;
    constexpr std::array<uint32_t, 8> element_bytes = {1, 2, 4, 8, 16, 12, 3, 6};
    pattern.element.bytes = element_bytes[below(random, element_bytes.size())];
    const bool three_d = one_in(random, 4);
    unsigned bits = 0;
    std::array<unsigned, axis_count> log2{};
    for (Axis a : {axis_x, axis_y, axis_z}) {
        if (a == axis_z && !three_d) continue;
        log2[a] = static_cast<unsigned>(below(random, a == axis_z ? 3 : 5));
        pattern.tile[a] = uint32_t{1} << log2[a];
        bits += log2[a];
        uint64_t tiles = 1 + below(random, a == axis_z ? 3 : 6);
        image.extent[a] = static_cast<uint32_t>(1 + below(random, tiles * pattern.tile[a]));
        if (one_in(random, 2)) image.extent[a] = static_cast<uint32_t>(tiles * pattern.tile[a]);
    }
    pattern.tile_bytes = uint64_t{pattern.element.bytes} << bits;
    const unsigned byte_bits = log2_exact(pattern.element.bytes / pattern.offset_unit());

    std::vector<uint64_t> columns = invertible_columns(random, bits);
    for (Axis a : all_axes)
        for (unsigned j = 0; j < log2[a]; j++) {
            pattern.equation.columns[a].push_back(columns.back() << byte_bits);
            columns.pop_back();
        }

    const bool with_outer_xor = one_in(random, 3) && bits > 0, with_index_xor = one_in(random, 4);
    std::array<Axis, axis_count> by_stride = all_axes;
    std::shuffle(by_stride.begin(), by_stride.end(), random);
    uint64_t span = pattern.tile_bytes;
    bool innermost = true;
    unsigned changed_bits = 0;
    for (Axis a : by_stride) {
        const uint64_t last_tile = (image.extent[a] - 1) / pattern.tile[a];
        if (last_tile == 0) continue;
        const unsigned tile_bits = static_cast<unsigned>(std::bit_width(last_tile));
        const bool source = with_index_xor && !innermost;
        if (source) changed_bits += static_cast<unsigned>(1 + below(random, changed_bits == 0 ? 3 : 1));
        uint64_t step = bits == 0 && !with_index_xor ? 1 : pattern.tile_bytes << changed_bits;
        if (step == 1 && !pattern.counts_elements()) step = pattern.element.bytes;
        uint64_t stride = round_up(span, step);
        if (one_in(random, 2)) stride += step * below(random, 5);
        layout.stride[a] = stride;
        if (source) span = round_up(span, step);
        span += stride * last_tile;
        for (unsigned j = 0; j < tile_bits; j++) {
            if (source) pattern.index_xor.columns[a].push_back(below(random, uint64_t{1} << changed_bits));
            if (with_outer_xor) pattern.outer_xor.columns[a].push_back(below(random, uint64_t{1} << bits) << byte_bits);
        }
        innermost = false;
    }

    if (one_in(random, 3)) layout.constant = below(random, uint64_t{1} << bits) << byte_bits;
    if (one_in(random, 2)) layout.base = below(random, 1000) * pattern.tile_bytes;
    return image;
}

RandomImage with_holes(RandomImage image, std::mt19937_64& random) {
    Layout& layout = image.layout;
    Pattern& pattern = layout.pattern;
    const unsigned byte_bits = log2_exact(pattern.element.bytes / pattern.offset_unit());
    for (uint64_t n = below(random, 4); n > 0 && !pattern.is_linear(); n--) {
        const unsigned bits = log2_exact(pattern.tile_bytes / pattern.offset_unit());
        const auto hole = static_cast<unsigned>(byte_bits + below(random, bits - byte_bits + 1));
        const bool repeats = one_in(random, 3) && bits > byte_bits;
        const uint64_t repeated = byte_bits + below(random, std::max(bits - byte_bits, 1u));
        const auto widened = [&](uint64_t offset) {
            const uint64_t low = offset & ((uint64_t{1} << hole) - 1), copy = repeats ? offset >> repeated & 1 : 0;
            return low | copy << hole | (offset ^ low) << 1;
        };
        for (Axis a : all_axes) {
            for (uint64_t& column : pattern.equation.columns[a]) column = widened(column);
            for (uint64_t& column : pattern.outer_xor.columns[a]) column = widened(column);
            layout.stride[a] *= 2;
        }
        layout.constant = widened(layout.constant) ^ below(random, 2) << hole;
        layout.base *= 2;
        pattern.tile_bytes *= 2;
    }
    return image;
}

Table table_of(const RandomImage& image) {
    Table table;
    table.element = image.layout.pattern.element;
    table.extent = image.extent;
    for (uint64_t i = 0; i < element_count(image.extent); i++)
        table.offsets.push_back(offset_of(image.layout, element_at_index(image.extent, i)));
    return table;
}

}  // namespace tilewise
