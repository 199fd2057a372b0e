#include "tools/answers/image/given_image.h"
#include "patterns/convert/convert.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "tools/answers/image/assembled_image.h"
#include <fmt/format.h>

namespace tilewise {

namespace {

Pattern linear_pattern(const Element& element) {
    if (element.bytes == 0) throw UsageError("linear rows of what? give --format");
    Pattern pattern;
    pattern.element = element;
    pattern.tile_bytes = element.bytes;
    return pattern;
}

/// Why the file's layout may be another image's; empty where it is this one's.
std::string why_assumed(const LayoutFile& file, const ImageKind& asked) {
    const Coord wanted = elements_of(asked.extent_px, file.layout.pattern.element, 1);
    if (file.extent_el == std::array<uint64_t, 3>{wanted[axis_x], wanted[axis_y], wanted[axis_z]}) return "";
    return fmt::format("the layout of {}, {}, is that of {}", file.name,
                       file.extent_el ? "solved at another extent" : "which says of no extent",
                       extent_text(asked.extent_px));
}

}  // namespace

FoundImage image_in_file(const LayoutFile& file) {
    FoundImage found = {*file.image};
    if (found.image.source == LayoutSource::assumed)
        found.assumed = {fmt::format("the layout of {}: {}", file.name, found.image.evidence)};
    return found;
}

FoundImage image_by_layout(const ImageQuestion& question, const ImageKind& asked) {
    const AskedFormat& format = question.about.format;
    Layout layout;
    std::string assumed;
    if (question.pattern == "linear") layout.pattern = linear_pattern(format.element);
    if (question.layout) {
        layout = question.layout->layout;
        check_element(layout.pattern, format.element, format.said);
        assumed = why_assumed(*question.layout, asked);
        if (format.element.bytes != 0) layout.pattern.element = format.element;
    }
    const auto extent_el = [&](uint32_t level) {
        return elements_of(level_extent_px(asked.extent_px, level), layout.pattern.element, asked.samples);
    };
    if (!question.layout) layout = dense_layout(layout.pattern, extent_el(0));
    std::vector<std::optional<KnownPart>> parts(size_t{asked.layers} * asked.levels);
    parts.front() = {layout, true};
    for (uint32_t level = 1; level < asked.levels; level++)
        parts[level] = {dense_layout(layout.pattern, extent_el(level)), false};
    FoundImage found = image_of_parts(question, asked, parts);
    found.image.source = LayoutSource::given;
    found.image.evidence = "as given";
    if (!assumed.empty() && !says_all_strides(question.strides, layout.pattern, extent_el(0)))
        found.assumed.insert(found.assumed.begin(), assumed);
    return found;
}

}  // namespace tilewise
