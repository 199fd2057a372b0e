// An image that nobody observed as a whole, put together from what is known of its subresources.
#pragma once
#include "tools/answers/image/image_answer.h"
#include "tools/answers/image/known_images.h"
#include <optional>
#include <span>

namespace tilewise {

/// Subresource by subresource: as observed, else laid out like the observed image that comes nearest in size. Throws
/// Error where nobody has seen such an image in the mode that is asked for, or all of its aspects.
FoundImage assembled_image(KnownImages known);

/// The image of these parts (patterns/convert/assemble.h), and what is assumed of its levels and layers. Where a format
/// has several aspects, its texels are taken as a whole.
FoundImage image_of_parts(const ImageQuestion& question, const ImageKind& asked,
                          std::span<const std::optional<KnownPart>> parts);

}  // namespace tilewise
