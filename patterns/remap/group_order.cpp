#include "patterns/model/error.h"
#include "patterns/remap/remap.h"
#include <algorithm>
#include <cassert>

namespace tilewise {

namespace {

/// Block by block, in the order of the axes; a block at the end of an axis may be cut short.
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

}  // namespace

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
