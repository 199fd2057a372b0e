// The brightest texel of each square of 8x8 that is brighter than a threshold: a list of such points.
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

/// Texels along the side of a square.
constexpr uint32_t square_side = 8;

/// With this threshold, about half of the whole squares of a random source (random_texels) have a point.
float brightest_threshold(Format format);

/// One texel per invocation; in each workgroup of 8x8, one invocation searches shared memory.
Job brightest_one_searches(ImagePool& pool, Format format, Size size, const Order& order);

/// One whole square per invocation, nothing shared. The order is an order of squares.
Job brightest_whole_square(ImagePool& pool, Format format, Size size, const Order& order);

/// One texel per invocation, then a tree reduction in shared memory.
Job brightest_tree(ImagePool& pool, Format format, Size size, const Order& order);

/// 2x2 texels per invocation, then a tree reduction in shared memory.
Job brightest_quads_tree(ImagePool& pool, Format format, Size size, const Order& order);

/// How squares are distributed among subgroups.
struct BrightestDeal {
    /// Invocations of a workgroup.
    uint32_t invocations = 256;
    /// Squares that a subgroup reads at once.
    uint32_t squares = 4;
    /// Squares of a workgroup that lie side by side; the others lie below.
    uint32_t along_x = 2;
};
/// One word counts the points in its `count_bits` low bits and the finished workgroups in its high bits. If the high
/// bits are too few for one workgroup per box of the image, a workgroup takes `count` boxes in turn.
struct TicketRounds {
    uint32_t count = 1;
    uint32_t count_bits = 1;
};
TicketRounds ticket_rounds(Size size, uint32_t boxes);

/// Whether the device has arithmetic in subgroups of up to 64.
bool has_brightest_subgroups(const Context& context);
/// The part of an order that applies within a square.
Remap square_order(const Remap& remap);

constexpr const char* brightest_subgroups_name = "subgroups";
Variant brightest_subgroups_variant(uint32_t subgroup_size, const BrightestDeal& deal);
/// Whole subgroups search squares; a workgroup appends with one atomic addition. Throws Error if the device has no
/// subgroup arithmetic, or subgroups of more than 64.
Job brightest_subgroups(ImagePool& pool, Format format, Size size, const Order& order, const BrightestDeal& deal = {});

/// All of these jobs that this device allows, in each order. If the kernel has squares of its own, only the part of the
/// order within such a square applies.
std::vector<Job> brightest_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders);

/// Empty if `points` are those of the squares of `texels`, in any order; otherwise describes what is wrong with the
/// first square. Colour and luminance are compared within rounding: if two texels of a square are equally bright as far
/// as rounding can tell, either is right. Of texels with the same colour, only the first in row order is right.
std::string wrong_points(const Texels& texels, float threshold, std::span<const BrightPoint> points);

}  // namespace tilewise::kernels
