// Typical images: for asking about sizes, and for comparing two chips.
#pragma once
#include "patterns/model/image_kind.h"
#include <vector>

namespace tilewise::probe {

/// Typical sizes of textures and screens, and some odd sizes; with levels, layers and, in 2D, samples.
std::vector<ImageShape> usual_images(ImageType type);

}  // namespace tilewise::probe
