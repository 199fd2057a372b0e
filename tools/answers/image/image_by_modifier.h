// An image that no driver was asked about, with a tiling that a text defines.
#pragma once
#include "tools/answers/image/find_image.h"
#include <optional>

namespace tilewise {

/// By the modifier's definition, where no image of the device that is named was read with it. None where no text defines
/// it, and where nobody knows of such a device. Throws UsageError where the device's chips tile otherwise, and where the
/// data are compressed.
std::optional<FoundImage> image_by_modifier_alone(const db::Database& database, const ImageQuestion& question);

}  // namespace tilewise
