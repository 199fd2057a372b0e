#include "tools/answers/image/given_image.h"
#include "patterns/convert/convert.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "tools/answers/image/assembled_image.h"
#include <fmt/format.h>

namespace tilewise {

namespace {

Pattern linear_pattern(const Element& element) {
    if (element.bytes == 0) throw UsageError("--pattern linear: which texels are in the rows? give --format");
    Pattern pattern;
    pattern.element = element;
    pattern.tile_bytes = element.bytes;
    return pattern;
}

/// Why the file's layout may be another image's; empty if it is this image's.
std::string why_assumed(const LayoutFile& file, const Element& element, const ImageKind& asked) {
    const Coord wanted = elements_of(asked.extent_px, element, 1);
    if (file.extent_el == std::array<uint64_t, 3>{wanted[axis_x], wanted[axis_y], wanted[axis_z]}) return "";
    return fmt::format("the layout of {}, {}, is that of {}", file.name,
                       file.extent_el ? "solved at another extent" : "which names no extent",
                       extent_text(asked.extent_px));
}

}  // namespace

FoundImage image_in_file(const LayoutFile& file) {
    FoundImage found = {*file.image};
    if (found.image.source == LayoutSource::assumed)
        found.assumed = {fmt::format("the layout of {}: {}", file.name, found.image.evidence)};
    return found;
}

namespace {

/// Throws UsageError for an image that the pattern does not fully describe: a pattern is for one level, plane and
/// sample.
void require_said_kind(const ImageQuestion& question, const ImageKind& asked) {
    const AskedFormat& format = question.about.format;
    const auto* mode = std::get_if<ModeRequest>(&question.said->is);
    if (asked.levels > 1)
        throw UsageError(
            fmt::format("--levels {}: a pattern describes one level, and drivers place levels by rules of their own: "
                        "give --gpu, or ask for each level as an image",
                        asked.levels));
    require_one_aspect(format);
    const auto* kept = std::get_if<Layout>(&question.said->is);
    if (asked.samples > 1 && (mode || kept->pattern.tile[axis_s] == 1))
        throw UsageError(fmt::format("--samples {}: {} is defined for one sample a texel", asked.samples,
                                     mode ? mode->mode : "the pattern"));
    if (!asked.usage.empty() || !asked.flags.empty())
        throw UsageError(
            fmt::format("{}: a mode, a modifier, an equation or a kept pattern is not tied to a device's image: leave "
                        "it out, or give --gpu",
                        asked.usage.empty() ? "--flags" : "--usage"));
    if (asked.extent_px[2] > 1 && mode && !has_depth(*mode))
        throw UsageError(
            fmt::format("{} is defined for 2D images, and {} has a depth", mode->mode, extent_text(asked.extent_px)));
}

/// The format's element; without a format, that of the kept pattern.
Element element_said_by(const ImageQuestion& question) {
    const AskedFormat& format = question.about.format;
    const auto* kept = std::get_if<Layout>(&question.said->is);
    if (kept) check_element(kept->pattern, format.element, format.said);
    return format.element.bytes != 0 || !kept ? format.element : kept->pattern.element;
}

FoundImage image_by_said_pattern(const ImageQuestion& question, const ImageKind& asked) {
    const SaidPattern& said = *question.said;
    const auto* kept = std::get_if<Layout>(&said.is);
    require_said_kind(question, asked);
    const Element element = element_said_by(question);
    const Coord whole = elements_of(asked.extent_px, element, asked.samples);
    if (question.strides.pitch) check_pitch(said, element, whole, *question.strides.pitch);
    std::vector<std::optional<KnownPart>> parts(asked.layers);
    parts.front() = {said_layout(said, element, whole), true};
    if (const auto* mode = std::get_if<ModeRequest>(&said.is))
        parts.front()->memory = defined_memory(*mode, element, whole);
    FoundImage found = image_of_parts(question, asked, parts);
    found.image.source = said.source;
    const Pattern& pattern = parts.front()->layout.pattern;
    const bool is_of_extent = said.extent_el == std::array<uint64_t, 3>{whole[axis_x], whole[axis_y], whole[axis_z]};
    const bool says_all = question.strides.pitch || says_all_strides(question.strides, pattern, whole);
    found.image.evidence = said.evidence;
    if (!says_all && !is_of_extent)
        found.image.evidence += kept
                                    ? "; tiles follow one another without a gap"
                                    : "; tiles follow one another without a gap, but for what the mode itself asks for";
    if (said.extent_el && !is_of_extent && !says_all)
        found.assumed.insert(found.assumed.begin(),
                             fmt::format("{} is laid out like the image of {}x{} that it was solved from: give "
                                         "--pitch, or --stride-x, -y and -z",
                                         extent_text(asked.extent_px), (*said.extent_el)[0], (*said.extent_el)[1]));
    if (kept && kept->base != 0 && !is_of_extent)
        found.assumed.push_back(fmt::format(
            "the image begins at byte 0; the one that the pattern was solved from began at {}", kept->base));
    return found;
}

}  // namespace

Layout layout_said_by(const ImageQuestion& question) {
    const Element element = element_said_by(question);
    const std::optional<Extent_px>& extent = question.about.extent;
    return extent ? said_layout(*question.said, element, elements_of(*extent, element, 1))
                  : said_layout(*question.said, element);
}

FoundImage image_by_layout(const ImageQuestion& question, const ImageKind& asked) {
    const AskedFormat& format = question.about.format;
    Layout layout;
    std::string assumed;
    if (question.said) return image_by_said_pattern(question, asked);
    if (question.pattern == "linear") {
        require_one_aspect(format);
        layout.pattern = linear_pattern(format.element);
    }
    if (question.layout) {
        layout = question.layout->layout;
        check_element(layout.pattern, format.element, format.said);
        if (format.element.bytes != 0) layout.pattern.element = format.element;
        assumed = why_assumed(*question.layout, layout.pattern.element, asked);
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
