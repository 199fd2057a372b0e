#include "tools/runs/probe/compare.h"
#include "patterns/model/table.h"
#include <algorithm>
#include <cassert>

namespace tilewise {

namespace {

/// The offsets of a placement, row after row.
struct Rows {
    const Placement& placement;
    std::optional<AxisTables> tables;

    explicit Rows(const Placement& p) : placement(p) {
        if (p.layout) tables.emplace(*p.layout, p.extent);
    }
    void read(const Coord& start, std::vector<uint64_t>& out) const {
        if (tables) return tables->row(start[axis_y], start[axis_z], start[axis_s], out.data());
        const auto from = placement.offsets.begin() + static_cast<int64_t>(element_index(placement.extent, start));
        std::copy_n(from, out.size(), out.begin());
    }
};

std::optional<uint64_t> found(uint64_t offset) {
    if (offset == Table::missing_offset) return std::nullopt;
    return offset;
}

}  // namespace

std::optional<Difference> compare(const Placement& first, const Placement& second) {
    assert(first.extent == second.extent);
    if (first.layout && first.layout == second.layout) return std::nullopt;
    const Coord& extent = first.extent;
    const Rows first_rows(first), second_rows(second);
    std::vector<uint64_t> a(extent[axis_x]), b(extent[axis_x]);
    Difference difference;
    for (uint32_t s = 0; s < extent[axis_s]; ++s)
        for (uint32_t z = 0; z < extent[axis_z]; ++z)
            for (uint32_t y = 0; y < extent[axis_y]; ++y) {
                first_rows.read({0, y, z, s}, a);
                second_rows.read({0, y, z, s}, b);
                for (uint32_t x = 0; x < extent[axis_x]; ++x) {
                    if (a[x] == b[x]) continue;
                    if (difference.differing++ == 0) {
                        difference.element = {x, y, z, s};
                        difference.first = found(a[x]);
                        difference.second = found(b[x]);
                    }
                }
            }
    if (difference.differing == 0) return std::nullopt;
    return difference;
}

bool lie_over_one_another(std::span<const PlacedPart> parts) {
    std::vector<bool> taken;  // a bit for each byte
    for (const auto& [placement, element_bytes] : parts) {
        const Rows rows(*placement);
        std::vector<uint64_t> row(placement->extent[axis_x]);
        for (uint32_t s = 0; s < placement->extent[axis_s]; ++s)
            for (uint32_t z = 0; z < placement->extent[axis_z]; ++z)
                for (uint32_t y = 0; y < placement->extent[axis_y]; ++y) {
                    rows.read({0, y, z, s}, row);
                    for (const uint64_t offset : row) {
                        if (!found(offset)) continue;
                        if (offset + element_bytes > taken.size()) taken.resize(offset + element_bytes);
                        const auto first = taken.begin() + static_cast<std::ptrdiff_t>(offset);
                        if (std::find(first, first + element_bytes, true) != first + element_bytes) return true;
                        std::fill_n(first, element_bytes, true);
                    }
                }
    }
    return false;
}

}  // namespace tilewise
