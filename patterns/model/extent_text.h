// Extents as text: formatting and parsing.
#pragma once
#include "patterns/model/image_kind.h"
#include "patterns/model/layout.h"
#include <string>

namespace tilewise {

/// "256x200", or "64x64x32" if there is depth, followed by " x4 samples" if there are several.
std::string extent_text(const Coord& extent);

/// "256x200", or "64x64x32" if there is depth.
std::string extent_text(const Extent_px& extent);

/// "256x200x1": always with the depth, for messages that are about it.
std::string sides_text(const Extent_px& extent);

/// "R8G8B8A8_UNORM 300x200, 9 levels, 2 layers, 4 samples"; counts of 1 are left out.
std::string image_text(const ImageKind& image);

/// Parses "256x200", "64x64x32", or the name of a frame: 720p, 1080p, 1440p, 2160p, 4K (3840x2160), 4320p, 8K. Case and
/// spaces beside the x do not matter, and "×" and "*" are as good as "x". Throws UsageError for any other form and for a side of 0.
Extent_px parse_extent(const std::string& typed);

}  // namespace tilewise
