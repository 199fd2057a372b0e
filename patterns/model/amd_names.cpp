// AMD's swizzle modes, GFX9 to GFX12. Source: the names and tables of AMD's address library, as published in Mesa. All
// share one plan:
//
//   RGBA8 on Navi 21, address bits from the right
//   4KB_D_X     x4 y4 x3 y3   y2 x2 y1 y0 x1 x0  .  .     G: 8: tx1, 9: ty1, 10: tx0, 11: ty0
//   64KB_R_X    .. y5 x4^y4 y4   y2 x2 y1 y0 x1 x0  .  .     then x3, y3 and more, up to 64 KiB
//                              `- 256 bytes: S, D or Z -'
//
// - The letter is that of the block of 256 bytes: S standard, D display, Z Morton (depth), S3 with z.
// - After the block, S and D continue with bits of y and x in turn. _X: memory channels are chosen by an XOR with the
//   bits of larger blocks.
// - R, and Z with _X, put the channels' bits (y4, x4^y4 ..) next to the block, so the order differs.
// RDNA3 made R and Z one mode, and made D's block Morton except for bytes. GFX12 has that D, without XOR, and calls
// it 2D.
#include "patterns/model/bits.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/equation_text.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "patterns/modes/amd_equations.h"
#include "patterns/modes/defined_modes.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

namespace {

struct Block {
    uint32_t element_bytes;
    const char* rows;   ///< for the address bits from the element's up to bit 7
    const char* name;   ///< of the mode in the plain order: "D"; empty if there is none
    const char* moved;  ///< of the mode with the channels' bits next to the block: "R"
};
constexpr const char* rdna3 = "D (GFX12: 2D)";
constexpr Block blocks[] = {
    {1, "x0 x1 x2 x3 y0 y1 y2 y3", "S", "R"},
    {1, "x0 x1 x2 y1 y0 y2 x3 y3", "D", "R"},
    {1, "x0 x1 x2 y1 y0 y2 x3 y4", "", "R"},  // Navi 10
    {1, "x0 x1 y0 x2 y1 y2 x3 y3", rdna3, "R"},
    {1, "x0 y0 x1 y1 x2 y2 x3 y3", "Z", "Z"},
    {1, "x0 y0 x1 y1 x2 y2 x3 y4", "", "Z"},
    {2, "x0 x1 x2 y0 y1 y2 x3", "S or D", "R"},
    {2, "x0 y0 x1 y1 x2 y2 x3", rdna3, "Z (RDNA3: R)"},
    {4, "x0 x1 y0 y1 y2 x2", "S (RDNA1: or D)", "R"},
    {4, "x0 x1 y0 y1 x2 y2", "D", "R"},
    {4, "x0 y0 x1 y1 x2 y2", rdna3, "Z (RDNA3: R)"},
    {8, "x0 y0 y1 x1 x2", "S", ""},
    {8, "x0 y0 x1 x2 y1", rdna3, "R"},
    {8, "x0 y0 x1 y1 x2", "Z", "Z"},
    {16, "y0 y1 x0 x1", "S", ""},
    {16, "x0 y0 x1 y1", rdna3, "R or Z"},
    {1, "x0 x1 z0 y0 z1 y1 x2 z2", "S3", ""},
    {2, "x0 z0 y0 z1 y1 x1 z2", "S3", ""},
    {4, "x0 y0 z0 y1 x1 z1", "S3", ""},
    {8, "x0 z0 y0 x1 z1", "S3", ""},
    {16, "z0 y0 x0 z1", "S3", ""},
    {1, "x0 x1 z0 y0 y1 z1 x2 z2", "S3 (GFX12: 3D)", ""},
    {2, "x0 z0 y0 x1 z1 y1 z2", "S3 (GFX12: 3D)", ""},
    {4, "x0 y0 x1 z0 y1 z1", "S3 (GFX12: 3D)", ""},
    {8, "x0 y0 z0 x1 z1", "S3 (GFX12: 3D)", ""},
    {16, "x0 z0 y0 z1", "S3 (GFX12: 3D)", ""},
};
constexpr unsigned block_bits = 8;

bool contains(const LinearMap& map, unsigned row, Axis axis, unsigned bit) {
    const std::vector<uint64_t>& columns = map.columns[axis];
    return bit < columns.size() && (columns[bit] >> row & 1) != 0;
}

/// y and x in turn after the block, each with its XOR or alone.
bool goes_on_in_turns(const Pattern& pattern, const std::string& block) {
    unsigned next[] = {0, 0};
    for (const std::string& bit : split(block, ' ')) next[bit[0] == 'x' ? axis_x : axis_y]++;
    const unsigned bits = log2_exact(pattern.tile_bytes);
    Axis axis =
        pattern.element.bytes == 2 || pattern.element.bytes == 8 || next[axis_y] <= next[axis_x] ? axis_y : axis_x;
    for (unsigned row = block_bits; row < bits; ++row) {
        if (!contains(pattern.equation, row, axis, next[axis]++)) return false;
        axis = axis == axis_x ? axis_y : axis_x;
    }
    return true;
}

/// The rows for the address bits from the element's up to bit 7 or to the tile's last one.
std::string rows_of_block(const Pattern& pattern) {
    std::string rows;
    for (unsigned row = log2_exact(pattern.element.bytes); row < block_bits && uint64_t{1} << row < pattern.tile_bytes;
         ++row)
        rows += (rows.empty() ? "" : " ") + equation_row(pattern.equation, row);
    return rows;
}

bool has_xors(const Pattern& pattern) {
    if (!pattern.outer_xor.is_zero() || !pattern.index_xor.is_zero()) return true;
    for (unsigned row = 0; uint64_t{1} << row < pattern.tile_bytes; ++row)
        if (equation_row(pattern.equation, row).find('^') != std::string::npos) return true;
    return false;
}

/// A pattern of large images in a mode, and the modifier for it.
struct NumberedPattern {
    Pattern pattern;
    std::string modifier;
};

const std::vector<NumberedPattern>& numbered_patterns() {
    static const std::vector<NumberedPattern> all = [] {
        std::vector<NumberedPattern> made;
        for (const AmdEquation& each : amd_equations()) {
            if (each.chips.empty()) continue;
            const uint64_t number = uint64_t{2} << 56 | each.version | each.tile << 8 | uint64_t{each.pipes} << 21 |
                                    uint64_t{each.packers} << 27;
            made.push_back(
                {layout_by_equation(each.equation, {each.element_bytes, 1, 1}).pattern, decode_modifier(number).name});
        }
        // drm_fourcc.h: one mode, the same for every chip configuration; GFX12's 2D is GFX11's D.
        for (const auto& [mode, modifier] :
             {std::pair{"64KB_S", "AMD(TILE_VERSION=GFX9,TILE=64KB_S)"},
              std::pair{"64KB_D", "AMD(TILE_VERSION=GFX12,TILE=64KB_2D) or AMD(TILE_VERSION=GFX11,TILE=64KB_D)"},
              std::pair{"4KB_D", "AMD(TILE_VERSION=GFX12,TILE=4KB_2D)"},
              std::pair{"256KB_2D", "AMD(TILE_VERSION=GFX12,TILE=256KB_2D)"}})
            for (const uint32_t bytes : {1U, 2U, 4U, 8U, 16U})
                made.push_back({defined_layout({mode, {}}, {bytes, 1, 1}).pattern, modifier});
        return made;
    }();
    return all;
}

/// Whether a smaller image in the mode of `whole` has that pattern: it shows only XORs of the tiles that it has.
bool is_of_fewer_tiles(const Pattern& seen, const Pattern& whole) {
    if (seen.element.bytes != whole.element.bytes || seen.tile != whole.tile || seen.tile_bytes != whole.tile_bytes ||
        seen.equation != whole.equation || seen.index_xor != whole.index_xor)
        return false;
    for (const Axis a : all_axes) {
        const gf2::Columns &part = seen.outer_xor.columns[a], &all = whole.outer_xor.columns[a];
        for (size_t bit = 0; bit < part.size(); bit++)
            if (part[bit] != 0 && (bit >= all.size() || part[bit] != all[bit])) return false;
    }
    return true;
}

/// The modifiers that the pattern may have: chips of several address configurations share some. Empty if more than a
/// few have it, as for a small image.
std::string modifiers_of(const Pattern& pattern) {
    constexpr size_t most = 3;
    std::vector<std::string> names;
    for (const auto& [whole, modifier] : numbered_patterns())
        if (is_of_fewer_tiles(pattern, whole)) names.push_back(modifier);
    return names.size() > most ? "" : fmt::format("{}", fmt::join(names, " or "));
}

}  // namespace

