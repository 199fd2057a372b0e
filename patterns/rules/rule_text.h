// A rule in words, for people.
#pragma once
#include "patterns/rules/rule.h"
#include <string>

namespace tilewise {

/// Several lines, each ending in a newline: what the rule holds for, its modes, which one is chosen when, tails, the
/// order of levels and layers. The names of patterns are tilewise's own; the text contains no foreign text.
std::string rule_text(const Rule& rule);

}  // namespace tilewise
