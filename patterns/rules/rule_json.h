// A rule as JSON, as the database and bundles keep it.
#pragma once
#include "patterns/rules/rule.h"
#include <nlohmann/json.hpp>

namespace tilewise {

/// Texels along an axis that a rule holds up to, at most.
constexpr uint32_t max_rule_side_px = 1 << 16;

nlohmann::ordered_json to_json(const Rule& rule);

/// Throws Error naming the member that is missing or wrong; lengths and units are limited, so that no prediction
/// overflows.
Rule rule_from_json(const nlohmann::json& json);

/// A rule's JSON without the members, at any depth, that say what those of most rules say.
nlohmann::json without_usual_members(nlohmann::json rule);
/// The rule whose JSON that is; one that lacks none of them is itself.
nlohmann::json with_usual_members(nlohmann::json rule);

}  // namespace tilewise
