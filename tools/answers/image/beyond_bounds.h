// Images that are larger, or have more levels or layers, than those that a rule was learned from.
#pragma once
#include "db/facts/image_rule.h"
#include "tools/answers/image/image_answer.h"
#include <optional>
#include <span>

namespace tilewise {

/// As the rule says that holds up to fewer texels, levels or layers: assumed. None where no rule is of such images,
/// where one covers the image, and where several contradict one another.
std::optional<FoundImage> image_beyond_bounds(std::span<const db::ImageRuleRow> rules, const ImageKind& asked);

}  // namespace tilewise
