#include "tools/answers/image/find_image.h"
#include "patterns/convert/assemble.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/mode_words.h"
#include "patterns/model/text.h"
#include "probe/formats/names.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/assembled_image.h"
#include "tools/answers/image/given_image.h"
#include "tools/answers/image/known_images.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// Whether rules are to be asked: they are of a format's images, and say all of where these lie.
bool may_be_predicted(const ImageQuestion& question) {
    return question.pattern.empty() && !question.about.format.name.empty() && !question.strides.layer &&
           !question.strides.any_of_tiles();
}

/// None where no rule is of such images.
std::optional<ImageLayout> predicted_image(std::span<const db::ImageRuleRow> rules, const ImageKind& asked,
                                           const std::string& mode) {
    PredictedImages found = predicted_images(rules, asked);
    std::vector<std::string> choices;
    std::optional<ImageLayout> chosen;
    for (size_t i = 0; i < found.images.size(); i++) {
        if (!has_mode(found.images[i], mode)) continue;
        choices.push_back(found.choices[i]);
        chosen = std::move(found.images[i]);
    }
    if (choices.size() > 1) fail_by_choices(choices);
    return chosen;
}

/// As observed, else as predicted, else as assumed.
FoundImage image_of_device(const ImageQuestion& question, const ImageKind& asked, DeviceKnowledge knowledge) {
    std::optional<ImageLayout> whole = predicted_image(knowledge.rules, asked, question.about.mode);
    Answer<std::vector<db::ObservationRow>> rows = std::move(knowledge.rows);
    if (auto* all = std::get_if<0>(&rows)) rows = of_asked_kind(std::move(*all), question, asked);
    KnownImages known = {question, asked, {}};
    if (!whole || rows.index() == 0) known.rows = or_throw(std::move(rows));
    if (std::optional<ImageLayout> probed = probed_image(known)) whole = std::move(probed);
    FoundImage found;
    if (!whole) {
        found = assembled_image(std::move(known));
    } else {
        found.image = std::move(*whole);
        if (question.strides.constant || question.strides.any_of_tiles())
            for (Subresource& part : found.image.subresources)
                if (!found.fault)
                    found.fault = apply_strides(question.strides, part.layout, extent_el(found.image, part));
    }
    if (!knowledge.of_another.empty()) found.assumed.insert(found.assumed.begin(), knowledge.of_another);
    return found;
}

/// What is given goes before all that is known.
FoundImage lay_out(const ImageQuestion& question, const ImageKind& asked, DeviceKnowledge knowledge) {
    if (question.layout && question.layout->image) return image_in_file(*question.layout);
    FoundImage found =
        question.is_given() ? image_by_layout(question, asked) : image_of_device(question, asked, std::move(knowledge));
    if (found.fault) fail_by_strides(*found.fault);
    mark_assumed(found.image, found.assumed);
    if (question.base)
        move_image(found.image, question.is_given() ? found.image.subresources.front().layout.base : 0, *question.base);
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
                                                const ImageQuestion& question) {
    const Element& element = question.about.format.element;
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
    return rows;
}

/// Whether anything is known of images with the usage; true where none is asked for.
bool is_usage_known(const db::Database& database, db::Filter filter) {
    if (filter.usage.empty()) return true;
    filter.extent.reset();
    filter.mode.clear();
    if (!db::find_observations(database, filter).empty()) return true;
    return std::ranges::any_of(find_rules(database, filter), [&](const db::ImageRuleRow& row) {
        return has_names(row.fact.usage, filter.usage) && has_names(row.fact.formats, filter.format);
    });
}

/// The database's answer, of the devices that were asked for.
FoundImage find_known_image(const db::Database& database, const ImageQuestion& question, const Scope& scope) {
    const ImageKind asked = asked_kind(question);
    db::Filter of_any_mode = scope.filter;
    of_any_mode.mode.clear();
    std::vector<db::ImageRuleRow> rules;
    if (may_be_predicted(question)) rules = find_rules(database, of_any_mode);
    const std::string of_another = scope.gpu ? scope.gpu->assumed : "";
    FoundImage found = lay_out(question, asked, {rows_of(database, scope.filter, question), rules, of_another});
    if (found.assumed.empty() || of_another.empty()) found.said = said_of(scope);
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

Answer<FoundImage> find_image(const ImageQuestion& question, const db::Database& database) {
    return answer_of([&] { return find_image_of_any_usage(database, question); });
}

Answer<FoundImage> find_image(const ImageQuestion& question, const DeviceKnowledge& knowledge) {
    return answer_of([&] {
        const ImageKind asked = asked_kind(question);
        FoundImage found = lay_out(question, asked, knowledge);
        // What is known of devices has been chosen by the mode; a layout that is given may have another.
        if (!has_mode(found.image, question.about.mode))
            throw UsageError(fmt::format("--mode {}: the layout that is given has the mode {}; leave one out",
                                         printable(question.about.mode, 60),
                                         pattern_name(found.image.subresources.front().layout.pattern)));
        return found;
    });
}

}  // namespace tilewise
