#include "tools/cli/options/parse.h"
#include "patterns/model/error.h"
#include <charconv>
#include <fmt/format.h>

namespace tilewise {

Extent_px parse_extent(const std::string& text) {
    Extent_px value = {1, 1, 1};
    size_t count = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    bool good = true;
    while (good && count < value.size()) {
        const auto [next, error] = std::from_chars(at, end, value[count++]);
        good = error == std::errc();
        at = next;
        if (at == end || *at != 'x') break;
        ++at;
    }
    if (!good || at != end || text.back() == 'x' || count < 2)
        throw UsageError(fmt::format("\"{}\" is not an extent; write 256x200, or 64x64x32 for a 3D image", text));
    for (uint32_t side : value)
        if (side == 0)
            throw UsageError(fmt::format("the extent {} has a side of 0; every side must be at least 1", text));
    return value;
}

}  // namespace tilewise
