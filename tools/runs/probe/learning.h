// Which formats a device's rules are learned for, and how the rules are stored.
#pragma once
#include "db/sqlite/database.h"
#include "patterns/rules/rule.h"
#include "probe/learn/learn_rules.h"
#include "tools/runs/probe/usage_sizes.h"
#include <string>
#include <vector>

namespace tilewise {

/// One format for each element size first, then all that the device offers.
std::vector<std::string> formats_to_learn(const probe::DeviceInfo& device);
/// These formats, and those with depth and stencil: no rule covers both aspects, but the sizes show how they follow one
/// another.
std::vector<std::string> formats_to_size(const probe::DeviceInfo& device);

/// The rules of all devices: what one of them does, another may do.
std::vector<Rule> rules_known(const db::Database& database);

/// One line: "R8G8B8A8_UNORM 2D: 334 images, all explained".
std::string outcome_of(const LearnedKind& kind);

/// Stores the rule if there is one. Returns whether there is.
bool keep_rule(const probe::DeviceInfo& device, const LearnedKind& kind, db::Database& database);

/// Stores the sizes that the device asks for with each usage.
void keep_usage_sizes(const probe::DeviceInfo& device, const AskedSizes& asked, db::Database& database);

}  // namespace tilewise
