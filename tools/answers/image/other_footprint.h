// Where an image of compressed blocks lies whose footprint nobody probed: as images of other footprints do, if their
// blocks have as many bytes.
#pragma once
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include "patterns/rules/rule.h"
#include "tools/answers/image/image_answer.h"
#include <optional>

namespace tilewise {

/// The rule as if its blocks, which are to be compressed ones, had the footprint of `element`: they lie as before, but
/// stand for more or fewer texels, and so do its bounds in texels.
Rule with_footprint(Rule rule, const Element& element);

/// As rules of the devices and drivers of the filter say of compressed color formats with blocks of as many bytes:
/// assumed. None where no rule is of such blocks, where rules contradict each other, and for a format without blocks.
std::optional<FoundImage> image_of_other_footprint(const db::Database& database, const db::Filter& filter,
                                                   const ImageKind& asked);

}  // namespace tilewise
