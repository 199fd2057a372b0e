// The order of invocations that follows memory.
//
// Where strides are powers of two, the whole address is one GF(2)-linear map of the coordinate bits, beyond the tile, too.
// The texels of a workgroup's box then span a space V of addresses, and a subgroup of 2^s texels a subspace S of it, which
// touches 2^r segments of 2^k bytes, r being the dimension of S less that of the part of S below bit k. So of all S the
// one that holds the s vectors with the lowest leading bits of an echelon basis of V touches the fewest segments of every
// size at once: invocation bits take these vectors from the lowest upwards.
//
//   RGBA32F on NVIDIA, box 16x16
//   address bit      14  13  ...   9   8   7   6   5   4   3 - 0
//   moved by         x3  x2       y3  x1  y2  x0  y1  y0   (bytes of the texel)
//   invocation bit    7   6        5   4   3   2   1   0
//
// Where the equation XORs, a basis vector is a set of coordinate bits: the one that moves a single address bit, if the
// box has it. That is the inverse of the equation.
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/gf2.h"
#include "patterns/remap/lane_matrix.h"
#include "patterns/remap/order_candidate.h"
#include "patterns/remap/remap.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <numeric>
#include <tuple>

namespace tilewise {

namespace {

constexpr uint32_t most_invocations = 4096;
constexpr uint32_t quad_side = 2;
constexpr unsigned axis_bits = 16;  // of the image that orders are weighed in: more than any workgroup has

void check(const RemapRequest& request) {
    if (!std::has_single_bit(request.invocations) || request.invocations > most_invocations)
        throw UsageError(fmt::format("a workgroup of {} invocations: give a power of two up to {}", request.invocations,
                                     most_invocations));
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
        throw UsageError("the lane order puts two invocations in one place: measure it again");
}

/// The pattern in an image so large, with sides that are powers of two, that a workgroup is one GF(2)-linear piece of it.
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

/// Columns that give the steps in the order of places, seen from the invocations: texel = steps(lane order(invocation)).
std::vector<Coord> columns_of(const std::vector<OrderStep>& steps, const std::vector<uint64_t>& lane_order) {
    std::vector<Coord> columns;
    for (size_t bit = 0; bit < steps.size(); bit++) {
        OrderStep step = steps[bit];
        if (!lane_order.empty()) {
            step = {};
            for (size_t place_bit = 0; place_bit < steps.size(); place_bit++)
                if (lane_order[place_bit] >> bit & 1) step ^= steps[place_bit];
        }
        columns.push_back(step.at);
    }
    return columns;
}

bool has_depth(const Pattern& pattern) { return pattern.tile[axis_z] > 1; }

uint64_t texels_read(const Coord& shape, uint64_t radius, bool three_d) {
    uint64_t texels = (shape[axis_x] + 2 * radius) * (shape[axis_y] + 2 * radius);
    return three_d ? texels * (shape[axis_z] + 2 * radius) : texels;
}

/// Segments that each run of so many places touches, summed over the runs.
uint64_t count_segments(const std::vector<uint64_t>& offsets, size_t run, uint32_t element_bytes, uint64_t segment) {
    uint64_t count = 0;
    for (size_t first = 0; first < offsets.size(); first += run) {
        std::vector<uint64_t> touched;
        for (size_t place = first; place < first + run; place++) {
            const uint64_t last_byte = offsets[place] + element_bytes - 1;
            for (uint64_t s = offsets[place] / segment; s <= last_byte / segment; s++) touched.push_back(s);
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

/// A basis of the addresses of the box, by rising leading bits, each step moving one address bit where the box allows it.
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

OrderCandidate candidate_of(const Layout& layout, const Coord& shape, const RemapRequest& request) {
    OrderCandidate candidate;
    candidate.steps = steps_in(layout, shape);
    candidate.cost = order_cost(layout.pattern, {shape, columns_of(candidate.steps, request.lane_order)}, request);
    candidate.cost.name = "learned";
    candidate.compactness = texels_read(shape, std::max(1U, request.radius), has_depth(layout.pattern));
    for (const OrderStep& step : candidate.steps)
        for (uint32_t bits : step.at) candidate.terms += static_cast<uint64_t>(std::popcount(bits));
    return candidate;
}

std::vector<Coord> shapes_of(uint32_t invocations, bool three_d) {
    std::vector<Coord> shapes;
    for (uint32_t depth = 1; depth <= (three_d ? invocations : 1); depth *= 2)
        for (uint32_t height = 1; height <= invocations / depth; height *= 2)
            shapes.push_back({invocations / depth / height, height, depth, 1});
    return shapes;
}

/// Smaller is better: bytes of the segments of each kind, the halo, the XORs, how far the workgroup reaches in memory.
auto merit(const OrderCandidate& candidate) {
    const OrderCost& cost = candidate.cost;
    const uint64_t bytes =
        cost.segments_32 * 32 + (cost.segments_64 + cost.quad_segments) * 64 + cost.segments_128 * 128;
    const uint64_t reach = candidate.steps.empty() ? 0 : candidate.steps.back().address;
    return std::tuple(bytes, candidate.compactness, candidate.terms, reach);
}

/// The tallest box that is taller than the usual one, within the tile, and touches no more segments; null where there is
/// none. Groups that follow one another along a row read their common texels at the same time, so a box costs what it
/// reads above and below itself, as long as the caches hold the rest. Segments of 128 bytes do not count: more of them
/// did not cost time.
const OrderCandidate* tall_choice(const std::vector<OrderCandidate>& candidates, const OrderCandidate& usual,
                                  const Pattern& pattern, const RemapRequest& request) {
    const OrderCandidate* tallest = nullptr;
    for (const OrderCandidate& candidate : candidates) {
        const OrderCost& cost = candidate.cost;
        const Coord& shape = cost.remap.shape;
        const OrderCandidate& least = tallest ? *tallest : usual;
        const bool within = shape[axis_y] <= pattern.tile[axis_y] && shape[axis_x] >= quad_side &&
                            cost.halo_texels <= most_texels_read * request.invocations;
        const bool touches_more = cost.segments_32 > usual.cost.segments_32 ||
                                  cost.segments_64 > usual.cost.segments_64 ||
                                  cost.quad_segments > usual.cost.quad_segments;
        if (within && !touches_more && shape[axis_y] > least.cost.remap.shape[axis_y]) tallest = &candidate;
    }
    return tallest;
}

/// Address bits that one subgroup covers, of the first element's place at most.
uint64_t subgroup_bits(const OrderCandidate& candidate, const Pattern& pattern, const RemapRequest& request) {
    uint64_t covered = pattern.element.bytes / pattern.offset_unit() - 1;
    for (size_t bit = 0; bit < std::min<size_t>(log2_exact(request.subgroup_size), candidate.steps.size()); bit++)
        covered |= candidate.steps[bit].address;
    return covered;
}

/// The widest box, a quad high at least, in which a subgroup covers memory without a gap and the halo is no larger than a
/// tall box's may be; null where there is none. Of 512 and 1,024 invocations tall boxes lost, but at
/// radius 1.
const OrderCandidate* wide_choice(const std::vector<OrderCandidate>& candidates, const Pattern& pattern,
                                  const RemapRequest& request) {
    const OrderCandidate* widest = nullptr;
    for (const OrderCandidate& candidate : candidates) {
        const Coord& shape = candidate.cost.remap.shape;
        const bool has_gap = !std::has_single_bit(subgroup_bits(candidate, pattern, request) + 1);
        const bool within =
            shape[axis_y] >= quad_side && candidate.cost.halo_texels <= most_texels_read * request.invocations;
        if (within && !has_gap && (!widest || shape[axis_x] > widest->cost.remap.shape[axis_x])) widest = &candidate;
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

}  // namespace

OrderCost order_cost(const Pattern& pattern, const Remap& remap, const RemapRequest& request) {
    check(request);
    if (element_count(remap.shape) != request.invocations)
        throw UsageError(
            fmt::format("a remap onto {} is not one of {} invocations", shape_text(remap.shape), request.invocations));
    const Layout layout = spacious_layout(pattern);
    std::vector<uint64_t> at_place(request.invocations);
    for (uint32_t invocation = 0; invocation < request.invocations; invocation++)
        at_place[request.lane_order.empty() ? invocation : place_of(request.lane_order, invocation)] =
            offset_of(layout, remap(invocation));

    OrderCost cost{"", remap, 0, 0, 0, 0, texels_read(remap.shape, request.radius, has_depth(pattern))};
    const uint32_t bytes = pattern.element.bytes;
    const uint32_t lanes = std::min(request.subgroup_size, request.invocations);
    cost.segments_32 = count_segments(at_place, lanes, bytes, 32);
    cost.segments_64 = count_segments(at_place, lanes, bytes, 64);
    cost.segments_128 = count_segments(at_place, lanes, bytes, 128);
    cost.quad_segments = count_segments(at_place, std::min(4U, lanes), bytes, 64);
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
    if (rows_are_memory_order(pattern))
        throw Error(
            "the pattern is linear: row order is already memory order, and no remap can come nearer to it; "
            "let x count fastest in the workgroup");
    const Layout layout = spacious_layout(pattern);

    std::vector<OrderCandidate> candidates;
    for (const Coord& shape : shapes_of(request.invocations, has_depth(pattern)))
        candidates.push_back(candidate_of(layout, shape, request));
    const OrderCandidate& compact = *std::ranges::min_element(candidates, {}, &OrderCandidate::compactness);
    // A shape that is less compact must read at most an eighth more with its halo, if there is one, and win elsewhere.
    const OrderCandidate* chosen = &compact;
    for (const OrderCandidate& candidate : candidates) {
        const bool compact_enough = request.radius == 0 || candidate.compactness * 8 <= compact.compactness * 9;
        if (compact_enough && touches_no_more(candidate.cost, compact.cost) && merit(candidate) < merit(*chosen))
            chosen = &candidate;
    }

    const OrderCandidate& usual = *chosen;
    const bool neighbours_share = request.groups_in_rows && request.radius > 0 && !has_depth(pattern);
    const OrderCandidate* wide =
        neighbours_share && request.subgroups_in_row ? wide_choice(candidates, pattern, request) : nullptr;
    const OrderCandidate* tall = neighbours_share && !wide ? tall_choice(candidates, usual, pattern, request) : nullptr;
    if (wide) chosen = wide;
    if (tall) chosen = tall;

    Derivation derivation;
    derivation.request = request;
    derivation.remap = chosen->cost.remap;
    const Coord& customary = compact.cost.remap.shape;
    derivation.candidates.push_back(named_cost("row", pattern, row_order(customary), request));
    derivation.candidates.push_back(named_cost("morton", pattern, morton_order(customary), request));
    if (customary == rdna_order().shape)
        derivation.candidates.push_back(named_cost("rdna", pattern, rdna_order(), request));
    derivation.candidates.push_back(chosen->cost);

    derivation.subgroup_bits =
        address_bit_ranges(subgroup_bits(*chosen, pattern, request), pattern.tile_bytes / pattern.offset_unit());
    if (pattern.counts_elements()) derivation.subgroup_bits += " of the element index";
    derivation.reason = (wide   ? why_this_wide(*wide, request)
                         : tall ? why_this_tall(*tall, usual, request)
                                : why_this_shape(*chosen, compact, request)) +
                        why_this_order(*chosen, pattern, request) + what_it_saves(derivation.candidates, request);
    return derivation;
}

}  // namespace tilewise
