#include "tools/answers/image/find_image.h"
#include "db/facts/pattern_mode.h"
#include "patterns/convert/convert.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "probe/formats/names.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/assembled_image.h"
#include "tools/answers/image/given_layout.h"
#include "tools/answers/image/known_images.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

namespace {

/// What the question says outright of an image that was observed.
void override_by(const ImageQuestion& question, const std::optional<GivenLayout>& given, ImageLayout& image) {
    if (!question.base) return;
    for (Subresource& part : image.subresources)
        part.layout.base = checked_sum(part.layout.base - (given ? given->layout.base : 0), *question.base);
}

/// Whether rules are to be asked: they are of a format's images, and say all of where these lie.
bool may_be_predicted(const ImageQuestion& question) {
    return question.pattern.empty() && !question.about.format.empty() && !question.pitch && !question.layer_stride &&
           std::ranges::none_of(question.stride, [](const auto& s) { return s.has_value(); });
}

/// None where no rule is of such images.
std::optional<ImageLayout> predicted_image(const std::vector<db::ImageRuleRow>& rules, const ImageQuestion& question) {
    PredictedImages found = predicted_images(rules, asked_kind(question));
    std::vector<std::string> choices;
    std::optional<ImageLayout> chosen;
    for (size_t i = 0; i < found.images.size(); i++) {
        if (!has_mode(found.images[i], question.about.mode)) continue;
        choices.push_back(found.choices[i]);
        chosen = std::move(found.images[i]);
    }
    if (choices.size() > 1) fail_by_choices(choices);
    return chosen;
}

/// As observed, else as predicted, else as assumed; what is given goes before all. `of_another`: why the observations
/// may be another chip's.
FoundImage lay_out(const KnownImages& known, const std::optional<GivenLayout>& given,
                   const std::optional<ImageLayout>& predicted, const std::string& of_another) {
    const auto& [question, asked, rows] = known;
    FoundImage found;
    std::optional<ImageLayout> probed = given || rows.empty() ? std::nullopt : probed_image(known);
    if (!probed && predicted) {
        found.image = *predicted;
        if (question.constant)
            for (Subresource& part : found.image.subresources)
                apply_strides(question, part.layout, extent_el(found.image, part));
    } else if (probed) {
        found.image = std::move(*probed);
        if (asked.levels == 1)
            for (Subresource& part : found.image.subresources)
                apply_strides(question, part.layout, extent_el(found.image, part));
    } else {
        KnownImages of_mode = known;
        if (!given && !question.about.mode.empty()) {
            std::erase_if(of_mode.rows, [&](const db::ObservationRow& row) {
                return !db::is_called(mode_of(row.fact.layout->pattern), question.about.mode);
            });
            if (of_mode.rows.empty())
                throw Error(
                    fmt::format("nobody has seen such an image in the mode \"{}\"; `tilewise query --mode` "
                                "lists where it was seen",
                                printable(question.about.mode, 60)));
        }
        if (!given && aspects_of_format(format_name_of(question.about.format)).size() > 1)
            throw Error(
                fmt::format("nobody has seen all aspects of this very image; probe it: --formats {} --extents {}",
                            format_name_of(question.about.format), extent_text(asked.extent_px)));
        found = assembled_image(of_mode, given);
        static_cast<ImageKind&>(found.image) = asked_kind(question);
        found.image.subresources = join_layers(std::move(found.image.subresources));
    }
    if (!of_another.empty()) found.assumed.insert(found.assumed.begin(), of_another);
    mark_assumed(found.image, found.assumed);
    override_by(question, given, found.image);
    try {
        require_consistent(found.image);
    } catch (const Error& error) {
        throw Error(
            fmt::format("no {} image is laid out like that: {}; check --layer-stride, or choose by --gpu, "
                        "--driver, --usage",
                        extent_text(asked.extent_px), error.what()));
    }
    return found;
}

/// Observations of any extent: others tell something, too.
Answer<std::vector<db::ObservationRow>> rows_of(const db::Database& database, db::Filter filter,
                                                const ImageQuestion& question, const ImageShape& asked) {
    const Element element = element_of_format(question.about.format);
    filter.extent.reset();
    filter.mode.clear();  // it is that of level 0: smaller levels may have others
    if (!question.pattern.empty()) {
        filter.pattern = db::resolve_pattern(database, question.pattern);
        check_element(db::pattern_summary(database, filter.pattern).layout.pattern, element, filter.format);
        filter.format.clear();  // a pattern knows sizes, not formats
    }
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    std::erase_if(rows, [](const db::ObservationRow& row) { return !row.fact.layout; });
    if (!question.pattern.empty() && element.bytes != 0)
        for (db::ObservationRow& row : rows) row.fact.layout->pattern.element = element;
    if (rows.empty()) return Refusal{db::why_nothing(database, filter)};
    return of_asked_kind(std::move(rows), question, asked);
}

/// Whether anything is known of images with the usage; true where none is asked for.
bool is_usage_known(const db::Database& database, db::Filter filter) {
    if (filter.usage.empty()) return true;
    filter.extent.reset();
    filter.mode.clear();
    if (!db::find_observations(database, filter).empty()) return true;
    return std::ranges::any_of(find_rules(database, filter), [&](const db::ImageRuleRow& row) {
        return has_usage(row.fact.usage, filter.usage) &&
               (filter.format.empty() || std::ranges::count(split(row.fact.formats), filter.format) > 0);
    });
}

/// The database's answer, of the devices that were asked for.
FoundImage find_known_image(const db::Database& database, const ImageQuestion& question, const Scope& asked) {
    const ImageShape shape = asked_shape(question);
    std::optional<ImageLayout> predicted;
    db::Filter of_any_mode = asked.filter;
    of_any_mode.mode.clear();
    if (may_be_predicted(question)) predicted = predicted_image(find_rules(database, of_any_mode), question);
    KnownImages known = {question, shape, {}};
    Answer<std::vector<db::ObservationRow>> rows = rows_of(database, asked.filter, question, shape);
    if (!predicted || rows.index() == 0) known.rows = or_throw(std::move(rows));
    FoundImage found = lay_out(known, {}, predicted, asked.gpu ? asked.gpu->assumed : "");
    if (found.assumed.empty() || !asked.gpu || asked.gpu->assumed.empty()) found.said = said_of(asked);
    return found;
}

FoundImage find_given_image(const ImageQuestion& question) {
    // A file says what image it is of; linear rows do not.
    const ImageShape asked = question.layout ? ImageShape() : asked_shape(question);
    const std::optional<GivenLayout> given = given_layout(question, asked);
    FoundImage found;
    if (given->image) {
        check_said_alike(question, *given->image);
        found.image = *given->image;
    } else {
        found = lay_out({question, asked_shape(question), {}}, given, {}, "");
    }
    if (!has_mode(found.image, question.about.mode))
        throw UsageError(fmt::format("--mode {}: the layout that is given has the mode {}; leave one out",
                                     printable(question.about.mode, 60),
                                     pattern_name(found.image.subresources.front().layout.pattern)));
    if (!given->image) return found;
    if (found.image.source == LayoutSource::assumed)
        found.assumed = {fmt::format("the layout of {}: {}", question.layout->name, found.image.evidence)};
    return found;
}

/// A usage that nobody has probed is answered by another one.
FoundImage find_image_of_any_usage(const db::Database& database, const ImageQuestion& question) {
    Scope asked = ask(database, question.about);
    if (is_usage_known(database, asked.filter)) return find_known_image(database, question, asked);
    probe::usage_named(question.about.usage);
    ImageQuestion of_any_usage = question;
    of_any_usage.about.usage.clear();
    asked.filter.usage.clear();
    FoundImage found = find_known_image(database, of_any_usage, asked);
    const std::string& seen = found.image.usage;
    found.assumed.insert(found.assumed.begin(),
                         fmt::format("nobody has probed such images with the usage {}; this is how they are with {}",
                                     question.about.usage, seen.empty() ? "another" : seen));
    mark_assumed(found.image, {found.assumed.front()});
    return found;
}

}  // namespace

Answer<FoundImage> given_image(const ImageQuestion& question) {
    return answer_of([&] { return find_given_image(question); });
}

Answer<FoundImage> find_image(const ImageQuestion& question, const db::Database& database) {
    return answer_of([&] { return find_image_of_any_usage(database, question); });
}

Answer<FoundImage> find_image(const ImageQuestion& question, const DeviceKnowledge& knowledge) {
    return answer_of([&] {
        const ImageShape asked = asked_shape(question);
        return lay_out({question, asked, or_throw(of_asked_kind(knowledge.rows, question, asked))}, {},
                       predicted_image(knowledge.rules, question), knowledge.of_another);
    });
}

void mark_assumed(ImageLayout& image, const std::vector<std::string>& assumed) {
    if (assumed.empty()) return;
    image.source = LayoutSource::assumed;
    image.evidence += fmt::format("; assumed: {}", fmt::join(assumed, "; "));
}

void require_allowed(const FoundImage& found, const ImageQuestion& question) {
    if (!found.assumed.empty() && !question.assume)
        throw Error(fmt::format("nobody has seen this very image: {}; give --assume to convert by that, or probe it",
                                fmt::join(found.assumed, "; ")));
}

}  // namespace tilewise
