// Option values that several commands share.
#pragma once
#include "patterns/model/image_layout.h"
#include <string>

namespace tilewise {

/// "256x200" or "64x64x32". Throws UsageError: no such form, or an extent of 0.
Extent_px parse_extent(const std::string& text);

}  // namespace tilewise
