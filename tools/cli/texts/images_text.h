// Observed images in words.
#pragma once
#include "db/facts/observation.h"
#include <string>
#include <vector>

namespace tilewise {

/// One subresource: "300x200 level 2 layer 0"; without level or layer if the image has just one.
std::string image_text(const db::ObservationFact& fact);

/// Some subresources, each image once: "300x200 levels 0-2 layers 0-3", "256x256 level 0 layers 0,2; level 1 layer 1".
std::string images_text(const std::vector<const db::ObservationFact*>& facts);

}  // namespace tilewise
