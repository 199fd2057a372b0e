#include "probe/case.h"
#include "patterns/model/bits.h"
#include "probe/formats.h"
#include "probe/names.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise::probe {

Element element_of(const Image& image) {
    const Format* format = find_format(image.format);
    return format ? format->element : Element{0, 1, 1};
}

Extent texels_of(const Case& probed) {
    const auto at_level = [&](uint32_t texels) { return std::max(1u, texels >> probed.level); };
    const Extent& extent = probed.image.extent;
    return {at_level(extent.width), at_level(extent.height), at_level(extent.depth)};
}

Coord elements_of(const Case& probed) {
    const Element element = element_of(probed.image);
    if (element.bytes == 0) return {};
    const Extent texels = texels_of(probed);
    Coord elements = unit_extent;
    elements[axis_x] = ceil_div(texels.width, element.width);
    elements[axis_y] = ceil_div(texels.height, element.height);
    elements[axis_z] = texels.depth;
    return elements;
}

std::string case_name(const Case& probed) {
    const Image& image = probed.image;
    std::string name = fmt::format("{} {}x{}", format_name(image.format), image.extent.width, image.extent.height);
    if (image.type == ImageType::three_d) name += fmt::format("x{}", image.extent.depth);
    if (image.levels > 1) name += fmt::format(" level {} of {}", probed.level, image.levels);
    if (image.layers > 1) name += fmt::format(" layer {} of {}", probed.layer, image.layers);
    if (image.samples > 1) name += fmt::format(" {} samples", image.samples);
    name += fmt::format(" by {}", route_name(probed.route));
    if (probed.memory_type >= 0) name += fmt::format(", memory type {}", probed.memory_type);
    return name;
}

}  // namespace tilewise::probe