Mode amd_mode(const Pattern& pattern) {
    const bool xors = has_xors(pattern);
    // A block alone belongs to several modes, also of other vendors.
    if (pattern.tile_bytes < uint64_t{1} << block_bits || (pattern.tile_bytes == uint64_t{1} << block_bits && !xors))
        return {};
    const std::string rows = rows_of_block(pattern);
    for (const Block& block : blocks) {
        if (block.element_bytes != pattern.element.bytes || rows != block.rows) continue;
        const bool deep = rows.find('z') != std::string::npos;
        const bool moved = !deep && !goes_on_in_turns(pattern, rows);
        const std::string letter = moved ? block.moved : block.name;
        // The XOR decides whether bits are moved.
        if (letter.empty() || (moved && !xors)) return {};
        // Modes of 4 KiB have no R and no Z_X.
        const char* size = pattern.tile_bytes > 65536 ? "256KB" : moved || pattern.tile_bytes > 4096 ? "64KB" : "4KB";
        const size_t end = std::min(letter.find(' '), letter.size());
        std::string name = fmt::format("AMD {}_{}{}", size, letter.substr(0, end), xors ? "_X" : "");
        if (!xors || letter.find("GFX12") == std::string::npos) name += letter.substr(end);
        if (name.starts_with("AMD 64KB_S") && !deep && !xors)
            name = "AMD 64KB_S, the standard swizzle of Vulkan and D3D12";
        return {name, "", modifiers_of(pattern)};
    }
    return {};
}

bool begins_amd_block(const Pattern& pattern) {
    const std::string rows = rows_of_block(pattern);
    return std::ranges::any_of(blocks, [&](const Block& block) {
        return block.element_bytes == pattern.element.bytes && is_corner_of(rows, block.rows);
    });
}

}  // namespace tilewise
