#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

/// Width, height (0: of the whole grid) and whether blocks follow one another down the columns; 0 0 0: linear.
std::array<uint32_t, 3> group_blocks(const GroupOrder& groups) {
    switch (groups.kind) {
        case GroupOrderKind::linear:
            break;
        case GroupOrderKind::strips:
            return {groups.strip_width, 0, 0};
        case GroupOrderKind::tiles:
            return {groups.tile_groups[axis_x], groups.tile_groups[axis_y], goes_by_columns(groups)};
    }
    return {0, 0, 0};
}

}  // namespace

std::vector<uint32_t> order_constants(const Remap& remap, const GroupOrder& groups) {
    constexpr size_t max_columns = 10;
    if (remap.columns.size() > max_columns || remap.shape[axis_z] > 1 || remap.shape[axis_s] > 1)
        throw UsageError(fmt::format("kernels run in workgroups of at most 1024 texels without depth, not of {}",
                                     shape_text(remap.shape)));
    std::vector<uint32_t> constants = {1u << remap.columns.size()};
    for (const Coord& column : remap.columns) constants.push_back(column[axis_x] | column[axis_y] << 16);
    constants.resize(1 + max_columns, 0);
    constants.push_back(remap.shape[axis_x]);
    constants.push_back(remap.shape[axis_y]);
    for (const uint32_t constant : group_blocks(groups)) constants.push_back(constant);
    return constants;
}

Size shape_of(const Remap& remap) { return {remap.shape[axis_x], remap.shape[axis_y]}; }

}  // namespace tilewise::kernels
