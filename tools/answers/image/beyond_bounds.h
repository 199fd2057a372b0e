// Images that are larger, or have more levels or layers, than the images that a rule was learned from.
#pragma once
#include "db/facts/image_rule.h"
#include "tools/answers/image/image_answer.h"
#include <optional>
#include <span>

namespace tilewise {

/// Applies a rule that holds up to fewer texels, levels or layers; the answer is an assumption. None if no rule is for
/// such images, if a rule covers the image, and if several contradict one another.
std::optional<FoundImage> image_beyond_bounds(std::span<const db::ImageRuleRow> rules, const ImageKind& asked);

}  // namespace tilewise
