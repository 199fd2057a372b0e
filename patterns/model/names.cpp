// Sources: drm_fourcc.h and Mesa's nil, isl, ail and panfrost. Most tilings are defined on bytes: for every element size
// the same rows, once x counts bytes.
//
//   NVIDIA block-linear, RGBA8, 16 GOBs high
//   bit         12  11  10   9   8   7   6   5   4   3   2   1   0
//   elements    y6  y5  y4  y3  x3  y2  x2  y1  y0  x1  x0   .   .
//   bytes       y6  y5  y4  y3  x5  y2  x4  y1  y0  x3  x2  x1  x0     rows_of_bytes(), from the right
//                `--GOBs--'      `------------- a GOB -------------'
#include "patterns/model/names.h"
#include "patterns/model/bits.h"
#include "patterns/model/layout_json.h"
#include <fmt/format.h>
#include <string_view>

namespace tilewise {

namespace {

/// The rows of the equation from address bit 0 (bytes) up, blanks between them: "x0 x1 x2^y0 ..".
std::string rows_of_bytes(const Pattern& pattern) {
    LinearMap map = pattern.equation;
    std::vector<uint64_t>& x = map.columns[axis_x];
    for (unsigned bit = log2_exact(pattern.element.bytes); bit-- > 0;) x.insert(x.begin(), uint64_t{1} << bit);
    std::string text;
    for (unsigned bit = 0; uint64_t{1} << bit < pattern.tile_bytes; ++bit)
        text += fmt::format("{}{}", bit > 0 ? " " : "", equation_row(map, bit));
    return text;
}

/// "2 GOBs high" where `rows` is a GOB and then y alone. A block as high as its image leaves no row of y: its GOBs are
/// then tiles in column-major order.
std::string block_height(std::string_view rows, std::string_view gob, const Pattern& pattern) {
    if (!rows.starts_with(gob)) return "";
    rows.remove_prefix(gob.size());
    constexpr unsigned gob_rows_bits = 3;
    unsigned bits = 0;
    for (; !rows.empty(); ++bits) {
        const std::string next = fmt::format(" y{}", gob_rows_bits + bits);
        if (!rows.starts_with(next)) return "";
        rows.remove_prefix(next.size());
    }
    if (bits == 0 && pattern.order[0] == axis_y) return "as many GOBs high as the image";
    return fmt::format("{} GOBs high", 1U << bits);
}

/// Z-order: one bit of x, one of y, as far as the tile goes; `even` is the row of the lower bit of each pair.
bool interleaves(const Pattern& pattern, const char* even) {
    const unsigned element_bits = log2_exact(pattern.element.bytes);
    const unsigned sides = log2_exact(pattern.tile[axis_x]);
    if (pattern.tile[axis_x] != pattern.tile[axis_y] || pattern.tile[axis_z] > 1 || sides == 0) return false;
    for (unsigned bit = 0; bit < sides; ++bit)
        if (equation_row(pattern.equation, element_bits + 2 * bit) != fmt::format(fmt::runtime(even), bit) ||
            equation_row(pattern.equation, element_bits + 2 * bit + 1) != fmt::format("y{}", bit))
            return false;
    return true;
}

}  // namespace

std::string pattern_name(const Pattern& pattern) {
    if (pattern.is_linear()) return "rows in scan order: LINEAR";
    if (pattern.counts_elements() || !pattern.outer_xor.is_zero() || !pattern.index_xor.is_zero()) return "";
    const std::string rows = rows_of_bytes(pattern);
    const std::string turing = block_height(rows, "x0 x1 x2 x3 y0 y1 x4 y2 x5", pattern);
    if (!turing.empty())
        return fmt::format("NVIDIA block-linear (Turing and later), {}: NVIDIA_BLOCK_LINEAR_2D", turing);
    const std::string fermi = block_height(rows, "x0 x1 x2 x3 y0 x4^y1 x4^y2 y2 x5", pattern);
    if (!fermi.empty()) return fmt::format("NVIDIA block-linear (Fermi to Volta), {}: NVIDIA_BLOCK_LINEAR_2D", fermi);
    // 128 bytes x 32 rows, in columns of 16 bytes; these follow one another across the tiles as well.
    if (rows == "x0 x1 x2 x3 y0 y1 y2 y3 y4" && pattern.order[0] == axis_x)
        return "Intel TileY0: I915_FORMAT_MOD_Y_TILED";
    if (rows == "x0 x1 x2 x3 y0 y1 x4 x5 y2 x6 y3 y4") return "Intel Tile4: I915_FORMAT_MOD_4_TILED";
    constexpr uint64_t agx_page = 16384;
    if (interleaves(pattern, "x{}"))
        return pattern.tile_bytes == agx_page ? "Z-order in 16 KiB tiles: APPLE_TWIDDLED" : "Z-order (Morton)";
    if (interleaves(pattern, "x{0}^y{0}") && pattern.tile[axis_x] == 16)
        return "Mali 16x16 u-interleaved: ARM_16X16_BLOCK_U_INTERLEAVED";
    return "";
}

}  // namespace tilewise
