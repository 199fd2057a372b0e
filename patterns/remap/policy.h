// The policy: how many invocations a workgroup has, and in which shape. It is data; each row names the measurements
// that it rests on. patterns/remap/workgroup.h applies the policy; docs/remap.md explains it.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace tilewise {

enum class WorkgroupShape {
    compact,  ///< the fewest texels read, halo included; another shape only if it touches fewer segments
    tall,     ///< the tallest in the tile that touches no more segments of 32 and 64 bytes; compact if there is none
    wide,     ///< the widest in which a subgroup covers memory without a gap; tall if there is none
};

/// The texels that a kernel reads within its radius.
enum class Neighbourhood {
    square,  ///< all of them at once
    lines,   ///< a line along one axis in each of its passes; one result per invocation
};

constexpr uint32_t default_invocations = 256;  ///< of a workgroup
constexpr uint32_t default_subgroup_size = 32;

/// How many texels an invocation of a tall or wide box may read, its share of the halo included. RGBA16F with 128
/// invocations: at radius 8, 2x64 (11.3 texels) is 0.6% behind the best and 4x32 (7.5) 0.3%; at radius 16, 2x64 (25.5)
/// is 1.5% behind and 8x16, the most compact, within 0.5%: docs/results/nvidia-h100/blocks.json,
/// nvidia-h200/blocks.json.
constexpr uint32_t max_texels_read = 10;
/// Where each pass reads a line, an invocation may read `line_texels_read` texels or, if that is more, one for every
/// `line_texels_for_one` texels of the line. In workgroups smaller than the default it is one for every
/// `line_texels_for_one_if_small` (RGBA8 and RGBA16F, bilateral, radius 8 and 16: 4x32 is up to 1.7% faster than 8x16).
constexpr uint32_t line_texels_read = 3, line_texels_for_one = 4, line_texels_for_one_if_small = 3;
/// A box is at most this many times as wide as it is high. RGBA32F at radius 2: 64x16 is the best or within 0.1% of it
/// on both cards; 128x8 is 1.0% behind on an H100 (blocks.json).
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

/// Workgroups may be dispatched in blocks, which are the pattern's tiles (GroupOrderKind::tiles): then vertical
/// neighbours, too, run at nearly the same time. Where squares are read, workgroups whose box takes fewer bytes than
/// this are not dispatched in blocks: RGBA8 with 128 invocations is faster in launch order (0.1 to 0.5% at radius 2 to
/// 4). Nor are wide ones (RGBA32F at radius 2: 3 to 5% slower in blocks). Where lines are read, workgroups with fewer
/// invocations than the default are not (bilateral filters at radius 4: 1.8 to 5% slower). The figures are in
/// blocks.json of both cards in docs/results; see also docs/remap.md.
constexpr uint64_t least_box_bytes_in_blocks = 1024;
/// No blocks are used for an image so small, or of such a shape, that its tiles cover more than this many times its
/// texels: 1920x1080 in tiles 128 rows high is 2 to 4% slower at radius 1. RGBA32F where lines are read is faster even
/// so.
constexpr double most_covered = 1.05;
/// The height of a tall box is at most the tile's height divided by this: by 2 in blocks, since otherwise a tile would
/// hold a single row of boxes; by 4 in blocks at radius 1, and where tiles cover too much.
constexpr uint32_t tile_for_box = 2, tile_for_low_box = 4;

/// A number of invocations that a kernel with a radius may get because of its registers: the fewer registers an
/// invocation takes, the more invocations run at a time. Of numbers with equally many registers the first is taken;
/// where lines are read, the rule below applies.
struct InvocationsRule {
    uint32_t invocations;
    std::optional<Neighbourhood> reads;  ///< none: either
    uint32_t min_quad_bytes;             ///< only if the texels of a 2x2 quad take this many bytes
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
    // For RGBA8 and RGBA16F, memory order in such workgroups is 0.2% faster to 2.2% slower: they keep 256.
    {512, Neighbourhood::square, 2 * sector_bytes,
     "RGBA32F at radius 3 and 4 (docs/results/nvidia-h100-tried.md, registers.json beside it)"},
    {1024, Neighbourhood::square, 2 * sector_bytes,
     "RGBA32F at radius 2 (docs/results/nvidia-h100-tried.md, registers.json beside it)"},
    {512, Neighbourhood::lines, sector_bytes,
     "direct Gaussian filters of RGBA16F at radius 3 and 4, and RGBA32F (docs/results/nvidia-h100-tried.md)"},
    {1024, Neighbourhood::lines, 2 * sector_bytes,
     "direct Gaussian and bilateral filters of RGBA32F at radius 8 and 16 (docs/results/nvidia-h100-tried.md)"},
};

