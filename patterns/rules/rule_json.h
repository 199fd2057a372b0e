// A rule as JSON, in the form that the database and bundles store.
#pragma once
#include "patterns/rules/rule.h"
#include <nlohmann/json.hpp>

namespace tilewise {

/// The largest image side, in texels, that a rule may hold for.
constexpr uint32_t max_rule_side_px = 1 << 16;

nlohmann::ordered_json to_json(const Rule& rule);

/// Throws Error naming the member that is missing or wrong. Lengths and units are limited, so that no prediction
/// overflows.
Rule rule_from_json(const nlohmann::json& json);

/// A rule's JSON without those members, at any depth, whose values are the same as in most rules.
nlohmann::json without_usual_members(nlohmann::json rule);
/// The inverse: adds these members. JSON that lacks none of them is returned unchanged.
nlohmann::json with_usual_members(nlohmann::json rule);

}  // namespace tilewise
