// Extents as texts, both ways.
#pragma once
#include "patterns/model/image_kind.h"
#include "patterns/model/layout.h"
#include <string>

namespace tilewise {

/// "256x200", or "64x64x32" where there is depth; " x4 samples" behind it where there are several.
std::string extent_text(const Coord& extent);

/// "256x200", or "64x64x32" where there is depth.
std::string extent_text(const Extent_px& extent);

/// "256x200x1": the depth, too, where a message is about it.
std::string sides_text(const Extent_px& extent);

/// "R8G8B8A8_UNORM 300x200, 9 levels, 2 layers, 4 samples": what there is one of is not said.
std::string image_text(const ImageKind& image);

/// "256x200" or "64x64x32". Throws UsageError: no such form, or an extent of 0.
Extent_px parse_extent(const std::string& text);

}  // namespace tilewise
