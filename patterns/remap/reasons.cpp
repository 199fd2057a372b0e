#include "patterns/model/bits.h"
#include "patterns/remap/box_order.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tilewise {

bool touches_no_more(const OrderCost& a, const OrderCost& b) {
    return a.segments_32 <= b.segments_32 && a.segments_64 <= b.segments_64 && a.segments_128 <= b.segments_128 &&
           a.quad_segments <= b.quad_segments;
}

std::string address_bit_ranges(uint64_t bits, uint64_t tile_bytes) {
    const unsigned tile_bits = log2_exact(std::bit_ceil(tile_bytes));
    std::string text;
    auto append = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    for (unsigned bit = 0; bit < tile_bits; bit++) {
        if (!(bits >> bit & 1)) continue;
        const unsigned first = bit;
        while (bit + 1 < tile_bits && bits >> (bit + 1) & 1) bit++;
        append(first == bit ? fmt::format("{}", bit) : fmt::format("{}-{}", first, bit));
    }
    if (bits >> tile_bits) append("bits of the tile's place");
    return text;
}

std::string why_this_shape(const BoxOrder& chosen, const BoxOrder& compact, const RemapRequest& request) {
    const std::string shape = shape_text(chosen.cost.remap.shape), other = shape_text(compact.cost.remap.shape);
    if (shape == other)
        return fmt::format("Shape {}: the most compact for {} invocations; no other{} touches fewer segments.\n", shape,
                           request.invocations, request.radius > 0 ? " with so small a halo" : "");
    const OrderCost &now = chosen.cost, &then = compact.cost;
    if (touches_no_more(then, now))
        return fmt::format("Shape {}: as compact as {}, and {}.\n", shape, other,
                           chosen.terms < compact.terms ? "the remap takes fewer XORs" : "nearer together in memory");
    return fmt::format(
        "Shape {}: touches fewer segments ({} of 32 bytes, {} of 64, {} of 128) than the more compact {} would in "
        "memory "
        "order ({}, {}, {}).\n",
        shape, now.segments_32, now.segments_64, now.segments_128, other, then.segments_32, then.segments_64,
        then.segments_128);
}

std::string why_this_tall(const BoxOrder& chosen, const BoxOrder& other, const RemapRequest& request) {
    const auto each = [&](const OrderCost& cost) {
        return static_cast<double>(cost.halo_texels) / static_cast<double>(request.invocations);
    };
    const std::string compact = shape_text(other.cost.remap.shape);
    const std::string touches =
        may_touch_more(request)
            ? ""
            : fmt::format(" of those that touch no more segments of 32 or 64 bytes than {}, nor by fours", compact);
    return fmt::format(
        "Shape {}: workgroups launch along rows, so neighbours along x read at the same time; the tallest{}. An "
        "invocation reads {:.1f} texels (at most {} are allowed), in {} {:.1f}.\n",
        shape_text(chosen.cost.remap.shape), touches, each(chosen.cost),
        most_texels_read(request.reads, request.radius, request.invocations), compact, each(other.cost));
}

std::string why_this_wide(const BoxOrder& chosen, const RemapRequest& request) {
    return fmt::format(
        "Shape {}: in a workgroup of {} invocations the widest box in which a subgroup covers memory without a gap: "
        "its "
        "subgroups lie side by side, as workgroups do that are launched one after another.\n",
        shape_text(chosen.cost.remap.shape), request.invocations);
}

std::string why_the_given_shape(const BoxOrder& order) {
    return fmt::format("Shape {}: as requested.\n", shape_text(order.cost.remap.shape));
}

std::string why_this_order(const BoxOrder& chosen, const Pattern& pattern, const RemapRequest& request) {
    std::string text =
        "Order: invocation bits take the coordinate bits in the order of the address bits that they move";
    const char* bits_name = pattern.counts_elements() ? "bits of the element index" : "address bits";
    const uint64_t tile_end = pattern.tile_bytes / pattern.offset_unit();
    std::string joint, beyond;
    for (const OrderStep& step : chosen.steps) {
        const bool outside = step.address >= tile_end;
        const std::string name = coordinate_bits(step.at);
        if (outside)
            beyond += " " + name;
        else if (!std::has_single_bit(step.address))
            joint +=
                fmt::format("{}{} ({})", joint.empty() ? " " : ", ", name, address_bit_ranges(step.address, tile_end));
    }
    const bool xors = chosen.terms > chosen.steps.size();
    text += xors ? "; the XORs undo those of the equation, so that a step moves one bit.\n" : ".\n";
    if (!joint.empty())
        text +=
            fmt::format("These move several {} at once, because what would separate them lies outside the shape:{}.\n",
                        bits_name, joint);
    if (!beyond.empty()) text += fmt::format("Beyond the tile, to the next one:{}.\n", beyond);
    if (!request.lane_order.empty())
        text +=
            "Composed with the device's lane order: it is the lanes that follow memory, not the invocation indices.\n";
    if (pattern.tile[axis_s] > 1) text += "An invocation takes one sample; the bits of the sample are left out.\n";
    if (pattern.element.width * pattern.element.height > 1)
        text += fmt::format("Coordinates are those of blocks of {}x{} texels.\n", pattern.element.width,
                            pattern.element.height);
    return text;
}

bool saves_segments(const std::vector<OrderCost>& orders) {
    const OrderCost &row = orders.front(), &learned = orders.back();
    return learned.segments_32 < row.segments_32 || learned.segments_64 < row.segments_64 ||
           learned.segments_128 < row.segments_128 || learned.quad_segments < row.quad_segments;
}

std::string what_it_saves(const std::vector<OrderCost>& orders, const RemapRequest& request) {
    const OrderCost &row = orders.front(), &learned = orders.back();
    if (learned.remap == row.remap) return "Row order follows memory already: there is nothing to gain.";
    const uint64_t lanes = std::min(request.subgroup_size, request.invocations);
    auto counts = [&](const OrderCost& cost) {
        auto each = [&](uint64_t segments) {
            return static_cast<double>(segments * lanes) / static_cast<double>(request.invocations);
        };
        return std::array{each(cost.segments_32), each(cost.segments_64), each(cost.segments_128),
                          each(cost.quad_segments)};
    };
    const std::string alone =
        learned.remap.is_row_order()
            ? fmt::format("Row order in {} is the order of memory: the shape alone does it, without a remap.\n",
                          shape_text(learned.remap.shape))
            : "";
    const auto [l32, l64, l128, lquad] = counts(learned);
    const auto [r32, r64, r128, rquad] = counts(row);
    return alone +
           fmt::format(
               "One load by a subgroup of {} touches {:.4g} segments of 32 bytes, {:.4g} of 64, {:.4g} of 128, "
               "and by four "
               "lanes "
               "at a time {:.4g} of 64; in row order, {}: {:.4g}, {:.4g}, {:.4g}, {:.4g}.",
               lanes, l32, l64, l128, lquad, shape_text(row.remap.shape), r32, r64, r128, rquad) +
           (saves_segments(orders) ? "" : " There is nothing to gain: row order touches as few.");
}

}  // namespace tilewise
