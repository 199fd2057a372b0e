#include "patterns/model/extent_text.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

std::string extent_text(const Coord& extent) {
    std::string text = fmt::format("{}x{}", extent[axis_x], extent[axis_y]);
    if (extent[axis_z] > 1) text += fmt::format("x{}", extent[axis_z]);
    if (extent[axis_s] > 1) text += fmt::format(" x{} samples", extent[axis_s]);
    return text;
}

std::string extent_text(const Extent_px& extent) { return extent_text(Coord{extent[0], extent[1], extent[2], 1}); }

std::string sides_text(const Extent_px& extent) { return fmt::format("{}", fmt::join(extent, "x")); }

std::string image_text(const ImageKind& image) {
    const auto several = [](uint32_t number, const char* noun) {
        return number == 1 ? "" : ", " + counted(number, noun);
    };
    return fmt::format("{}{}{}{}{}{}", image.format, image.format.empty() ? "" : " ", extent_text(image.extent_px),
                       several(image.levels, "level"), several(image.layers, "layer"),
                       several(image.samples, "sample"));
}

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
        if (at == end || (*at != 'x' && *at != 'X')) break;
        ++at;
    }
    if (!good || at != end || (text.back() | 0x20) == 'x' || count < 2)
        throw UsageError(fmt::format(
            "\"{}\" is not an extent; write 256x200, 300x1 for a 1D image, or 64x64x32 for a 3D one", text));
    for (uint32_t side : value)
        if (side == 0)
            throw UsageError(fmt::format("the extent {} has a side of 0; every side must be at least 1", text));
    return value;
}

}  // namespace tilewise
