// Sources: drm_fourcc.h and Mesa's nil, isl, ail and panfrost. Most tilings are defined on bytes: if x counts bytes,
// their rows are the same for every element size.
//
//   NVIDIA block-linear, RGBA8, 16 GOBs high
//   bit         12  11  10   9   8   7   6   5   4   3   2   1   0
//   elements    y6  y5  y4  y3  x3  y2  x2  y1  y0  x1  x0   .   .
//   bytes       y6  y5  y4  y3  x5  y2  x4  y1  y0  x3  x2  x1  x0     rows_of_bytes(), from the right
//                `--GOBs--'      `------------- a GOB -------------'
#include "patterns/model/names.h"
#include "patterns/model/bits.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <string_view>

namespace tilewise {

namespace {

/// The rows of the equation from address bit 0 (bytes) up, separated by blanks: "x0 x1 x2^y0 ..".
std::string rows_of_bytes(const Pattern& pattern) {
    LinearMap map = pattern.equation;
    auto& [x, y, z, s] = map.columns;
    // Two samples lie like two texels side by side, four like a square of texels.
    if (!s.empty()) x.insert(x.begin(), s[0]);
    if (s.size() == 2) y.insert(y.begin(), s[1]);
    if (s.size() <= 2) s.clear();
    for (unsigned bit = log2_exact(pattern.element.bytes); bit-- > 0;) x.insert(x.begin(), uint64_t{1} << bit);
    std::string text;
    for (unsigned bit = 0; uint64_t{1} << bit < pattern.tile_bytes; ++bit)
        text += fmt::format("{}{}", bit > 0 ? " " : "", equation_row(map, bit));
    return text;
}

/// The differences between NVIDIA's families: a GOB's 512 bytes, and the fields of their modifiers.
struct Gob {
    const char* rows;
    const char* family;
    const char* fields;  ///< c, s, g and k of NVIDIA_BLOCK_LINEAR_2D
};
constexpr Gob gobs[] = {
    {"x0 x1 x2 x3 y0 y1 x4 y2 x5", "Turing and later", "0,1,2,0x06"},
    {"x0 x1 x2 x3 y0 x4^y1 x4^y2 y2 x5", "Fermi to Volta", "0,1,0,0xfe"},
    {"x0 x1 x2 x3 y0 x4 y1 y2 x5", "Tegra K1 to X2", "0,0,0,0xfe"},
    {"x0 x1 x2 y0 y1 y2 x3 x4 x5", "Blackwell, elements of a byte", "0,2,2,0x06"},
    {"x0 x1 x2 x3 y0 y1 y2 x4 x5", "elements of two bytes: Blackwell, or depth", "0,3,2,0x06"},
};

/// Removes " y3 y4 .." from the front of `rows`, successive bits of the axis; returns how many there were.
unsigned take_bits(std::string_view& rows, char axis, unsigned first) {
    unsigned count = 0;
    for (;; ++count) {
        const std::string next = fmt::format(" {}{}", axis, first + count);
        if (!rows.starts_with(next)) return count;
        rows.remove_prefix(next.size());
    }
}

/// A GOB, then y alone, then z alone. A block as high as its image leaves no row of y: its GOBs are then tiles in
/// column-major order. In blocks of one GOB, and in an image one GOB wide, a tile is the part of a GOB up to where,
/// after the rows of y, only x follows; less than 256 bytes are not specific to NVIDIA.
Mode nvidia_mode(std::string_view rows, const Gob& gob, const Pattern& pattern) {
    constexpr unsigned gob_rows_bits = 3;
    constexpr uint64_t smallest_part = 256;
    const auto named = [&](const std::string& size, const std::string& height) {
        return Mode{fmt::format("NVIDIA block-linear ({})", gob.family), size,
                    fmt::format("NVIDIA_BLOCK_LINEAR_2D({},{})", gob.fields, height)};
    };
    const std::string_view part = std::string_view(gob.rows).substr(0, rows.size());
    if (rows == part && part.ends_with("y2") && pattern.tile_bytes >= smallest_part)
        return named("one GOB high or wide", "h");
    if (!rows.starts_with(gob.rows)) return {};
    rows.remove_prefix(std::string_view(gob.rows).size());
    const unsigned high = take_bits(rows, 'y', gob_rows_bits), deep = take_bits(rows, 'z', 0);
    if (!rows.empty()) return {};
    if (high == 0 && deep == 0 && pattern.order[0] == axis_y)
        return named("in blocks at least as high as the image", "h");
    std::string size = fmt::format("{} GOB{} high", 1U << high, high == 0 ? "" : "s");
    if (deep == 0) return named(size, std::to_string(high));
    Mode mode = named(fmt::format("{}, {} deep", size, 1U << deep), "");
    mode.modifier.clear();
    return mode;
}

/// Depth of D32_SFLOAT_S8_UINT, as read from an H100: bit 9 separates it from the stencil, and contains no coordinate
/// bit.
constexpr std::string_view zf32_x24s8 = "x0 x1 x2 x3 y0 y1 y2 x4 y3 0";
constexpr const char* zf32_x24s8_name = "NVIDIA block-linear, depth beside stencil (ZF32_X24S8)";

/// Stencil alone and beside depth, as read from an H100, under the names of NVIDIA's page kinds; elements of one byte.
/// The rows of the depth in between are 0.
struct StencilKind {
    const char* rows;
    const char* kind;
};
constexpr StencilKind stencil_kinds[] = {
    {"x0 x1 x2 y0 y1 x3^y2 x3", "stencil (S8)"},
    {"x0 x1 y0 y1 y2 x2 0 0 y3", "stencil beside depth (ZF32_X24S8)"},
    {"x0 x1 y0 y1 y2 x2 0 0 x3", "stencil beside depth (Z24S8)"},
};
constexpr const char* corner_beside_depth = "x0 x1 y0 y1 y2 x2";

Mode stencil_mode(const std::string& rows, const Pattern& pattern) {
    const auto named = [](const std::string& kind) { return Mode{"NVIDIA block-linear, " + kind, "", ""}; };
    if (pattern.element.bytes != 1) return {};
    for (const StencilKind& kind : stencil_kinds)
        if (rows.starts_with(kind.rows)) return named(kind.kind);
    if (rows == corner_beside_depth) return named("stencil beside depth (Z24S8 or ZF32_X24S8)");
    return {};
}

/// Z-order: bits of x and y in turn, to the end of the tile; `even` is the row of the lower bit in each pair. Tiles may
/// be twice as wide as high.
bool interleaves(const Pattern& pattern, const char* even) {
    const unsigned first = log2_exact(pattern.element.bytes), bits = log2_exact(pattern.tile_bytes);
    if (pattern.tile[axis_z] > 1 || pattern.tile[axis_y] == 1) return false;
    for (unsigned row = first; row < bits; ++row)
        if (equation_row(pattern.equation, row) !=
            fmt::format(fmt::runtime((row - first) % 2 == 0 ? even : "y{}"), (row - first) / 2))
            return false;
    return true;
}

/// Qualcomm's a6xx and later: 256 bytes without XOR, then three rows that choose the memory bank.
bool is_tile6_3(const Pattern& pattern) {
    struct Start {
        const char* rows;
        unsigned x, y;  ///< the bits whose XOR follows
    };
    constexpr Start starts[] = {
        {"x0 y0 x1 y1 x2 x3 x4 y2", 5, 4}, {"x0 y0 x1 y1 x2 x3 x4", 5, 3}, {"x0 y0 x1 y1 x2 x3", 4, 3},
        {"x0 y0 x1 y1 x2", 3, 3},          {"x0 y0 x1 y1", 2, 3},
    };
    const unsigned log2_bytes = log2_exact(pattern.element.bytes);
    if (log2_bytes >= std::size(starts)) return false;
    const Start& start = starts[log2_bytes];
    std::string rows;
    constexpr unsigned first_bank_bit = 8;
    for (unsigned row = log2_bytes; row < first_bank_bit; ++row)
        rows += (rows.empty() ? "" : " ") + equation_row(pattern.equation, row);
    // A tile that is cut short by its image has no such x.
    const bool is_narrow = pattern.tile[axis_x] <= 1u << start.x;
    return rows == start.rows &&
           equation_row(pattern.equation, first_bank_bit) ==
               (is_narrow ? fmt::format("y{}", start.y) : fmt::format("x{}^y{}", start.x, start.y));
}

/// Intel's and AMD's equations, in the form of rows_of_bytes().
constexpr const char* tile_y = "x0 x1 x2 x3 y0 y1 y2 y3 y4";
constexpr const char* tile_x = "x0 x1 x2 x3 x4 x5 x6 x7 x8 y0 y1 y2";
constexpr const char* tile_4 = "x0 x1 x2 x3 y0 y1 x4 x5 y2 x6 y3 y4";
constexpr const char* micro_tile = "x0 x1 x2 x3 y0 x4 y1 y2";
constexpr const char* macro_tile = "x0 x1 x2 y0 x3 y1 x4 y2 x5^x6^y3 ";

/// Broadcom's utiles of 64 bytes, two by two, in columns of four such blocks: for elements of 1, 2, 4, 8 and 16 bytes.
constexpr std::array<const char*, 5> uif = {"x0 x1 x2 y0 y1 y2 x3 y3 x4 x5", "x0 x1 x2 x3 y0 y1 x4 y2 x5 x6",
                                            "x0 x1 x2 x3 y0 y1 x4 y2 x5 x6", "x0 x1 x2 x3 x4 y0 x5 y1 x6 x7",
                                            "x0 x1 x2 x3 x4 y0 x5 y1 x6 x7"};

bool is_uif(const Pattern& pattern, std::string_view rows) {
    const unsigned log2_bytes = log2_exact(pattern.element.bytes);
    return log2_bytes < uif.size() && rows == uif[log2_bytes] && pattern.order[0] == axis_y;
}

/// Whether the pattern is one that small images and small levels show: a corner that several modes have in common.
bool is_common_corner(const Pattern& pattern, std::string_view rows) {
    unsigned modes = begins_amd_block(pattern) ? 1 : 0;
    const auto count = [&](std::string_view block) { modes += is_corner_of(rows, block); };
    for (const Gob& gob : gobs) count(gob.rows);
    for (const StencilKind& kind : stencil_kinds) count(kind.rows);
    for (const char* block : {tile_y, tile_x, tile_4, micro_tile, macro_tile, uif[0], uif[2], uif[4]}) count(block);
    return modes > 1;
}

}  // namespace

bool is_corner_of(std::string_view rows, std::string_view block) {
    const std::vector<std::string> seen = split(rows, ' '), whole = split(block, ' ');
    return seen.size() <= whole.size() && std::ranges::equal(seen, std::span(whole).first(seen.size()),
                                                             [](const std::string& row, const std::string& of_block) {
                                                                 return row == "0" || row == of_block;
                                                             });
}

Mode mode_of(const Pattern& pattern) {
    const bool has_xors_of_tiles = !pattern.outer_xor.is_zero() || !pattern.index_xor.is_zero();
    if (pattern.is_linear() && has_xors_of_tiles) return {};
    if (pattern.is_linear())
        return pattern.order[0] == axis_x ? Mode{"rows in scan order", "", "LINEAR"}
                                          : Mode{"columns in scan order", "", ""};
    if (pattern.counts_elements()) return {};
    const std::string rows = rows_of_bytes(pattern);
    if (is_tile6_3(pattern)) return {"Qualcomm TILE6_3", "", "QCOM_TILED3"};
    if (is_uif(pattern, rows)) return {"Broadcom UIF", "", "BROADCOM_UIF"};
    if (!has_xors_of_tiles) {
        // A Tegra's blocks of one GOB, side by side, look the same.
        if (rows == micro_tile && pattern.order[0] == axis_x)
            return {"AMD 1D_TILED_THIN1 (GFX6 to 8), display micro tile, or NVIDIA block-linear (Tegra K1 to X2)", "",
                    ""};
        for (const Gob& gob : gobs)
            if (Mode mode = nvidia_mode(rows, gob, pattern); !mode.name.empty()) return mode;
        // 128 bytes x 32 rows, in columns of 16 bytes, which continue across the tiles.
        if (rows == tile_y && pattern.order[0] == axis_x) return {"Intel TileY0", "", "I915_FORMAT_MOD_Y_TILED"};
        if (rows == tile_x) return {"Intel TileX", "", "I915_FORMAT_MOD_X_TILED"};
        if (rows == tile_4) return {"Intel Tile4", "", "I915_FORMAT_MOD_4_TILED"};
        constexpr uint64_t agx_page = 16384;
        if (interleaves(pattern, "x{}"))
            return pattern.tile_bytes == agx_page ? Mode{"Z-order (Morton)", "in 16 KiB tiles", "APPLE_GPU_TILED"}
                                                  : Mode{"Z-order (Morton)", "", ""};
        if (interleaves(pattern, "x{0}^y{0}") && pattern.tile[axis_x] == 16)
            return {"Mali 16x16 u-interleaved", "", "ARM_16X16_BLOCK_U_INTERLEAVED"};
        if (Mode mode = stencil_mode(rows, pattern); !mode.name.empty()) return mode;
    }
    if (rows.starts_with(macro_tile)) return {"AMD 2D_TILED_THIN1 (GFX6 to 8)", "", ""};
    if (rows.starts_with(zf32_x24s8)) return {zf32_x24s8_name, "", ""};
    if (Mode mode = amd_mode(pattern); !mode.name.empty()) {
        if (pattern.element.bytes == 4 && zf32_x24s8.starts_with(rows))
            mode.name += fmt::format(" or {}", zf32_x24s8_name);
        return mode;
    }
    constexpr uint64_t largest_corner = 256;
    if (!has_xors_of_tiles && pattern.tile_bytes <= largest_corner && is_common_corner(pattern, rows))
        return {std::string(corner_mode), fmt::format("{} bytes, in which many modes agree", pattern.tile_bytes), ""};
    return {};
}

std::string full_name(const Mode& mode) {
    std::string text = mode.name;
    if (!mode.size.empty()) text += ", " + mode.size;
    if (!mode.modifier.empty()) text += ": " + mode.modifier;
    return text;
}

std::string pattern_name(const Pattern& pattern) { return full_name(mode_of(pattern)); }

std::string_view naming_version() { return TILEWISE_NAMING; }

}  // namespace tilewise
