#include "patterns/snippet/tile_layout.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/snippet/function.h"
#include <fmt/format.h>

namespace tilewise {

gf2::Columns element_columns(const Pattern& pattern, Axis axis) {
    gf2::Columns columns = columns_within(pattern, axis);
    if (!pattern.counts_elements())
        for (uint64_t& column : columns) column >>= log2_exact(pattern.element.bytes);
    return columns;
}

unsigned element_bits(const Pattern& pattern) {
    return static_cast<unsigned>(std::bit_width(pattern.tile_bytes / pattern.element.bytes - 1));
}

void require_tile_layout(const Layout& layout, const char* library) {
    const auto refuse = [&](const std::string& why) {
        throw Error(fmt::format("not expressible in {}: {}", library, why));
    };
    const Pattern& pattern = layout.pattern;
    if (pattern.is_linear())
        refuse("the pattern is linear, rows in scan order: there is no tile, and a row's length is the image's");
    if (element_bits(pattern) >= 31) refuse("a tile has 2^31 elements or more");
    if (!pattern.index_xor.is_zero())
        refuse(
            "bits of the tile's coordinates are XORed into its index (F), and a layout is of one tile; take --lang "
            "c-pdep");
    if (layout.constant != 0)
        refuse(fmt::format(
            "the constant {:#x} is XORed into each offset, and a layout takes (0, 0) to 0; take --lang c-pdep",
            layout.constant));
}

}  // namespace tilewise
