// The brightest texel of each square of 8x8, where it is brighter than a threshold: a list of such points.
#pragma once
#include "kernels/job.h"
#include "kernels/shader/variant.h"
#include <span>

namespace tilewise::kernels {

/// As in brightest/brightest.glsl.
struct BrightPoint {
    std::array<float, 4> colour = {};
    uint32_t x = 0, y = 0;
    /// The weights are those of Rec. 709.
    float luminance = 0;
    uint32_t unused = 0;
};

/// Texels along a square.
constexpr uint32_t square_side = 8;

/// About half of the whole squares of a random source (random_texels) have a point above it.
float brightest_threshold(Format format);

/// One texel an invocation; of each workgroup of 8x8 one invocation searches, in shared memory.
Job brightest_one_searches(ImagePool& pool, Format format, Size size, const Order& order);

/// A whole square an invocation, nothing shared. The order is one of squares.
Job brightest_whole_square(ImagePool& pool, Format format, Size size, const Order& order);

/// One texel an invocation, then a tree in shared memory.
Job brightest_tree(ImagePool& pool, Format format, Size size, const Order& order);

/// 2x2 texels an invocation, then a tree in shared memory.
Job brightest_quads_tree(ImagePool& pool, Format format, Size size, const Order& order);

/// How squares are dealt out to subgroups.
struct BrightestDeal {
    /// A workgroup has so many.
    uint32_t invocations = 256;
    /// A subgroup reads so many at once.
    uint32_t squares = 4;
    /// So many squares of a workgroup lie side by side, and below one another as many as are left.
    uint32_t along_x = 2;
};
/// One word counts the points in its `count_bits` low bits and the finished workgroups in its high ones. Where the high
/// bits are too few for one workgroup for each of the image's `boxes`, a workgroup takes `count` boxes in turn.
struct TicketRounds {
    uint32_t count = 1;
    uint32_t count_bits = 1;
};
TicketRounds ticket_rounds(Size size, uint32_t boxes);

/// Whether the device has arithmetic in subgroups of up to 64.
bool has_brightest_subgroups(const Context& context);
/// What is left of an order within a square.
Remap square_order(const Remap& remap);

constexpr const char* brightest_subgroups_name = "subgroups";
Variant brightest_subgroups_variant(uint32_t subgroup_size, const BrightestDeal& deal);
/// Whole subgroups search squares; a workgroup appends with one atomic addition. Throws Error where the device has no
/// subgroup arithmetic, or subgroups of more than 64.
Job brightest_subgroups(ImagePool& pool, Format format, Size size, const Order& order, const BrightestDeal& deal = {});

/// All of those that this device allows, in each order. Where the kernel has squares of its own, the order is what is
/// left of it within such a square.
std::vector<Job> brightest_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders);

/// Empty where `points` are those of the squares of `texels`, in any order; else what is wrong with the first square.
/// Colour and luminance are compared within rounding: where two texels of a square are as bright as rounding can tell,
/// either is right. Of texels of the same colour only the first one is, row by row.
std::string wrong_points(const Texels& texels, float threshold, std::span<const BrightPoint> points);

}  // namespace tilewise::kernels
