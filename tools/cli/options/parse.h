// Option values that several commands share.
#pragma once
#include "patterns/model/text.h"
#include <cstdint>
#include <string>

namespace tilewise {

struct ParsedExtent {
    uint32_t width = 1, height = 1, depth = 1;
};

/// "256x200" or "64x64x32". Throws UsageError: no such form, or an extent of 0.
ParsedExtent parse_extent(const std::string& text);

}  // namespace tilewise
