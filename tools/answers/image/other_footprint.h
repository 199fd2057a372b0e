// Where an image of compressed blocks lies if nobody probed their footprint: as images of another footprint do whose
// blocks have as many bytes.
#pragma once
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include "patterns/rules/rule.h"
#include "tools/answers/image/image_answer.h"
#include <optional>

namespace tilewise {

/// The rule as if its compressed blocks had the footprint of `element`: the blocks lie as before, but stand for more or
/// fewer texels, and the rule's bounds in texels change accordingly.
Rule with_footprint(Rule rule, const Element& element);

/// Applies the rules of the filter's devices and drivers for compressed color formats whose blocks have as many bytes;
/// the answer is an assumption. None if no rule is for such blocks, if rules contradict each other, or if a rule names
/// the format itself; and for a format without blocks.
std::optional<FoundImage> image_of_other_footprint(const db::Database& database, const db::Filter& filter,
                                                   const ImageKind& asked);

}  // namespace tilewise