/// Where lines are read: if an invocation takes no more registers than KnownDevice::registers_for_all, no other
/// invocation waits for registers. Of the numbers with so few registers, the first from the default up is taken whose
/// box is as tall as the tile; if no box is, the default. If all numbers take more, the smallest is taken: the
/// workgroup that ends soonest makes room soonest. If registers_for_all was not measured, it is assumed to be as on an
/// H100 and an H200: 65,536 registers for 2,048 invocations.
constexpr uint32_t assumed_registers_for_all = 32;

/// Where squares are read, the smallest workgroup is taken that needs as few registers and that the device starts fast
/// enough, if its starts were measured: its slots are free for the next workgroup sooner. Starting all workgroups may
/// take this share of the time in which the device can fetch all their texels; the share is larger if they may be
/// dispatched in blocks. The workgroups have at least `least_invocations` invocations.
constexpr double share_of_starting = 0.25, share_of_starting_in_blocks = 0.4;
constexpr uint32_t least_invocations = 128;
constexpr const char* starting_source =
    "RGBA8 and RGBA16F at radius 2 to 4, 0.2 to 0.9% faster than 256 (docs/remap.md, "
    "docs/results/nvidia-h100-tried.md)";
/// The number of invocations in blocks at radius 1 if a quad takes exactly one sector. RGBA16F: 4x32 is 0.4 and 0.7%
/// behind the best, 8x32 3.3 and 0.8%.
constexpr uint32_t invocations_of_sector_quads = 128;

/// Where lines are read in blocks or in a small image (which uses the rows for radius 1), the first of a row's numbers
/// is taken if the kernel takes no more than KnownDevice::registers_for_all registers with it, otherwise the last. The
/// last row that applies counts.
struct LineInvocationsRule {
    uint32_t min_quad_bytes;  ///< only if the texels of a 2x2 quad take this many bytes
    uint32_t min_radius;
    std::array<uint32_t, 2> invocations;  ///< 0: there is no second number
};
constexpr LineInvocationsRule line_invocations_in_blocks[] = {
    {0, 1, {default_invocations, 128}},
    {2 * sector_bytes, 1, {default_invocations}},
    {2 * sector_bytes, 3, {512}},
    {2 * sector_bytes, 8, {1024, 512}},
};
constexpr const char* blocks_source =
    "docs/remap.md, \"In blocks\"; docs/results/nvidia-h100/blocks.json and nvidia-h200/blocks.json";

/// The shape for a number of invocations; the last rule that applies counts.
struct ShapeRule {
    std::optional<Neighbourhood> reads;  ///< none: either
    bool along_rows;                     ///< only if workgroups launch along the rows of their grid
    std::optional<bool> in_blocks;       ///< none: either way
    uint32_t min_radius;                 ///< of the kernel: with radius 0, neighbours share no texels
    uint32_t min_invocations;            ///< of the workgroup
    WorkgroupShape shape;
    const char* source;
};
constexpr ShapeRule shape_rules[] = {
    {{}, false, {}, 0, 1, WorkgroupShape::compact, "the fewest texels read; nothing else is known to be better"},
    // Horizontal neighbours read their common texels at the same time, vertical neighbours a row of workgroups later.
    {Neighbourhood::square,
     true,
     {},
     1,
     1,
     WorkgroupShape::tall,
     "36 of 36 box blurs of 4096x4096 within 0.6% of the best found (docs/remap.md, \"In blocks\")"},
    // In workgroups of that size, tall boxes lose, except at radius 1.
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
