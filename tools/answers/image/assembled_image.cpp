#include "tools/answers/image/assembled_image.h"
#include "patterns/convert/convert.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/mode_words.h"
#include "patterns/model/text.h"
#include "patterns/modes/defined_modes.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace tilewise {

namespace {

/// The image nearest in size; among those equally near, the larger one, and one without several levels or layers.
const db::ObservationRow& nearest(const KnownImages& known, const Extent_px& wanted) {
    const auto rank = [&](const db::ObservationRow& row) {
        const Extent_px extent = level_extent_px(row.fact.extent_px, row.fact.level);
        return std::tuple(extent_distance(extent, wanted), -double{1} * extent[0] * extent[1] * extent[2],
                          row.fact.level, row.fact.levels, row.fact.layers, row.fact.layer);
    };
    auto best = rank(known.rows.front());
    for (const db::ObservationRow& row : known.rows) best = std::min(best, rank(row));
    std::vector<const db::ObservationRow*> near;
    for (const db::ObservationRow& row : known.rows)
        if (rank(row) == best) near.push_back(&row);
    return only_one(near, level_extent_px(near.front()->fact.extent_px, near.front()->fact.level) == wanted);
}

/// The layout of the observed image if it has exactly the wanted size; else its pattern, with tiles one after another.
Layout layout_like(const db::ObservationFact& seen, const Extent_px& wanted, uint32_t samples) {
    Layout layout = *seen.layout;
    if (level_extent_px(seen.extent_px, seen.level) != wanted)
        layout = dense_layout(layout.pattern, elements_of(wanted, layout.pattern.element, samples));
    layout.constant = seen.layout->constant;
    layout.base = 0;
    return layout;
}

/// Two images named by their differences: "300x200" and "400x200", or "300x200 of 9 levels" and "300x200 of 1 level".
struct LikeTexts {
    std::string image, like;
};

LikeTexts texts_of(const KnownImages& known, const db::ObservationRow& row) {
    const db::ObservationFact& fact = row.fact;
    const ImageShape& wanted = known.asked;
    LikeTexts texts = {extent_text(wanted.extent_px), extent_text(level_extent_px(fact.extent_px, fact.level))};
    const auto set_apart = [&](bool differ, const std::string& image, const std::string& like) {
        if (!differ) return;
        texts.image += image;
        texts.like += like;
    };
    set_apart(fact.levels != wanted.levels, " of " + counted(wanted.levels, "level"),
              " of " + counted(fact.levels, "level"));
    set_apart(fact.layers != wanted.layers, " of " + counted(wanted.layers, "layer"),
              " of " + counted(fact.layers, "layer"));
    set_apart(fact.level != 0 || fact.layer != 0, " (level 0, layer 0)",
              fmt::format(" (level {}, layer {})", fact.level, fact.layer));
    const std::string& format = known.question.about.format.said;
    if (texts.image == texts.like) set_apart(true, format.empty() ? "" : " as " + format, " as " + fact.format);
    texts.like += fmt::format(" on {}", row.device.name);
    return texts;
}

}  // namespace

FoundImage assembled_image(KnownImages known) {
    const ImageQuestion& question = known.question;
    const ImageKind& asked = known.asked;
    const auto& rows = known.rows;
    if (!question.about.mode.empty()) {
        std::vector<std::string> names;
        for (const DefinedMode& mode : defined_modes()) names.push_back(mode.name);
        for (const db::ObservationRow& row : rows) names.push_back(mode_of(row.fact.layout->pattern).name);
        std::erase_if(known.rows, [&](const db::ObservationRow& row) {
            return !is_called(mode_of(row.fact.layout->pattern), question.about.mode);
        });
        if (rows.empty()) {
            const std::string like = nearest_name(names, question.about.mode);
            throw Error(
                fmt::format("nobody has seen such an image in the mode \"{0}\"{1}; `tilewise modes` lists all modes, "
                            "`tilewise query --mode {0}` where that one was seen",
                            printable(question.about.mode, 60), like.empty() ? "" : "; did you mean " + like + "?"));
        }
    }
    if (question.about.format.aspects.size() > 1)
        throw Error(fmt::format(
            "nobody has seen all aspects of this very image; probe it: --formats {} --extents {}{}{}{}", asked.format,
            extent_text(asked.extent_px), asked.levels > 1 ? fmt::format(" --levels {}", asked.levels) : "",
            asked.layers > 1 ? fmt::format(" --layers {}", asked.layers) : "",
            asked.samples > 1 ? fmt::format(" --samples {}", asked.samples) : ""));
    const std::vector<const db::ObservationRow*> same = same_images(known);
    std::vector<std::optional<KnownPart>> parts;
    const db::ObservationRow* first = nullptr;
    for (uint32_t layer = 0; layer < asked.layers; layer++)
        for (uint32_t level = 0; level < asked.levels; level++) {
            std::optional<KnownPart>& part = parts.emplace_back();
            const db::ObservationRow* row = observed(same, level, layer);
            if (row) {
                part = {*row->fact.layout, true};
            } else if (layer == 0) {
                const Extent_px extent = level_extent_px(asked.extent_px, level);
                row = &nearest(known, extent);
                part = {layout_like(row->fact, extent, asked.samples), false};
            }
            if (!first) first = row;
        }
    FoundImage found = image_of_parts(question, asked, parts);
    found.image.source = LayoutSource::probed;
    if (parts.front()->is_placed) {
        found.image.evidence = fmt::format("as seen on {}", first->device.name);
        return found;
    }
    const LikeTexts texts = texts_of(known, *first);
    const Pattern& pattern = parts.front()->layout.pattern;
    if (question.pattern.empty() ||
        !says_all_strides(question.strides, pattern, elements_of(asked.extent_px, pattern.element, asked.samples)))
        found.assumed.insert(found.assumed.begin(), fmt::format("{} is laid out like {}", texts.image, texts.like));
    found.image.evidence = fmt::format("like {}", texts.like);
    return found;
}

FoundImage image_of_parts(const ImageQuestion& question, const ImageKind& asked,
                          std::span<const std::optional<KnownPart>> parts) {
    const std::vector<Aspect>& aspects = question.about.format.aspects;
    const auto assembled =
        assemble(asked, aspects.size() == 1 ? aspects.front() : Aspect::color, parts, question.strides);
    FoundImage found;
    if (const auto* fault = std::get_if<StrideFault>(&assembled)) {
        found.fault = *fault;
        return found;
    }
    const auto& [subresources, layer_stride, bytes] = std::get<AssembledParts>(assembled);
    static_cast<ImageKind&>(found.image) = asked;
    found.image.subresources = subresources;
    found.whole_bytes = bytes;
    const auto is_next = [](const std::optional<KnownPart>& part) { return part && !part->is_placed; };
    if (std::ranges::any_of(parts.subspan(1), is_next))
        found.assumed.emplace_back(
            "levels follow one another, each at a multiple of its own tile, laid out like the observed images nearest "
            "to them in size");
    const auto is_known = [](const std::optional<KnownPart>& part) { return part.has_value(); };
    if (!question.strides.layer && !std::ranges::all_of(parts, is_known))
        found.assumed.push_back(fmt::format("layers are {} bytes apart", layer_stride));
    return found;
}

}  // namespace tilewise
