// The solver's result for a table, as JSON.
#pragma once
#include "patterns/solve/solve.h"
#include <nlohmann/json.hpp>

namespace tilewise {

/// {"status","extent","elements","mismatches","layout"|"reason"}
/// Example:
///     assert(to_json(solve(parse_table_csv("0,0,0\n1,0,4\n0,1,8\n1,1,12\n")))["status"] == "exact");
nlohmann::ordered_json to_json(const Solution& solution);

}  // namespace tilewise
