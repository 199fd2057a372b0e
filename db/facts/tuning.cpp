#include "db/facts/tuning.h"

namespace tilewise::db {

namespace {

void require_inside(double figure, const std::array<double, 2>& interval, const char* name) {
    if (interval[1] > 0 && (interval[0] > figure || interval[1] < figure))
        throw Error(fmt::format("{}: must hold its figure, {}", name, figure));
}

}  // namespace

Remap remap_of(const TuningFact& fact) { return remap_from_columns(fact.columns); }

void require_consistent(const TuningFact& fact) {
    Remap remap;
    try {
        remap = remap_of(fact);
    } catch (const Error& error) {
        throw Error(fmt::format("columns: {}", error.what()));
    }
    for (const Axis axis : {axis_x, axis_y})
        if (fact.shape[axis] % remap.shape[axis] != 0)
            throw Error(fmt::format("shape: {}x{} is no multiple of {}, the box of the columns", fact.shape[0],
                                    fact.shape[1], shape_text(remap.shape)));
    require_inside(fact.median_ms, fact.interval_ms, "interval_ms");
    require_inside(fact.over_row, fact.over_row_interval, "over_row_interval");
    require_inside(fact.over_morton, fact.over_morton_interval, "over_morton_interval");
    require_inside(fact.over_derived, fact.over_derived_interval, "over_derived_interval");
    require_inside(fact.over_best, fact.over_best_interval, "over_best_interval");
}

}  // namespace tilewise::db
