#include "patterns/picture/terminal.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

std::string tile_blocks(const TileDrawing& drawing, uint32_t columns) {
    constexpr uint32_t max_rows = 64;
    const uint32_t width = drawing.extent[axis_x];
    const uint32_t shown = std::min(width, columns), rows = std::min(drawing.extent[axis_y], max_rows);
    const auto rgb = [&](uint32_t x, uint32_t y) {
        const Rgb8 color = drawing.colors[size_t{y} * width + x];
        return fmt::format("{};{};{}", color.r, color.g, color.b);
    };
    std::string text;
    for (uint32_t y = 0; y < rows; y += 2) {
        for (uint32_t x = 0; x < shown; x++) {
            text += fmt::format("\x1b[38;2;{}m", rgb(x, y));
            if (y + 1 < rows) text += fmt::format("\x1b[48;2;{}m", rgb(x, y + 1));
            text += "\u2580";
        }
        text += "\x1b[0m\n";
    }
    return text;
}

}  // namespace tilewise
