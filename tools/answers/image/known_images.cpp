#include "tools/answers/image/known_images.h"
#include "db/facts/pattern_mode.h"
#include "patterns/convert/convert.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "tools/answers/image/observed_image.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <tuple>

namespace tilewise {

namespace {

Extent_px observed_extent(const db::ObservationRow& row) { return level_extent_px(row.fact.extent_px, row.fact.level); }

/// How much the extents differ: the sum over the axes of the ratio's logarithm.
double distance(const Extent_px& a, const Extent_px& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); i++) sum += std::abs(std::log2(double{1} * a[i] / b[i]));
    return sum;
}

/// The first of the rows, which are to have one pattern and, with `strides`, one place in memory; else: which there
/// are.
const db::ObservationRow& only_one(const std::vector<const db::ObservationRow*>& rows, bool strides) {
    std::map<std::string, const db::ObservationRow*> choices;
    for (const db::ObservationRow* row : rows) {
        const Layout& layout = *row->fact.layout;
        const std::string place = fmt::format(", strides {} from {}", fmt::join(layout.stride, " "), layout.base);
        choices.emplace(row->pattern + (strides ? place : ""), row);
    }
    if (choices.size() == 1) return *rows.front();
    std::vector<std::string> texts;
    texts.reserve(choices.size());
    for (const auto& [text, row] : choices)
        texts.push_back(fmt::format("{} ({}, {} {})", text, row->device.name, row->fact.format, row->fact.usage));
    fail_by_choices(texts);
}

/// Observations of images of this very kind. A pattern is that of many formats.
std::vector<const db::ObservationRow*> same_images(const KnownImages& known) {
    std::vector<const db::ObservationRow*> same;
    const std::string& format = known.question.about.format;
    for (const db::ObservationRow& row : known.rows) {
        const db::ObservationFact& fact = row.fact;
        if (!format.empty() && fact.format != probe::format_named(format).name) continue;
        ImageShape shape = fact;
        if (is_asked_type(known.question, known.asked, shape.type)) shape.type = known.asked.type;
        if (shape == known.asked) same.push_back(&row);
    }
    return same;
}

/// The first of the images nearest in size; of those equally near, the larger, and those without levels or layers.
const db::ObservationRow& nearest(const KnownImages& known, uint32_t level) {
    const Extent_px wanted = level_extent_px(known.asked.extent_px, level);
    const auto rank = [&](const db::ObservationRow& row) {
        const Extent_px extent = observed_extent(row);
        return std::tuple(distance(extent, wanted), -double{1} * extent[0] * extent[1] * extent[2], row.fact.level,
                          row.fact.levels, row.fact.layers, row.fact.layer);
    };
    auto best = rank(known.rows.front());
    for (const db::ObservationRow& row : known.rows) best = std::min(best, rank(row));
    std::vector<const db::ObservationRow*> near;
    for (const db::ObservationRow& row : known.rows)
        if (rank(row) == best) near.push_back(&row);
    return only_one(near, observed_extent(*near.front()) == wanted);
}

/// "300x200" and "400x200", or what sets the images apart where that is not their extent: "300x200 of 9 levels" and
/// "300x200 of 1 level".
void name_images(const KnownImages& known, uint32_t level, const db::ObservationRow& row, NearestLayout& nearest) {
    const db::ObservationFact& fact = row.fact;
    const ImageShape& wanted = known.asked;
    nearest.image = extent_text(level_extent_px(wanted.extent_px, level));
    nearest.like = extent_text(observed_extent(row));
    const auto set_apart = [&](bool differ, const std::string& image, const std::string& like) {
        if (!differ) return;
        nearest.image += image;
        nearest.like += like;
    };
    set_apart(fact.levels != wanted.levels, " of " + counted(wanted.levels, "level"),
              " of " + counted(fact.levels, "level"));
    set_apart(fact.layers != wanted.layers, " of " + counted(wanted.layers, "layer"),
              " of " + counted(fact.layers, "layer"));
    const bool is_first = level == 0 && fact.level == 0 && fact.layer == 0;
    set_apart(!is_first, fmt::format(" (level {}, layer 0)", level),
              fmt::format(" (level {}, layer {})", fact.level, fact.layer));
    const std::string& format = known.question.about.format;
    if (nearest.image == nearest.like) set_apart(true, format.empty() ? "" : " as " + format, " as " + fact.format);
    nearest.like += fmt::format(" on {}", row.device.name);
}

