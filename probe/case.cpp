#include "probe/case.h"
#include "patterns/model/bits.h"
#include "patterns/model/image_layout.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise::probe {

namespace {

Aspect aspect_of(const Case& probed) {
    if (const Format* format = find_format(probed.image.format))
        for (const Aspect& aspect : aspects_of(*format))
            if (aspect.bit == probed.aspect) return aspect;
    return {};
}

}  // namespace

Element element_of(const Case& probed) { return aspect_of(probed).element; }

Extent_px texels_of(const Case& probed) {
    const Aspect aspect = aspect_of(probed);
    const auto at_level = [&](uint32_t texels, uint32_t divisor) {
        return ceil_div(std::max(1u, texels >> probed.level), divisor);
    };
    const Extent_px& extent = probed.image.extent_px;
    return {at_level(extent[0], aspect.width_divisor), at_level(extent[1], aspect.height_divisor),
            at_level(extent[2], 1)};
}

Coord elements_of(const Case& probed) {
    const Element element = element_of(probed);
    if (element.bytes == 0) return {};
    return tilewise::elements_of(texels_of(probed), element, probed.image.samples);
}

std::vector<Case> subresources_of(const Case& probed) {
    std::vector<Case> cases;
    for (uint32_t layer = 0; layer < probed.image.layers; ++layer)
        for (uint32_t level = 0; level < probed.image.levels; ++level) {
            cases.push_back(probed);
            cases.back().layer = layer;
            cases.back().level = level;
        }
    return cases;
}

std::string case_name(const Case& probed) {
    const Image& image = probed.image;
    std::string name = fmt::format("{} {}x{}", format_name(image.format), image.extent_px[0], image.extent_px[1]);
    if (image.type == ImageType::three_d) name += fmt::format("x{}", image.extent_px[2]);
    if (probed.aspect != color_aspect) name += fmt::format(" {}", aspect_name(probed.aspect));
    if (image.levels > 1) name += fmt::format(" level {} of {}", probed.level, image.levels);
    if (image.layers > 1) name += fmt::format(" layer {} of {}", probed.layer, image.layers);
    if (image.samples > 1) name += fmt::format(" {} samples", image.samples);
    if (const std::string flags = flag_names(image); !flags.empty()) name += fmt::format(" {}", flags);
    name += fmt::format(" by {}", route_name(probed.route));
    if (probed.memory_type >= 0) name += fmt::format(", memory type {}", probed.memory_type);
    return name;
}

}  // namespace tilewise::probe
