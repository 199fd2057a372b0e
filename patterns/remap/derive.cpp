// The order of invocations that follows memory.
//
// If strides are powers of two, the whole address is one GF(2)-linear map of the coordinate bits, also beyond the tile.
// The texels of a workgroup's box then span a space V of addresses. A subgroup of 2^s texels spans a subspace S of V,
// which touches 2^r segments of 2^k bytes; r is the dimension of S minus that of the part of S below bit k. So among
// all S, the one spanned by the s vectors with the lowest leading bits in an echelon basis of V touches the fewest
// segments of every size at once: invocation bits take these vectors from the lowest upwards.
//
//   RGBA32F on NVIDIA, box 16x16
//   address bit      14  13  ...   9   8   7   6   5   4   3 - 0
//   moved by         x3  x2       y3  x1  y2  x0  y1  y0   (bytes of the texel)
//   invocation bit    7   6        5   4   3   2   1   0
//
// If the equation XORs, a basis vector is a set of coordinate bits: the set that moves a single address bit, if the box
// has it. This is the inverse of the equation.
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/gf2.h"
#include "patterns/remap/box_order.h"
#include "patterns/remap/lane_matrix.h"
#include "patterns/remap/remap.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <numeric>
#include <tuple>

namespace tilewise {

namespace {

constexpr uint32_t quad_side = 2;
constexpr unsigned axis_bits = 16;  // of the image in which orders are compared: more than any workgroup has

void check(const RemapRequest& request) {
    require_invocations(request.invocations);
    if (!std::has_single_bit(request.subgroup_size))
        throw UsageError(fmt::format("a subgroup of {} lanes: give a power of two", request.subgroup_size));
    if (request.lane_order.empty()) return;
    const unsigned bits = log2_exact(request.invocations);
    const uint64_t used = std::accumulate(request.lane_order.begin(), request.lane_order.end(), uint64_t{0},
                                          [](uint64_t a, uint64_t b) { return a | b; });
    if (request.lane_order.size() != bits || used >= request.invocations)
        throw UsageError(
            fmt::format("the lane order is not one of {} invocations: measure it for that size", request.invocations));
    if (!gf2::is_injective(request.lane_order))
        throw UsageError("the lane order puts two invocations in one lane slot: measure it again");
}

void require_shape(const Coord& shape, const RemapRequest& request) {
    if (element_count(shape) != request.invocations)
        throw UsageError(
            fmt::format("a remap onto {} is not one of {} invocations", shape_text(shape), request.invocations));
}

/// The pattern in an image so large, with sides that are powers of two, that a workgroup is one GF(2)-linear piece of
/// it.
Layout spacious_layout(const Pattern& pattern) {
    Layout layout;
    layout.pattern = pattern;
    uint64_t span = pattern.tile_bytes;
    for (Axis a : pattern.order) {
        layout.stride[a] = span;
        if (a != axis_s) span <<= axis_bits - std::min(axis_bits, log2_exact(pattern.tile[a]));
    }
    return layout;
}

/// Turns steps in the order of lane slots into columns for invocations:
/// texel = steps(lane slot(invocation)).
std::vector<Coord> columns_of(const std::vector<OrderStep>& steps, const std::vector<uint64_t>& lane_order) {
    std::vector<Coord> columns;
    for (size_t bit = 0; bit < steps.size(); bit++) {
        OrderStep step = steps[bit];
        if (!lane_order.empty()) {
            step = {};
            for (size_t slot_bit = 0; slot_bit < steps.size(); slot_bit++)
                if (lane_order[slot_bit] >> bit & 1) step ^= steps[slot_bit];
        }
        columns.push_back(step.at);
    }
    return columns;
}

bool has_depth(const Pattern& pattern) { return pattern.tile[axis_z] > 1; }

/// Texels read by a kernel's workgroup, halo included; for lines, in the pass that reads more.
uint64_t texels_read(const Coord& shape, uint64_t radius, Neighbourhood reads, bool three_d) {
    uint64_t square = 1, longest_line = 0;
    for (const Axis a : {axis_x, axis_y, axis_z}) {
        if (a == axis_z && !three_d) break;
        square *= shape[a] + 2 * radius;
        longest_line = std::max(longest_line, element_count(shape) / shape[a] * (shape[a] + 2 * radius));
    }
    return reads == Neighbourhood::lines ? longest_line : square;
}

/// Segments that each run of `run` lane slots touches, summed over the runs.
uint64_t count_segments(const std::vector<uint64_t>& offsets, size_t run, uint32_t element_bytes, uint64_t segment) {
    uint64_t count = 0;
    for (size_t first = 0; first < offsets.size(); first += run) {
        std::vector<uint64_t> touched;
        for (size_t slot = first; slot < first + run; slot++) {
            const uint64_t last_byte = offsets[slot] + element_bytes - 1;
            for (uint64_t s = offsets[slot] / segment; s <= last_byte / segment; s++) touched.push_back(s);
        }
        std::ranges::sort(touched);
        count += static_cast<uint64_t>(std::unique(touched.begin(), touched.end()) - touched.begin());
    }
    return count;
}

/// The XOR of the steps that the bits of `which` select.
OrderStep sum_of(const std::vector<OrderStep>& steps, uint64_t which) {
    OrderStep sum;
    for (size_t i = 0; i < steps.size(); i++)
        if (which >> i & 1) sum ^= steps[i];
    return sum;
}

/// A basis of the addresses of the box, by rising leading bits; each step moves a single address bit if the box allows
/// it.
std::vector<OrderStep> steps_in(const Layout& layout, const Coord& shape) {
    std::vector<OrderStep> coordinate_steps;
    gf2::Echelon addresses;
    for (Axis a : all_axes)
        for (uint32_t value = 1; value < shape[a]; value <<= 1) {
            OrderStep step;
            step.at[a] = value;
            step.address = offset_of(layout, step.at) / layout.pattern.offset_unit();
            coordinate_steps.push_back(step);
            const gf2::Sum left = addresses.add(step.address);
            if (left.value == 0)
                throw Error(
                    fmt::format("the pattern puts texel {} of a workgroup and its first at one address: its XOR of "
                                "the tile index does not go with the order of its axes; probe a larger image",
                                coordinate_bits(sum_of(coordinate_steps, left.from).at)));
        }
    std::vector<OrderStep> steps;
    const std::vector<gf2::Sum> basis = addresses.basis(), reduced = addresses.reduced_basis();
    for (size_t i = 0; i < basis.size(); i++)
        steps.push_back(
            sum_of(coordinate_steps, std::has_single_bit(reduced[i].value) ? reduced[i].from : basis[i].from));
    return steps;
}

BoxOrder order_in(const Layout& layout, const Coord& shape, const RemapRequest& request) {
    BoxOrder order;
    order.steps = steps_in(layout, shape);
    order.cost = order_cost(layout.pattern, {shape, columns_of(order.steps, request.lane_order)}, request);
    order.cost.name = "learned";
    order.compactness = texels_read(shape, std::max(1U, request.radius), request.reads, has_depth(layout.pattern));
    for (const OrderStep& step : order.steps)
        for (uint32_t bits : step.at) order.terms += static_cast<uint64_t>(std::popcount(bits));
    return order;
}

std::vector<Coord> shapes_of(uint32_t invocations, bool three_d) {
    std::vector<Coord> shapes;
    for (uint32_t depth = 1; depth <= (three_d ? invocations : 1); depth *= 2)
        for (uint32_t height = 1; height <= invocations / depth; height *= 2)
            shapes.push_back({invocations / depth / height, height, depth, 1});
    return shapes;
}

/// Smaller is better: bytes of the segments of each kind, the halo, the XORs, how far the workgroup reaches in memory.
auto merit(const BoxOrder& order) {
    const OrderCost& cost = order.cost;
    const uint64_t bytes =
        cost.segments_32 * 32 + (cost.segments_64 + cost.quad_segments) * 64 + cost.segments_128 * 128;
    const uint64_t reach = order.steps.empty() ? 0 : order.steps.back().address;
    return std::tuple(bytes, order.compactness, order.terms, reach);
}

/// The most texels that a box other than the compact one may read.
uint64_t most_halo(const RemapRequest& request) {
    return uint64_t{request.invocations} * most_texels_read(request.reads, request.radius, request.invocations);
}

/// The tallest box that is taller than the compact one, stays within the tile and the allowed rows, and touches no more
/// segments; null if there is none. Workgroups that follow one another along a row read their common texels at the same
/// time, so a box costs what it reads above and below itself, as long as the caches hold the rest. Segments of 128
/// bytes do not count: more of them did not cost time.
const BoxOrder* tallest_of(const std::vector<BoxOrder>& boxes, const BoxOrder& compact, const Pattern& pattern,
                           const RemapRequest& request) {
    const BoxOrder* tallest = nullptr;
    for (const BoxOrder& box : boxes) {
        const OrderCost& cost = box.cost;
        const Coord& shape = cost.remap.shape;
        const BoxOrder& so_far = tallest ? *tallest : compact;
        const bool within = shape[axis_y] <= std::min(pattern.tile[axis_y], request.max_rows) &&
                            shape[axis_x] >= quad_side &&
                            (cost.halo_texels <= most_halo(request) || box.compactness <= compact.compactness);
        const bool touches_more = cost.segments_32 > compact.cost.segments_32 ||
                                  cost.segments_64 > compact.cost.segments_64 ||
                                  cost.quad_segments > compact.cost.quad_segments;
        if (within && (!touches_more || may_touch_more(request)) && shape[axis_y] > so_far.cost.remap.shape[axis_y])
            tallest = &box;
    }
    return tallest;
}

/// The address bits that one subgroup covers, up to those of the first element's bytes.
uint64_t subgroup_bits(const BoxOrder& order, const Pattern& pattern, const RemapRequest& request) {
    uint64_t covered = pattern.element.bytes / pattern.offset_unit() - 1;
    for (size_t bit = 0; bit < std::min<size_t>(log2_exact(request.subgroup_size), order.steps.size()); bit++)
        covered |= order.steps[bit].address;
    return covered;
}

/// The widest box, at least a quad high and at most widest_ratio times as wide as high, in which a subgroup covers
/// memory without a gap and the halo is no larger than a tall box's may be; null if there is none.
const BoxOrder* widest_of(const std::vector<BoxOrder>& boxes, const Pattern& pattern, const RemapRequest& request) {
    const BoxOrder* widest = nullptr;
    for (const BoxOrder& box : boxes) {
        const Coord& shape = box.cost.remap.shape;
        const bool has_gap = !std::has_single_bit(subgroup_bits(box, pattern, request) + 1);
        const bool within = shape[axis_y] >= quad_side && shape[axis_x] <= widest_ratio * shape[axis_y] &&
                            box.cost.halo_texels <= most_halo(request);
        if (within && !has_gap && (!widest || shape[axis_x] > widest->cost.remap.shape[axis_x])) widest = &box;
    }
    return widest;
}

OrderCost named_cost(const char* name, const Pattern& pattern, const Remap& remap, const RemapRequest& request) {
    OrderCost cost = order_cost(pattern, remap, request);
    cost.name = name;
    return cost;
}

bool rows_are_memory_order(const Pattern& pattern) {
    const auto first = std::ranges::find_if(pattern.order, [](Axis a) { return a == axis_x || a == axis_y; });
    return pattern.is_linear() && *first == axis_x;
}

/// Everything about a choice except the reason for its shape; the orders for comparison get `plain_shape`.
Derivation derivation_of(const BoxOrder& chosen, const std::string& why_shape, const Coord& plain_shape,
                         const Pattern& pattern, const RemapRequest& request) {
    Derivation derivation;
    derivation.request = request;
    derivation.remap = chosen.cost.remap;
    derivation.orders.push_back(named_cost("row", pattern, row_order(plain_shape), request));
    derivation.orders.push_back(named_cost("morton", pattern, morton_order(plain_shape), request));
    if (plain_shape == rdna_order().shape)
        derivation.orders.push_back(named_cost("rdna", pattern, rdna_order(), request));
    derivation.orders.push_back(chosen.cost);
    const uint64_t unit = pattern.offset_unit();
    derivation.subgroup_bits = address_bit_ranges(subgroup_bits(chosen, pattern, request), pattern.tile_bytes / unit);
    if (pattern.counts_elements()) derivation.subgroup_bits += " of the element index";
    derivation.reason =
        why_shape + why_this_order(chosen, pattern, request) + what_it_saves(derivation.orders, request);
    return derivation;
}

void require_tiles(const Pattern& pattern) {
    if (rows_are_memory_order(pattern))
        throw Error(
            "the pattern is linear: row order is already memory order, and no remap can come nearer to it; "
            "let x count fastest in the workgroup");
}

/// The most compact box or, if there is one that touches less and reads at most an eighth more with its halo, that box.
const BoxOrder& compact_of(const std::vector<BoxOrder>& boxes, const BoxOrder& most_compact,
                           const RemapRequest& request) {
    const BoxOrder* chosen = &most_compact;
    for (const BoxOrder& box : boxes) {
        const bool compact_enough = request.radius == 0 || box.compactness * 8 <= most_compact.compactness * 9;
        if (compact_enough && touches_no_more(box.cost, most_compact.cost) && merit(box) < merit(*chosen))
            chosen = &box;
    }
    return *chosen;
}

}  // namespace

void require_invocations(uint32_t invocations) {
    if (!std::has_single_bit(invocations) || invocations > max_workgroup_invocations)
        throw UsageError(fmt::format("a workgroup of {} invocations: give a power of two up to {}", invocations,
                                     max_workgroup_invocations));
}

OrderCost order_cost(const Pattern& pattern, const Remap& remap, const RemapRequest& request) {
    check(request);
    require_shape(remap.shape, request);
    const Layout layout = spacious_layout(pattern);
    std::vector<uint64_t> in_slot(request.invocations);
    for (uint32_t invocation = 0; invocation < request.invocations; invocation++)
        in_slot[request.lane_order.empty() ? invocation : lane_slot_of(request.lane_order, invocation)] =
            offset_of(layout, remap(invocation));

    OrderCost cost{"", remap, 0, 0, 0, 0, texels_read(remap.shape, request.radius, request.reads, has_depth(pattern))};
    const uint32_t bytes = pattern.element.bytes;
    const uint32_t lanes = std::min(request.subgroup_size, request.invocations);
    cost.segments_32 = count_segments(in_slot, lanes, bytes, 32);
    cost.segments_64 = count_segments(in_slot, lanes, bytes, 64);
    cost.segments_128 = count_segments(in_slot, lanes, bytes, 128);
    cost.quad_segments = count_segments(in_slot, std::min(4U, lanes), bytes, 64);
    return cost;
}

Remap memory_order(const Pattern& pattern, const Coord& shape, const LaneMatrix& lane_order) {
    RemapRequest request;
    request.invocations = static_cast<uint32_t>(element_count(shape));
    request.lane_order = lane_order;
    check(request);
    if (rows_are_memory_order(pattern)) return row_order(shape);
    return {shape, columns_of(steps_in(spacious_layout(pattern), shape), lane_order)};
}

Derivation derive_remap(const Pattern& pattern, const RemapRequest& request) {
    check(request);
    require_tiles(pattern);
    const Layout layout = spacious_layout(pattern);
    std::vector<BoxOrder> boxes;
    for (const Coord& shape : shapes_of(request.invocations, has_depth(pattern)))
        boxes.push_back(order_in(layout, shape, request));
    const BoxOrder& most_compact = *std::ranges::min_element(boxes, {}, &BoxOrder::compactness);
    const Coord& plain_shape = most_compact.cost.remap.shape;
    const BoxOrder& compact = compact_of(boxes, most_compact, request);
    const WorkgroupShape wanted = has_depth(pattern) ? WorkgroupShape::compact : request.shape;
    if (wanted == WorkgroupShape::wide)
        if (const BoxOrder* wide = widest_of(boxes, pattern, request))
            return derivation_of(*wide, why_this_wide(*wide, request), plain_shape, pattern, request);
    if (wanted != WorkgroupShape::compact)
        if (const BoxOrder* tall = tallest_of(boxes, compact, pattern, request))
            return derivation_of(*tall, why_this_tall(*tall, compact, request), plain_shape, pattern, request);
    return derivation_of(compact, why_this_shape(compact, most_compact, request), plain_shape, pattern, request);
}

Derivation derive_remap_in(const Pattern& pattern, const Coord& shape, const RemapRequest& request) {
    check(request);
    require_tiles(pattern);
    require_shape(shape, request);
    const BoxOrder order = order_in(spacious_layout(pattern), shape, request);
    return derivation_of(order, why_the_given_shape(order), shape, pattern, request);
}

}  // namespace tilewise
