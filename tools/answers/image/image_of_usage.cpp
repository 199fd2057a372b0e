#include "tools/answers/image/image_of_usage.h"
#include "db/facts/image_rule.h"
#include "db/query/query.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "probe/formats/names.h"
#include "tools/answers/answer.h"
#include "tools/answers/gpu/origins.h"
#include "tools/answers/image/image_in_scope.h"
#include "tools/answers/image/predicted_image.h"
#include "tools/answers/image/usages.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace tilewise {

namespace {

/// The usages that something is known about for images of the format; those that include the asked usage come first.
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
        if (has_names(row.fact.formats, filter.format)) add(row.fact.usage);
    std::stable_partition(usages.begin(), usages.end(),
                          [&](const std::string& usage) { return has_names(usage, question.about.usage); });
    return usages;
}

/// The answer from observations and rules with exactly this usage.
Answer<FoundImage> find_with_usage(const db::Database& database, const ImageQuestion& question, const Scope& asked,
                                   const std::string& usage) {
    return answer_of([&] {
        ImageQuestion of_usage = question;
        Scope scope = asked;
        of_usage.about.usage = scope.filter.usage = usage;
        return find_image_in_scope(database, of_usage, scope);
    });
}

/// Puts an assumption before all others.
void assume_first(FoundImage& found, const std::string& line) {
    found.assumed.insert(found.assumed.begin(), line);
    mark_assumed(found.image, {line});
}

std::string unprobed_usage(const std::string& usage, const std::string& other) {
    return fmt::format("nobody has probed such images with the usage {}; this is their layout with {}", usage,
                       other.empty() ? "another usage, which is not known" : other);
}

/// Decides whether what was read with one usage holds for another. If the driver asked for the same sizes wherever it
/// was asked with both usages, the answer is predicted. If it asked for another size for this very image, or for more
/// than one in ten of the images, the answer is refused. Else it is an assumption.
void carry_to_usage(const UsageComparison& compared, const std::string& usage, bool assume, FoundImage& found) {
    ImageLayout& image = found.image;
    const std::string what = (image.format.empty() ? "" : image.format + " ") + extent_text(image.extent_px);
    if (!compared.is_offered)
        throw Error(fmt::format("the driver offers no {} image with the usage {}", image.format, usage));
    if (compared.size && compared.beside && *compared.size != *compared.beside) {
        if (compared.size->bytes == 0)
            throw Error(fmt::format("the driver offers no {} with the usage {}", what, usage));
        throw Error(fmt::format(
            "{} with the usage {} takes {} bytes, aligned to {}, and with {}, which is known, {}: it is laid out "
            "differently, compressed or padded, and nobody has read how; ask without --usage for the latter, or probe "
            "--usage {}",
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
    const std::string odds = fmt::format("in {} of {} images the driver asks for another size",
                                         compared.asked - compared.equal, compared.asked);
    if (10 * compared.equal < 9 * compared.asked && !assume)
        throw Error(
            fmt::format("nobody has probed {} images with the usage {}, and with {}, which is known, {}: give --assume "
                        "to get that answer anyway, or probe --usage {}",
                        image.format, usage, image.usage, odds, usage));
    assume_first(found, fmt::format("{}, and {}", unprobed_usage(usage, image.usage), odds));
}

/// The answer from images of another usage than the asked one, and how the sizes of the two usages compare.
struct OtherUsageAnswer {
    std::optional<UsageComparison> compared;
    Answer<FoundImage> answer;

    bool is_alike() const { return compared && compared->is_offered && compared->equal == compared->asked; }
    bool is_probed() const {
        return answer.index() == 0 && std::get<FoundImage>(answer).image.source == LayoutSource::probed;
    }
};

/// What was read with other usages may hold for the asked one. Usages whose sizes all agree with those of the asked
/// usage come first, and among these the ones that were probed. With `only_alike`, the remaining usages are left out:
/// they cannot improve on the answer that the caller has.
std::vector<OtherUsageAnswer> answers_by_other_usages(const db::Database& database, const ImageQuestion& question,
                                                      const Scope& asked, const std::vector<std::string>& usages,
                                                      bool only_alike) {
    const std::vector<db::UsageSizesRow> rows = find_usage_sizes(database, asked.filter, asked_kind(question));
    std::vector<OtherUsageAnswer> answers;
    for (const std::string& other : usages) {
        OtherUsageAnswer each = {compare_usages(rows, asked_kind(question), question.about.usage, other), Refusal{}};
        if (only_alike && !each.is_alike()) continue;
        each.answer = find_with_usage(database, question, asked, other);
        answers.push_back(std::move(each));
    }
    std::ranges::stable_sort(answers, std::greater(), [](const OtherUsageAnswer& each) {
        return std::pair(each.is_alike(), each.is_alike() && each.is_probed());
    });
    return answers;
}

/// Gives the image the asked usage if `compared` allows it; else throws Error.
void carry_or_assume(const std::optional<UsageComparison>& compared, const ImageQuestion& question, FoundImage& found) {
    const std::string& usage = question.about.usage;
    if (compared)
        carry_to_usage(*compared, usage, question.assume, found);
    else
        assume_first(found, unprobed_usage(usage, found.image.usage));
}

}  // namespace

FoundImage find_image_of_usage(const db::Database& database, const ImageQuestion& question, const Scope& asked) {
    const std::string& usage = question.about.usage;
    if (usage.empty()) {
        FoundImage found = find_image_in_scope(database, question, asked);
        found.other_usages = usages_that_differ(find_usage_sizes(database, asked.filter, found.image), found.image);
        return found;
    }
    std::vector<std::string> usages = known_usages(database, asked, question);
    const auto same = std::ranges::find(usages, probe::usage_named(usage), usage_bits);
    // An assumption from images of this very usage is worth less than facts about a usage with the same sizes.
    std::optional<FoundImage> assumed;
    if (same != usages.end()) {
        if (Answer<FoundImage> answer = find_with_usage(database, question, asked, *same); answer.index() == 0) {
            FoundImage found = or_throw(std::move(answer));
            if (found.assumed.empty()) return found;
            assumed = std::move(found);
        }
        usages.erase(same);
    }
    std::optional<Refusal> why_not;
    for (OtherUsageAnswer& each : answers_by_other_usages(database, question, asked, usages, assumed.has_value())) {
        if (each.answer.index() != 0) {
            if (!why_not) why_not = std::get<Refusal>(each.answer);
            continue;
        }
        FoundImage found = or_throw(std::move(each.answer));
        carry_or_assume(each.compared, question, found);
        if (!assumed || found.assumed.empty()) return found;
    }
    if (assumed) return *assumed;
    if (why_not) throw Error(why_not->why);
    ImageQuestion of_any_usage = question;
    Scope scope = asked;
    of_any_usage.about.usage.clear();
    scope.filter.usage.clear();
    FoundImage found = find_image_in_scope(database, of_any_usage, scope);
    const std::vector<db::UsageSizesRow> rows = find_usage_sizes(database, asked.filter, asked_kind(question));
    carry_or_assume(compare_usages(rows, asked_kind(question), usage, found.image.usage), question, found);
    return found;
}

}  // namespace tilewise
