// Images as people have them: what sizes are asked of, and what two chips are compared by.
#pragma once
#include "patterns/model/image_kind.h"
#include <vector>

namespace tilewise::probe {

/// Usual sizes of textures and screens, and some that are multiples of nothing; with levels, layers and, in 2D, samples.
std::vector<ImageShape> usual_images(ImageType type);

}  // namespace tilewise::probe
