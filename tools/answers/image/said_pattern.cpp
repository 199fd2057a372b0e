#include "tools/answers/image/said_pattern.h"
#include "patterns/convert/convert.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/equation_text.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <fmt/format.h>

namespace tilewise {

SaidPattern pattern_of_modifier(uint64_t modifier) {
    SaidPattern said = pattern_of_mode(request_of_modifier(modifier));
    said.evidence = fmt::format("modifier {}: {}", drm_modifier_text(modifier), said.evidence);
    return said;
}

SaidPattern pattern_of_mode(const ModeRequest& request) {
    return {request, LayoutSource::documented, describe(request)};
}

SaidPattern pattern_of_equation(const std::string& equation, const Element& element) {
    if (element.bytes == 0)
        throw UsageError("--equation: how many bytes does an element have? give --element-bytes or --format");
    return {layout_by_equation(equation, element), LayoutSource::given,
            "by the equation that was given; not read from a device"};
}

SaidPattern pattern_kept(const db::KeptPattern& kept) {
    SaidPattern said = {kept.layout, LayoutSource::given, ""};
    const auto& [width, height, depth] = kept.extent_el;
    if (kept.source == "table") {
        said.extent_el = kept.extent_el;
        said.evidence = fmt::format("kept as {}: solved from {}, {}x{}x{} elements; not read from a device", kept.name,
                                    printable(kept.origin, 100), width, height, depth);
    } else {
        said.evidence = fmt::format("kept as {}: by the equation \"{}\" that was given; not read from a device",
                                    kept.name, printable(kept.origin, 200));
    }
    return said;
}

Layout said_layout(const SaidPattern& said, const Element& element, const Coord& extent) {
    if (const auto* mode = std::get_if<ModeRequest>(&said.is)) return defined_layout(*mode, element, extent);
    Layout layout = std::get<Layout>(said.is);
    if (said.extent_el != std::array<uint64_t, 3>{extent[axis_x], extent[axis_y], extent[axis_z]}) {
        const uint64_t constant = layout.constant;
        layout = dense_layout(layout.pattern, extent);
        layout.constant = constant;
    }
    if (element.bytes == layout.pattern.element.bytes) layout.pattern.element = element;
    return layout;
}

Layout said_layout(const SaidPattern& said, const Element& element) {
    const auto* mode = std::get_if<ModeRequest>(&said.is);
    return mode ? defined_layout(*mode, element) : std::get<Layout>(said.is);
}

void check_pitch(const SaidPattern& said, const Element& element, const Coord& extent, uint64_t pitch) {
    const auto* mode = std::get_if<ModeRequest>(&said.is);
    if (!mode) return;
    const uint64_t unit = tile_width_bytes(*mode, element, extent);
    if (unit != 0 && pitch % unit != 0)
        throw UsageError(
            fmt::format("--pitch {}: rows of tiles of {} are a multiple of {} bytes", pitch, mode->mode, unit));
}

}  // namespace tilewise
