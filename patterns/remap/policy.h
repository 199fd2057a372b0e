// The policy: how many invocations a workgroup has and which shape, as data, each row with the measurements that it
// rests on. patterns/remap/workgroup.h applies it; docs/remap.md explains it.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace tilewise {

enum class WorkgroupShape {
    compact,  ///< the fewest texels read with the halo; another shape only where it touches fewer segments
    tall,     ///< the tallest in the tile that touches no more segments of 32 and 64 bytes; compact where there is none
    wide,     ///< the widest in which a subgroup covers memory without a gap; tall where there is none
};

/// The texels that a kernel reads within its radius.
enum class Neighbourhood {
    square,  ///< all of them at once
    lines,   ///< a line along one axis in each of its passes, one result an invocation
};

constexpr uint32_t default_invocations = 256;  ///< of a workgroup
constexpr uint32_t default_subgroup_size = 32;

/// Texels that an invocation of a tall or wide box may read, the halo shared out. RGBA16F with 128 invocations: at
/// radius 8 2x64 (11.3 texels) is 0.6% behind the best and 4x32 (7.5) 0.3%; at radius 16 2x64 (25.5) is 1.5% behind,
/// and 8x16, the most compact, within 0.5%: docs/results/nvidia-h100/blocks.json, nvidia-h200/blocks.json.
constexpr uint32_t max_texels_read = 10;
/// Where a pass reads a line, an invocation may read at least so many, and one for each so many texels of the line,
/// which in workgroups smaller than the default are fewer (RGBA8 and RGBA16F, bilateral, radius 8 and 16: 4x32 is up to
/// 1.7% faster than 8x16).
constexpr uint32_t line_texels_read = 3, line_texels_for_one = 4, line_texels_for_one_if_small = 3;
/// A box is at most so many times as wide as it is high: RGBA32F at radius 2 in 64x16 is the best or within 0.1% of it
/// on both cards, in 128x8 on an H100 1.0% behind (blocks.json).
constexpr uint32_t widest_ratio = 8;
/// Example:
///     assert(most_texels_read(Neighbourhood::square, 16, 256) == max_texels_read);
///     assert(most_texels_read(Neighbourhood::lines, 16, 256) == (2 * 16 + 1) / line_texels_for_one);
constexpr uint32_t most_texels_read(Neighbourhood reads, uint32_t radius, uint32_t invocations) {
    if (reads == Neighbourhood::square) return max_texels_read;
    const uint32_t by_length =
        (2 * radius + 1) / (invocations < default_invocations ? line_texels_for_one_if_small : line_texels_for_one);
    return by_length > line_texels_read ? by_length : line_texels_read;
}

/// Workgroups may be dispatched in blocks, the pattern's tiles (GroupOrderKind::tiles): then neighbours above one
/// another run at nearly the same time, too. Where squares are read, those whose box takes fewer bytes are not: RGBA8
/// in 128 invocations is faster as it is launched (0.1 to 0.5% at radius 2 to 4); nor are wide ones (RGBA32F at radius
/// 2: 3 to 5% slower in blocks). Where lines are read, those of fewer invocations than the default are not (bilateral
/// filters at radius 4: 1.8 to 5% slower). The figures are in blocks.json of both cards in docs/results; docs/remap.md.
constexpr uint64_t least_box_bytes_in_blocks = 1024;
/// There are no blocks where the image is so small, or so shaped, that its tiles cover more than so many times its
/// texels: 1920x1080 in tiles 128 rows high is 2 to 4% slower at radius 1. RGBA32F where lines are read is faster even
/// so.
constexpr double most_covered = 1.05;
/// A tall box is at most so high, in parts of the tile: half of it in blocks, else there would be one row of boxes in a
/// tile; a quarter at radius 1, and where tiles cover too much.
constexpr uint32_t tile_for_box = 2, tile_for_low_box = 4;

/// A number of invocations that a kernel with a radius may get for the sake of its registers: the fewer an invocation
/// takes, the more of them run at a time. Of equal ones the first, or where lines are read what is said below.
struct InvocationsRule {
    uint32_t invocations;
    std::optional<Neighbourhood> reads;  ///< none: whatever it is
    uint32_t min_quad_bytes;             ///< only where the texels of a 2x2 quad take so many
    const char* source;                  ///< "Rests on ..."
};
constexpr uint32_t sector_bytes = 32;
constexpr InvocationsRule invocations_rules[] = {
    {default_invocations, {}, 0, "the default"},
    {128,
     {},
     0,
     "256 being 2.8 to 3.2% slower at radius 16 for box blurs, 4 to 5% at radius 4 for bilateral filters "
     "(docs/results/nvidia-h200-tried.md, nvidia-h100-tried.md)"},
    {64, Neighbourhood::square, 0, "256 being slower than 128 at radius 16 (docs/results/nvidia-h200-tried.md)"},
    // For RGBA8 and RGBA16F memory order in such workgroups is 0.2% faster to 2.2% slower: they keep 256.
    {512, Neighbourhood::square, 2 * sector_bytes,
     "RGBA32F at radius 3 and 4 (docs/results/nvidia-h100-tried.md, registers.json beside it)"},
    {1024, Neighbourhood::square, 2 * sector_bytes,
     "RGBA32F at radius 2 (docs/results/nvidia-h100-tried.md, registers.json beside it)"},
    {512, Neighbourhood::lines, sector_bytes,
     "direct Gaussian filters of RGBA16F at radius 3 and 4, and RGBA32F (docs/results/nvidia-h100-tried.md)"},
    {1024, Neighbourhood::lines, 2 * sector_bytes,
     "direct Gaussian and bilateral filters of RGBA32F at radius 8 and 16 (docs/results/nvidia-h100-tried.md)"},
};

