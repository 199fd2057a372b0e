// Extents in words.
#pragma once
#include "patterns/model/image_layout.h"
#include <string>

namespace tilewise {

/// "256x200", or "64x64x32" where there is depth; " x4 samples" behind it where there are several.
std::string extent_text(const Coord& extent);

/// "256x200", or "64x64x32" where there is depth.
std::string extent_text(const Extent_px& extent);

}  // namespace tilewise
