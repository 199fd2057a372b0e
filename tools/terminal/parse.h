// Option values that several commands share.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// "a,b,,c" -> {"a","b","c"}.
std::vector<std::string> split(std::string_view text, char separator = ',');

struct ParsedExtent {
    uint32_t width = 1, height = 1, depth = 1;
};

/// "256x200" or "64x64x32". Throws UsageError: no such form, or an extent of 0.
ParsedExtent parse_extent(const std::string& text);

}  // namespace tilewise
