// A rule in words, for people.
#pragma once
#include "patterns/rules/rule.h"
#include <string>

namespace tilewise {

/// Several lines, each ended: what the rule holds for, its modes, which is chosen where, tails, the order of levels and
/// layers. Names of patterns are what tilewise says of them; there is no foreign text in it.
std::string rule_text(const Rule& rule);

}  // namespace tilewise
