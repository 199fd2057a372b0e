// What the solver says of a table, as JSON.
#pragma once
#include "patterns/solve/solve.h"
#include <nlohmann/json.hpp>

namespace tilewise {

/// {"status","extent","elements","mismatches","layout"|"reason"}
nlohmann::ordered_json to_json(const Solution& solution);

}  // namespace tilewise