/// Where lines are read, an invocation that takes no more registers than KnownDevice::registers_for_all leaves no other
/// waiting for them. The number with so few is taken, from the default up, whose box is as tall as the tile; the
/// default where no box is. Where all numbers take more it is the smallest: what is over soonest makes room
/// soonest. Where that was not measured it is taken to be what it is on an H100 and an H200: 65,536 registers for 2,048
/// invocations.
constexpr uint32_t assumed_registers_for_all = 32;

/// Where squares are read, the smallest workgroup with as few registers is taken that the device starts fast enough, if
/// that was measured. Its slots are free again sooner, for the next one. Starting all of them may take that share of
/// the time in which the device can fetch all their texels, more where they may be dispatched in blocks, and they have
/// so many invocations at least.
constexpr double share_of_starting = 0.25, share_of_starting_in_blocks = 0.4;
constexpr uint32_t least_invocations = 128;
constexpr const char* starting_source =
    "RGBA8 and RGBA16F at radius 2 to 4, 0.2 to 0.9% faster than 256 (docs/remap.md, "
    "docs/results/nvidia-h100-tried.md)";
/// So many run in blocks at radius 1, where a quad takes just a sector. RGBA16F in 4x32: 0.4 and 0.7% behind the best,
/// 8x32 3.3 and 0.8%.
constexpr uint32_t invocations_of_sector_quads = 128;

/// Where lines are read in blocks, or in a small image (which takes the rows for radius 1), the first of these numbers
/// is taken if the kernel takes no more than KnownDevice::registers_for_all registers in it, else the last; the last
/// row that applies counts.
struct LineInvocationsRule {
    uint32_t min_quad_bytes;  ///< only where the texels of a 2x2 quad take so many
    uint32_t min_radius;
    std::array<uint32_t, 2> invocations;  ///< 0: there is no second one
};
constexpr LineInvocationsRule line_invocations_in_blocks[] = {
    {0, 1, {default_invocations, 128}},
    {2 * sector_bytes, 1, {default_invocations}},
    {2 * sector_bytes, 3, {512}},
    {2 * sector_bytes, 8, {1024, 512}},
};
constexpr const char* blocks_source =
    "docs/remap.md, \"In blocks\"; docs/results/nvidia-h100/blocks.json and nvidia-h200/blocks.json";

/// The shape for a number of invocations; of the rules that apply, the last one counts.
struct ShapeRule {
    std::optional<Neighbourhood> reads;  ///< none: whatever it is
    bool along_rows;                     ///< only where workgroups launch along the rows of their grid
    std::optional<bool> in_blocks;       ///< none: either way
    uint32_t min_radius;                 ///< of the kernel: without one no neighbours share texels
    uint32_t min_invocations;            ///< of the workgroup
    WorkgroupShape shape;
    const char* source;
};
constexpr ShapeRule shape_rules[] = {
    {{}, false, {}, 0, 1, WorkgroupShape::compact, "the fewest texels read; nothing else is known to be better"},
    // Neighbours along x read their common texels at the same time, those above one another a row of workgroups later.
    {Neighbourhood::square,
     true,
     {},
     1,
     1,
     WorkgroupShape::tall,
     "36 of 36 box blurs of 4096x4096 within 0.6% of the best found (docs/remap.md, \"In blocks\")"},
    // In workgroups of that size tall boxes lose, except at radius 1.
    {Neighbourhood::square,
     true,
     {},
     1,
     512,
     WorkgroupShape::wide,
     "RGBA32F at radius 2 to 4, 0.2 to 2.4% faster than tall boxes of 256 (docs/results/nvidia-h200-tried.md, "
     "nvidia-h100-tried.md)"},
    {Neighbourhood::lines, true, false, 1, 1, WorkgroupShape::tall,
     "direct Gaussian and bilateral filters of radius 1 to 16 (docs/results/nvidia-h100-tried.md, lines.json beside "
     "it)"},
    {Neighbourhood::lines, true, true, 1, 1, WorkgroupShape::wide, blocks_source},
    {Neighbourhood::lines, true, true, 3, 1, WorkgroupShape::compact, blocks_source},
    {Neighbourhood::lines, true, true, 1, 512, WorkgroupShape::wide, blocks_source},
};

}  // namespace tilewise
