#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/remap/remap.h"
#include <algorithm>
#include <cassert>
#include <charconv>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// The position of workgroup `id` if the grid is taken block by block, in the order of the axes; a block at the end of
/// an axis may be cut short.
Coord position_in_blocks(const Coord& block, const std::array<Axis, axis_count>& order, const Coord& groups,
                         uint64_t id) {
    // From the outermost axis inwards, `size` narrows from the whole grid to the slab, the row and the block of `id`.
    Coord start{}, size = groups;
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
        const Axis a = *axis;
        const uint64_t slab = element_count(size) / size[a] * block[a];
        start[a] = static_cast<uint32_t>(id / slab) * block[a];
        size[a] = std::min(block[a], groups[a] - start[a]);
        id %= slab;
    }
    Coord position = element_at_index(size, id);
    for (Axis a : all_axes) position[a] += start[a];
    return position;
}

constexpr std::string_view strips_text = "strips of ", tiles_text = "tiles of ", columns_suffix = " by columns";

/// The whole text as a number from 1 up; 0 if it is not one.
uint32_t number_from_text(std::string_view text) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

bool goes_by_columns(const GroupOrder& order) {
    return std::ranges::find(order.tile_order, axis_y) < std::ranges::find(order.tile_order, axis_x);
}

bool is_as_launched(const GroupOrder& order) {
    return order.kind == GroupOrderKind::linear ||
           (order.kind == GroupOrderKind::tiles && !goes_by_columns(order) && order.tile_groups[axis_y] == 1);
}

std::string group_order_text(const GroupOrder& order) {
    switch (order.kind) {
        case GroupOrderKind::linear:
            break;
        case GroupOrderKind::strips:
            return fmt::format("{}{}", strips_text, order.strip_width);
        case GroupOrderKind::tiles:
            return fmt::format("{}{}{}", tiles_text, shape_text(order.tile_groups),
                               goes_by_columns(order) ? columns_suffix : "");
    }
    return "linear";
}

GroupOrder group_order_from_text(std::string_view text) {
    GroupOrder order;
    std::string_view rest = text;
    if (rest == "linear") return order;
    if (rest.starts_with(strips_text)) {
        order.kind = GroupOrderKind::strips;
        order.strip_width = number_from_text(rest.substr(strips_text.size()));
        if (order.strip_width > 0 && group_order_text(order) == text) return order;
    } else if (rest.starts_with(tiles_text)) {
        order.kind = GroupOrderKind::tiles;
        rest.remove_prefix(tiles_text.size());
        if (rest.ends_with(columns_suffix)) {
            rest.remove_suffix(columns_suffix.size());
            std::swap(order.tile_order[0], order.tile_order[1]);
        }
        const size_t by = std::min(rest.find('x'), rest.size());
        order.tile_groups[axis_x] = number_from_text(rest.substr(0, by));
        order.tile_groups[axis_y] = number_from_text(rest.substr(std::min(by + 1, rest.size())));
        const bool has_tiles = order.tile_groups[axis_x] > 0 && order.tile_groups[axis_y] > 0;
        if (has_tiles && group_order_text(order) == text) return order;
    }
    throw Error(fmt::format("\"{}\" is not an order of workgroups such as linear, strips of 8 or tiles of 2x4",
                            printable(text, 40)));
}

Coord group_position(const GroupOrder& order, const Coord& groups, uint64_t id) {
    assert(id < element_count(groups));
    switch (order.kind) {
        case GroupOrderKind::linear:
            break;
        case GroupOrderKind::strips:
            return position_in_blocks({order.strip_width, groups[axis_y], 1, 1}, all_axes, groups, id);
        case GroupOrderKind::tiles:
            return position_in_blocks(order.tile_groups, order.tile_order, groups, id);
    }
    return element_at_index(groups, id);
}

std::array<GridSide, 3> dispatched_grid(const GroupOrder& order, const Coord& shape) {
    const auto covering = [&](Axis axis, uint64_t groups) { return GridSide{0, axis, groups * shape[axis]}; };
    switch (order.kind) {
        case GroupOrderKind::linear:
            break;
        case GroupOrderKind::strips:
            return {GridSide{order.strip_width}, covering(axis_y, 1), covering(axis_x, order.strip_width)};
        case GroupOrderKind::tiles: {
            const auto [across, down, deep, samples] = order.tile_groups;
            const GridSide of_tile = {uint64_t{across} * down}, columns = covering(axis_x, across),
                           rows = covering(axis_y, down);
            if (goes_by_columns(order)) return {of_tile, rows, columns};
            return {of_tile, columns, rows};
        }
    }
    return {covering(axis_x, 1), covering(axis_y, 1), GridSide{1}};
}

std::array<uint32_t, 3> dispatched_groups(const GroupOrder& order, const Coord& shape,
                                          const std::array<uint32_t, 2>& extent) {
    std::array<uint32_t, 3> groups{};
    std::ranges::transform(dispatched_grid(order, shape), groups.begin(), [&](const GridSide& side) {
        const uint64_t texels = extent[side.axis];
        const uint64_t count = side.groups > 0 ? side.groups : ceil_div(texels, side.texels);
        if (count > max_dispatched_groups)
            throw Error(
                fmt::format("workgroups of {} in {}: {} along an axis, where devices take {}: take another shape",
                            shape_text(shape), group_order_text(order), count, max_dispatched_groups));
        return static_cast<uint32_t>(count);
    });
    return groups;
}

GroupOrder derive_group_order(const Pattern& pattern, const Remap& remap, GroupOrderKind kind, uint32_t strip_width) {
    GroupOrder order;
    order.kind = kind;
    if (kind == GroupOrderKind::strips) {
        if (strip_width == 0) throw UsageError("column strips of 0 groups: give a width of 1 or more");
        order.strip_width = strip_width;
    }
    if (kind == GroupOrderKind::tiles) {
        order.tile_order = pattern.order;
        for (Axis a : {axis_x, axis_y, axis_z})
            order.tile_groups[a] = std::max<uint32_t>(1, pattern.tile[a] / remap.shape[a]);
    }
    return order;
}

}  // namespace tilewise
