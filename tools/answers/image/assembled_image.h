// An image that nobody observed as a whole, put together from what is known about its subresources.
#pragma once
#include "tools/answers/image/image_answer.h"
#include "tools/answers/image/known_images.h"
#include <optional>
#include <span>

namespace tilewise {

/// Lays out each subresource as observed, else like the observed image that is nearest in size. Throws Error if nobody
/// has seen such an image in the mode that is asked for, or all of its aspects.
FoundImage assembled_image(KnownImages known);

/// Builds an image from these parts (patterns/convert/assemble.h), and lists what is assumed about its levels and
/// layers. If the format has several aspects, its texels are taken as a whole.
FoundImage image_of_parts(const ImageQuestion& question, const ImageKind& asked,
                          std::span<const std::optional<KnownPart>> parts);

}  // namespace tilewise
