// Where the planes of an image, or its depth and its stencil, lie that nobody probed.
#pragma once
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include "tools/answers/image/image_answer.h"
#include <optional>

namespace tilewise {

/// Aspects that lie one behind the other, each as an image of its own with that aspect's format does, or by turns (see
/// alternate()). They are predicted where all such images of several aspects that were probed with the devices and
/// drivers of the filter lie so, and as far as those leave no choice of how aspects are aligned. They are assumed for
/// planes of a format that none of them has; and for depth and stencil that nobody read, where all images that the
/// driver was asked about are as large as the two of them. None where that is not so, where rules say nothing of an
/// aspect alone, for images with creation flags, and for planes in images of levels, layers or samples. Throws Error
/// where aspects lie by turns in a way that no layout says.
std::optional<FoundImage> predicted_aspects(const db::Database& database, const db::Filter& filter,
                                            const ImageKind& asked);

}  // namespace tilewise
