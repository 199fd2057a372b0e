// The policy: how many invocations a workgroup has and which shape, as data, each row with the measurements that it rests on.
// patterns/remap/workgroup.h applies it; docs/remap.md explains it.
#pragma once
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

/// Texels that an invocation of a tall or wide box may read, the halo shared out. At radius 16 with 128 invocations 8x16 (15
/// texels) is within 0.3% of the best, and for RGBA16F 2x64 (25.5) 1.5% behind: docs/results/nvidia-h200.md.
constexpr uint32_t max_texels_read = 16;
/// Likewise where a pass reads a line: at least so many, and one for each so many texels of the line.
constexpr uint32_t line_texels_read = 3, line_texels_for_one = 4;
constexpr uint32_t most_texels_read(Neighbourhood reads, uint32_t radius) {
    if (reads == Neighbourhood::square) return max_texels_read;
    const uint32_t by_length = (2 * radius + 1) / line_texels_for_one;
    return by_length > line_texels_read ? by_length : line_texels_read;
}

/// A tall box covers at most so many times the rows of an image whose extent is known, where a lower and wider one covers fewer;
/// of larger workgroups than the default the height is worth it. At 1920x1080 boxes of 128 rows, which cover 1,152, were 7 to 8%
/// behind for RGBA16F at radius 1, those of 64 up to 3.4%: docs/results/nvidia-h100.md, sizes.json beside it.
constexpr double most_rows_covered = 1.05;

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
     "(docs/results/nvidia-h200.md, nvidia-h100.md)"},
    {64, Neighbourhood::square, 0, "256 being slower than 128 at radius 16 (docs/results/nvidia-h200.md)"},
    // For RGBA8 and RGBA16F memory order in such workgroups is 0.2% faster to 2.2% slower: they keep 256.
    {512, Neighbourhood::square, 2 * sector_bytes,
     "RGBA32F at radius 3 and 4 (docs/results/nvidia-h100.md, registers.json beside it)"},
    {1024, Neighbourhood::square, 2 * sector_bytes,
     "RGBA32F at radius 2 (docs/results/nvidia-h100.md, registers.json beside it)"},
    {512, Neighbourhood::lines, sector_bytes,
     "direct Gaussian filters of RGBA16F at radius 3 and 4, and RGBA32F (docs/results/nvidia-h100.md)"},
    {1024, Neighbourhood::lines, 2 * sector_bytes,
     "direct Gaussian and bilateral filters of RGBA32F at radius 8 and 16 (docs/results/nvidia-h100.md)"},
};

/// Where lines are read: an invocation that takes no more registers than KnownDevice::registers_for_all leaves no other waiting
/// for them. Of numbers with so few that one is taken, from the default up, whose box is as tall as the tile; the default
/// where no box is. Where all numbers take more it is the smallest: what is over soonest makes room soonest.
/// Where that was not measured it is taken to be what it is on an H100 and an H200: 65,536 registers for 2,048 invocations.
constexpr uint32_t assumed_registers_for_all = 32;

/// Where squares are read: of numbers with as few registers, the smallest workgroup that the device starts fast enough, if
/// that was measured. Its slots are free again sooner, for the next one. Starting all of them may take that share of the
/// time in which the device can fetch all their texels, and they have so many invocations at least.
constexpr double share_of_starting = 0.25;
constexpr uint32_t least_invocations = 128;
constexpr const char* starting_source =
    "RGBA8 and RGBA16F at radius 3 and 4, 0.4 to 0.9% faster than 256 (docs/remap.md, docs/results/nvidia-h100.md)";

/// The shape for a number of invocations; of the rules that apply, the last one counts.
struct ShapeRule {
    std::optional<Neighbourhood> reads;  ///< none: whatever it is
    bool along_rows;                     ///< only where workgroups launch along the rows of their grid
    uint32_t min_radius;                 ///< of the kernel: without one no neighbours share texels
    uint32_t min_invocations;            ///< of the workgroup
    WorkgroupShape shape;
    const char* source;
};
constexpr ShapeRule shape_rules[] = {
    {{}, false, 0, 1, WorkgroupShape::compact, "the fewest texels read; nothing else is known to be better"},
    // Neighbours along x read their common texels at the same time, those above one another a row of workgroups later.
    {Neighbourhood::square, true, 1, 1, WorkgroupShape::tall,
     "17 of 18 cells within 0.81% of the best found on an H200 (docs/results/nvidia-h200.md)"},
    // In workgroups of that size tall boxes lose, except at radius 1.
    {Neighbourhood::square, true, 1, 512, WorkgroupShape::wide,
     "RGBA32F at radius 2 to 4, 0.2 to 2.4% faster than tall boxes of 256 (docs/results/nvidia-h200.md, "
     "nvidia-h100.md)"},
    {Neighbourhood::lines, true, 1, 1, WorkgroupShape::tall,
     "direct Gaussian and bilateral filters of radius 1 to 16 (docs/results/nvidia-h100.md, lines.json beside it)"},
};

}  // namespace tilewise
