// Where the planes of an image lie that nobody probed.
#pragma once
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include "tools/answers/image/image_answer.h"
#include <optional>

namespace tilewise {

/// Planes that lie one behind the other, each as an image of its own with one plane's format does: so they are
/// predicted where all images of several planes that were probed with the devices and drivers of the filter lie so, and
/// as far as those leave no choice of how planes are aligned. Assumed for a format that none of them has. None where
/// that is not so, where rules say nothing of the planes, and for images of one plane, of levels, layers or samples.
/// Throws Error for an extent that no image of the format has.
std::optional<FoundImage> predicted_planes(const db::Database& database, const db::Filter& filter,
                                           const ImageKind& asked);

}  // namespace tilewise
