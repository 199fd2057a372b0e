#include "tests/prove/tiles.h"
#include "patterns/solve/solve.h"
#include "tests/prove/prove.h"
#include "tests/support/table_files.h"

namespace tilewise::prove {

namespace {

std::vector<Coord> all_places(const Coord& extent) {
    std::vector<Coord> places(element_count(extent));
    for (size_t i = 0; i < places.size(); ++i) places[i] = element_at_index(extent, i);
    return places;
}

std::vector<Coord> scattered_places(const Coord& extent, size_t count) {
    std::vector<Coord> places(count);
    for (size_t i = 0; i < count; ++i)
        for (const Axis axis : all_axes) places[i][axis] = static_cast<uint32_t>(mix(4 * i + axis + 1) % extent[axis]);
    return places;
}

TileCase case_of(const KnownLayout& known, size_t max_places) {
    TileCase result = {.name = known.name, .layout = known.layout};
    const Pattern& pattern = known.layout.pattern;
    result.extent = pattern.tile;
    for (const Axis axis : {axis_x, axis_y}) result.extent[axis] *= 2;
    if (pattern.tile[axis_z] > 1) result.extent[axis_z] *= 2;
    result.layout.stride = strides(pattern, result.extent, 0);
    result.layout.base = 0;
    result.places = element_count(result.extent) <= max_places ? all_places(result.extent)
                                                               : scattered_places(result.extent, max_places);
    for (const Coord& at : result.places) result.offsets.push_back(offset_of(result.layout, at));
    return result;
}

TileCase case_of(const std::filesystem::path& path) {
    const Table table = parse_table_csv(unpacked(path));
    const Solution solution = solve(table);
    REQUIRE(solution.fit == Fit::exact);
    return {path.stem().stem().string(), solution.layout, table.extent, all_places(table.extent), table.offsets, true};
}

}  // namespace

std::vector<TileCase> tile_cases(size_t max_places) {
    std::vector<TileCase> cases;
    for (const auto& path : table_paths()) cases.push_back(case_of(path));
    for (const KnownLayout& known : known_layouts())
        if (known.name.find(' ') != std::string::npos) cases.push_back(case_of(known, max_places));
    return cases;
}

uint64_t tile_start(const Layout& layout, const Coord& at) {
    uint64_t start = layout.base;
    for (const Axis axis : all_axes) start += at[axis] / layout.pattern.tile[axis] * layout.stride[axis];
    return start;
}

Coord within_tile(const Pattern& pattern, const Coord& at) {
    Coord within = at;
    for (const Axis axis : all_axes) within[axis] %= pattern.tile[axis];
    return within;
}

}  // namespace tilewise::prove
