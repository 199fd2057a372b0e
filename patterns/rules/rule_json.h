// A rule as JSON, as the database and bundles keep it, and as text for a person.
#pragma once
#include "patterns/rules/rule.h"
#include <nlohmann/json.hpp>

namespace tilewise {

nlohmann::ordered_json to_json(const Rule& rule);

/// Throws Error naming the member that is missing or wrong; lengths and units are limited, so that no prediction overflows.
Rule rule_from_json(const nlohmann::json& json);

/// One line for each mode, choice and unit.
std::string rule_text(const Rule& rule);

}  // namespace tilewise
