// An image that no driver was asked about, in a tiling that a text defines.
#pragma once
#include "tools/answers/image/find_image.h"
#include <optional>

namespace tilewise {

/// Lays out the image by the modifier's definition if no image of the named device was read with it. None if no text
/// defines the modifier, or if nobody knows such a device. Throws UsageError if the device's chips use other tilings,
/// or if the data are compressed.
std::optional<FoundImage> image_by_modifier_alone(const db::Database& database, const ImageQuestion& question);

}  // namespace tilewise
