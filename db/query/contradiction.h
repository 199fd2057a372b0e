// Contradictions: facts about the same thing, on one device model with one driver version, that cannot both be true.
// (Two routes that differ within one run are a disagreement: db/facts/disagreement.h.)
#pragma once
#include "db/facts/lane_order.h"
#include "db/facts/observation.h"
#include <string>
#include <vector>

namespace tilewise::db {

/// Both observations are exact, of the same image and by the same route, but have different patterns.
struct Contradiction {
    ObservationRow first, second;
    std::string text;  ///< one line
};

/// Both lane orders are for the same workgroup shape and built-in.
struct LaneContradiction {
    LaneOrderRow first, second;
    std::string text;  ///< one line
};

/// Returns all contradictions in the database: each pair of patterns once per image.
std::vector<Contradiction> find_contradictions(const Database& db);
std::vector<LaneContradiction> find_lane_contradictions(const Database& db);

}  // namespace tilewise::db
