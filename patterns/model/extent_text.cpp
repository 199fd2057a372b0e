#include "patterns/model/extent_text.h"
#include <fmt/format.h>

namespace tilewise {

std::string extent_text(const Coord& extent) {
    std::string text = fmt::format("{}x{}", extent[axis_x], extent[axis_y]);
    if (extent[axis_z] > 1) text += fmt::format("x{}", extent[axis_z]);
    if (extent[axis_s] > 1) text += fmt::format(" x{} samples", extent[axis_s]);
    return text;
}

std::string extent_text(const Extent_px& extent) { return extent_text(Coord{extent[0], extent[1], extent[2], 1}); }

}  // namespace tilewise
