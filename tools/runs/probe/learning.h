// What learning a device's rules begins with, and how they are kept.
#pragma once
#include "db/sqlite/database.h"
#include "patterns/rules/rule.h"
#include "probe/learn/learn_rules.h"
#include "tools/runs/probe/usage_sizes.h"
#include <string>
#include <vector>

namespace tilewise {

/// One of each size of element first, then all that the device offers.
std::vector<std::string> formats_to_learn(const probe::DeviceInfo& device);
/// Those, and the formats of depth and stencil, whose sizes tell how the two follow one another: no rule is of both.
std::vector<std::string> formats_to_size(const probe::DeviceInfo& device);

/// The rules of all devices: what one of them does, another may do.
std::vector<Rule> rules_known(const db::Database& database);

/// Keeps the rule, where there is one. Whether there is.
bool keep_rule(const probe::DeviceInfo& device, const LearnedKind& kind, db::Database& database);

/// Keeps what the device asks for images of each usage.
void keep_usage_sizes(const probe::DeviceInfo& device, const AskedSizes& asked, db::Database& database);

}  // namespace tilewise
