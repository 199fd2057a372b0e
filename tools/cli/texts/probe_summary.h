// What a probe found, for people and as JSON.
#pragma once
#include "tools/runs/probe/run.h"
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace tilewise {

/// Result ("exact", "opaque", ..) -> observations.
std::map<std::string, uint64_t> count_results(const ProbedDevice& probed);

/// Prints which pattern each format and extent has and how it was read; what was not exact, and why; and what
/// disagrees.
void print_summary(const ProbedDevice& probed);

/// {"device","driver","planned","seconds","counts","patterns","observations","disagreements","usage_differences"}
nlohmann::ordered_json summary_json(const ProbedDevice& probed);

}  // namespace tilewise
