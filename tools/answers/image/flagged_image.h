// Where an image with creation flags lies of which nobody probed one: as without them, if they change nothing.
#pragma once
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include "tools/answers/image/image_answer.h"
#include <optional>

namespace tilewise {

/// As rules say of the image without its flags, where every image with the same flags that was probed with the devices
/// and drivers of the filter lies as they say of it without: predicted; of several flags that were probed one by one
/// alone: assumed. None where that is not so, and for an image without flags.
std::optional<FoundImage> image_as_without_flags(const db::Database& database, const db::Filter& filter,
                                                 const ImageKind& asked);

}  // namespace tilewise
