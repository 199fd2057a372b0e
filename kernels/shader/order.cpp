#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include "patterns/model/gf2.h"
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

/// Width, height (0: that of the whole grid) and whether blocks follow one another down the columns; 0 0 0: linear.
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

Remap order_in_square(const Remap& remap, uint32_t from, uint32_t bits) {
    const uint32_t mask = (1u << bits) - 1;
    gf2::Echelon known;
    Remap part;
    part.shape = {1u << bits, 1u << bits, 1, 1};
    const auto add = [&](uint32_t x, uint32_t y) {
        const bool is_new = known.add(x | uint64_t{y} << bits).value != 0;
        if (is_new) part.columns.push_back({x, y, 0, 0});
    };
    for (const Coord& column : remap.columns) add(column[axis_x] >> from & mask, column[axis_y] >> from & mask);
    for (uint32_t bit = 0; bit < bits; ++bit) add(1u << bit, 0);
    for (uint32_t bit = 0; bit < bits; ++bit) add(0, 1u << bit);
    return part;
}

Size shape_of(const Remap& remap) { return {remap.shape[axis_x], remap.shape[axis_y]}; }

}  // namespace tilewise::kernels
