// Where the planes, or the depth and the stencil, of an image that nobody probed lie.
#pragma once
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include "tools/answers/image/image_answer.h"
#include <optional>

namespace tilewise {

/// Lays out an image of several aspects. Aspects lie either one behind the other, each like an image of its own with
/// that aspect's format, or by turns (see alternate()).
///
/// The layout is predicted if all images of several aspects that were probed with the filter's devices and drivers lie
/// like that, and if they leave no choice of how aspects are aligned. It is assumed for planes of a format that none of
/// these images has; and for aspects that nobody read, if all images that the driver was asked about are as large as the
/// aspects together.
///
/// None if these conditions fail, if the rules say nothing about an aspect alone, for images with creation flags, and
/// for planes in images with several levels, layers or samples. Throws Error if aspects lie by turns in a way that no
/// layout can describe.
std::optional<FoundImage> predicted_aspects(const db::Database& database, const db::Filter& filter,
                                            const ImageKind& asked);

}  // namespace tilewise
