// Where an image with creation flags lies if nobody probed such an image: as without the flags, if they change nothing.
#pragma once
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include "tools/answers/image/image_answer.h"
#include <optional>

namespace tilewise {

/// Lays out the image as rules say for the image without flags. This is predicted if every image with the same flags
/// that was probed with the filter's devices and drivers lies as it would without them; and assumed if several flags
/// were only probed one by one. None if neither holds, and for an image without flags.
std::optional<FoundImage> image_as_without_flags(const db::Database& database, const db::Filter& filter,
                                                 const ImageKind& asked);

}  // namespace tilewise
