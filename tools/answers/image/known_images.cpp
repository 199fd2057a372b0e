#include "tools/answers/image/known_images.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/mode_words.h"
#include "patterns/model/text.h"
#include "tools/answers/image/observed_image.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>

namespace tilewise {

namespace {

/// If the question names no flags, keeps the images without flags if there are any, else all; if it names flags, keeps
/// the images with these.
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
    else if (question.type || asked.type == ImageType::three_d)
        return Refusal{fmt::format("no such {} image was observed; probe one", image_type_name(asked.type))};
    return rows;
}

std::vector<const db::ObservationRow*> same_images(const KnownImages& known) {
    std::vector<const db::ObservationRow*> same;
    const std::string& format = known.asked.format;
    for (const db::ObservationRow& row : known.rows) {
        ImageShape shape = row.fact;
        if (!format.empty() && row.fact.format != format) continue;
        if (is_asked_type(known.question, known.asked, shape.type)) shape.type = known.asked.type;
        if (shape == known.asked) same.push_back(&row);
    }
    return same;
}

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

const db::ObservationRow* observed(std::vector<const db::ObservationRow*> same, uint32_t level, uint32_t layer) {
    std::erase_if(same, [&](const auto* row) { return row->fact.level != level || row->fact.layer != layer; });
    return same.empty() ? nullptr : &only_one(same, true);
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

[[noreturn]] void fail_by_choices(const std::vector<std::string>& choices) {
    throw UsageError(
        fmt::format("such images have {} layouts: {}; choose by --gpu, --driver, --format, --usage, --image-type or "
                    "--pattern",
                    choices.size(), fmt::join(choices, "; ")));
}

}  // namespace tilewise
