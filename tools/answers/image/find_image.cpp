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
#include "tools/answers/image/agreement.h"
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
    const std::string& usage = question.about.usage;
    std::erase_if(rows, [&](const db::ObservationRow& row) {
        return !row.fact.layout || (!usage.empty() && row.fact.usage != usage);
    });
    if (!question.pattern.empty() && element.bytes != 0)
        for (db::ObservationRow& row : rows) row.fact.layout->pattern.element = element;
    if (rows.empty()) return Refusal{db::why_nothing(database, filter)};
    return of_asked_kind(std::move(rows), question, asked);
}

/// How often one chip's images are another's, where the answer is another chip's; one that is often wrong is refused.
void tell_odds(const db::Database& database, const Scope& asked, const ImageQuestion& question, FoundImage& found) {
    const FoundGpu& gpu = *asked.gpu;
    if (question.about.format.empty()) return;
    ImageKind image = asked_kind(question);
    image.usage.clear();
    Agreement odds;
    std::string line;
    if (!asked.stood_in_for.empty()) {
        db::Filter own;
        own.devices = asked.stood_in_for;
        own.driver = newest_driver(database, asked.stood_in_for);
        odds = agreement_of(find_rules(database, own), find_rules(database, asked.filter), image.format, image.type);
        if (odds.compared == 0) return;
        line = fmt::format("by Mesa's driver the chip itself lays {} of {} usual images of the format out so",
                           odds.alike, odds.compared);
    } else if (gpu.named && gpu.relative.empty() && !gpu.is_documented && gpu.named->chip.name != gpu.rests_on) {
        odds = agreement_within(database, gpu.named->chip.architecture, image);
        line = odds.compared == 0
                   ? fmt::format("nobody has probed two chips of {}, so that how often they are alike is not known",
                                 gpu.named->chip.architecture)
                   : fmt::format("of {} pairs of chips of {} that were probed, {} lay this image out alike",
                                 odds.compared, gpu.named->chip.architecture, odds.alike);
    } else {
        return;
    }
    if (odds.compared > 0 && !odds.is_good() && !question.assume)
        throw Error(fmt::format("{}; {}: give --assume to have it nonetheless, or probe the chip", gpu.assumed, line));
    found.assumed.push_back(line);
    mark_assumed(found.image, {line});
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
    if (asked.gpu && !asked.gpu->assumed.empty()) tell_odds(database, asked, question, found);
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

/// The usages of what is known of images of the format, those first that have all that is asked for.
std::vector<std::string> known_usages(const db::Database& database, const Scope& asked, const ImageQuestion& question) {
    db::Filter filter = asked.filter;
    filter.usage.clear();
    filter.extent.reset();
    filter.mode.clear();
    std::vector<std::string> usages;
    const auto add = [&](const std::string& usage) {
        if (!usage.empty() && std::ranges::find(usages, usage) == usages.end()) usages.push_back(usage);
    };
    for (const db::ObservationRow& row : db::find_observations(database, filter)) add(row.fact.usage);
    for (const db::ImageRuleRow& row : find_rules(database, filter))
        if (filter.format.empty() || is_among(row.fact.formats, filter.format)) add(row.fact.usage);
    std::ranges::stable_partition(usages,
                                  [&](const std::string& usage) { return has_usage(usage, question.about.usage); });
    return usages;
}

/// The answer where all that is known has exactly this usage.
Answer<FoundImage> find_with_usage(const db::Database& database, const ImageQuestion& question, const Scope& asked,
                                   const std::string& usage) {
    return answer_of([&] {
        ImageQuestion of_usage = question;
        Scope scope = asked;
        of_usage.about.usage = scope.filter.usage = usage;
        return find_known_image(database, of_usage, scope);
    });
}

/// What is read with one usage may hold for another: where sizes were the same wherever both were asked, it is
/// predicted; where nobody asked, or other images differ, it is assumed; where this very image differs, it is refused.
void carry_to_usage(const UsageComparison& compared, const std::string& usage, FoundImage& found) {
    ImageLayout& image = found.image;
    const std::string what = fmt::format("{} {}", image.format, extent_text(image.extent_px));
    if (!compared.is_offered)
        throw Error(fmt::format("the driver offers no {} image with the usage {}", image.format, usage));
    if (compared.size && compared.beside && *compared.size != *compared.beside) {
        if (compared.size->bytes == 0)
            throw Error(fmt::format("the driver offers no {} with the usage {}", what, usage));
        throw Error(fmt::format(
            "{} with the usage {} takes {} bytes, aligned to {}, and with {}, which was probed, {}: "
            "it lies otherwise, compressed or padded, and nobody has read how; ask without "
            "--usage for the latter, or probe --usage {}",
            what, usage, compared.size->bytes, compared.size->alignment, image.usage, compared.beside->bytes, usage));
    }
    if (compared.equal == compared.asked) {
        if (image.source == LayoutSource::probed) image.source = LayoutSource::predicted;
        image.evidence += fmt::format(
            "; that is with the usage {}: with {} the driver asks for the same size in all "
            "of {} images",
            image.usage, usage, compared.asked);
        image.usage = usage;
        return;
    }
    found.assumed.insert(found.assumed.begin(),
                         fmt::format("nobody has probed such images with the usage {}; this is how they are with {}, "
                                     "and in {} of {} images the driver asks for another size",
                                     usage, image.usage, compared.asked - compared.equal, compared.asked));
    mark_assumed(image, {found.assumed.front()});
}

/// What is known of the usage that is asked for answers first; then that of a usage with the same sizes; then any.
FoundImage find_image_of_usage(const db::Database& database, const ImageQuestion& question, const Scope& asked) {
    const std::string& usage = question.about.usage;
    if (usage.empty()) {
        FoundImage found = find_known_image(database, question, asked);
        found.other_usages = usages_that_differ(find_usage_sizes(database, asked.filter, found.image), found.image);
        return found;
    }
    const uint32_t bits = probe::usage_named(usage);
    std::vector<std::string> usages = known_usages(database, asked, question);
    const auto same = std::ranges::find(usages, bits, probe::usage_named);
    if (same != usages.end())
        if (Answer<FoundImage> found = find_with_usage(database, question, asked, *same); found.index() == 0)
            return or_throw(std::move(found));
    const std::vector<db::UsageSizesRow> rows = find_usage_sizes(database, asked.filter, asked_kind(question));
    const auto compared_to = [&](const std::string& other) {
        return compare_usages(rows, asked_kind(question), usage, other);
    };
    // Of those that are alike for all that is known, the first that has an answer.
    std::ranges::stable_partition(usages, [&](const std::string& other) {
        const std::optional<UsageComparison> compared = compared_to(other);
        return compared && compared->is_offered && compared->equal == compared->asked;
    });
    std::optional<Refusal> why_not;
    for (const std::string& other : usages) {
        Answer<FoundImage> answer = find_with_usage(database, question, asked, other);
        if (answer.index() != 0) {
            if (!why_not) why_not = std::get<Refusal>(answer);
            continue;
        }
        FoundImage found = or_throw(std::move(answer));
        if (const std::optional<UsageComparison> compared = compared_to(other)) {
            carry_to_usage(*compared, usage, found);
        } else {
            found.assumed.insert(
                found.assumed.begin(),
                fmt::format("nobody has probed such images with the usage {}; this is how they are with {}", usage,
                            other));
            mark_assumed(found.image, {found.assumed.front()});
        }
        return found;
    }
    if (why_not) throw Error(why_not->why);
    ImageQuestion of_any_usage = question;
    Scope scope = asked;
    of_any_usage.about.usage.clear();
    scope.filter.usage.clear();
    FoundImage found = find_known_image(database, of_any_usage, scope);
    found.assumed.insert(found.assumed.begin(),
                         fmt::format("nobody has probed such images with the usage {}; this is how they are with {}",
                                     usage, found.image.usage.empty() ? "another" : found.image.usage));
    mark_assumed(found.image, {found.assumed.front()});
    return found;
}

/// The newest version of a driver answers; an older one where the newest has no answer.
FoundImage find_image_of(const db::Database& database, const ImageQuestion& question) {
    const Scope asked = ask(database, question.about);
    const std::optional<Scope> newest = of_newest_driver(database, asked);
    Answer<FoundImage> answer =
        answer_of([&] { return find_image_of_usage(database, question, newest.value_or(asked)); });
    if (newest && answer.index() != 0)
        if (Answer<FoundImage> of_any = answer_of([&] { return find_image_of_usage(database, question, asked); });
            of_any.index() == 0)
            answer = std::move(of_any);
    FoundImage found = or_throw(std::move(answer));
    if (const std::string whose = whose_driver(database, asked); !whose.empty())
        found.said += (found.said.empty() ? "" : "; ") + whose;
    return found;
}

}  // namespace

Answer<FoundImage> given_image(const ImageQuestion& question) {
    return answer_of([&] { return find_given_image(question); });
}

Answer<FoundImage> find_image(const ImageQuestion& question, const db::Database& database) {
    return answer_of([&] { return find_image_of(database, question); });
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