/// Those without flags, where there are such and the question name none.
void choose_flags(std::vector<db::ObservationRow>& rows, const std::string& flags) {
    const auto has_other = [&](const db::ObservationRow& row) { return row.fact.flags != flags; };
    if (!flags.empty() || !std::ranges::all_of(rows, has_other)) std::erase_if(rows, has_other);
}

}  // namespace

Answer<std::vector<db::ObservationRow>> of_asked_kind(std::vector<db::ObservationRow> rows,
                                                      const ImageQuestion& question, const ImageShape& asked) {
    std::erase_if(rows, [&](const db::ObservationRow& row) { return row.fact.samples != asked.samples; });
    choose_flags(rows, question.flags);
    if (rows.empty())
        return Refusal{fmt::format("no such image of {}{} was observed; probe one", counted(asked.samples, "sample"),
                                   question.flags.empty() ? "" : fmt::format(" with the flags {}", question.flags))};
    const auto is_asked = [&](const db::ObservationRow& row) { return is_asked_type(question, asked, row.fact.type); };
    if (std::ranges::any_of(rows, is_asked))
        std::erase_if(rows, std::not_fn(is_asked));
    else if (question.type)
        return Refusal{fmt::format("no such {} image was observed; probe one", image_type_name(*question.type))};
    return rows;
}

const db::ObservationRow* observed(const KnownImages& known, uint32_t level, uint32_t layer) {
    std::vector<const db::ObservationRow*> same = same_images(known);
    std::erase_if(same, [&](const auto* row) { return row->fact.level != level || row->fact.layer != layer; });
    return same.empty() ? nullptr : &only_one(same, true);
}

bool has_mode(const ImageLayout& image, const std::string& mode) {
    return db::is_called(mode_of(image.subresources.front().layout.pattern), mode);
}

std::optional<ImageLayout> probed_image(const KnownImages& known) {
    std::vector<std::string> choices;
    std::vector<const ImageLayout*> different;
    const std::vector<ObservedImage> images = observed_images(same_images(known));
    const std::string& mode = known.question.about.mode;
    for (const ObservedImage& observed : images) {
        if (!observed.image.subresources.empty() && !has_mode(observed.image, mode)) continue;
        if (observed.image.subresources.empty())
            throw Error(fmt::format("observations of {} {} on {} contradict each other; see tilewise db check",
                                    observed.image.format, extent_text(known.asked.extent_px), observed.device));
        const auto alike = [&](const ImageLayout* other) { return lie_alike(*other, observed.image); };
        if (std::ranges::any_of(different, alike)) continue;
        different.push_back(&observed.image);
        choices.push_back(fmt::format("{} ({}, {} {})", pattern_id(observed.image.subresources[0].layout.pattern),
                                      observed.device, observed.image.format, observed.image.usage));
    }
    if (different.size() > 1) fail_by_choices(choices);
    if (different.empty()) return {};
    return *different.front();
}

NearestLayout nearest_layout(const KnownImages& known, uint32_t level) {
    const db::ObservationRow& row = nearest(known, level);
    const Extent_px wanted = level_extent_px(known.asked.extent_px, level), seen = observed_extent(row);
    NearestLayout found = {*row.fact.layout, {}, {}};
    name_images(known, level, row, found);
    if (seen != wanted)
        found.layout =
            dense_layout(found.layout.pattern, elements_of(wanted, found.layout.pattern.element, known.asked.samples));
    found.layout.constant = row.fact.layout->constant;
    found.layout.base = 0;
    return found;
}

[[noreturn]] void fail_by_choices(const std::vector<std::string>& choices) {
    throw UsageError(
        fmt::format("such images have {} layouts: {}; choose by --gpu, --driver, --usage, --image-type or --pattern",
                    choices.size(), fmt::join(choices, "; ")));
}

}  // namespace tilewise
