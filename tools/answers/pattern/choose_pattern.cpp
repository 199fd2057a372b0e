#include "tools/answers/pattern/choose_pattern.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "tools/answers/add_once.h"
#include "tools/answers/image/alike_format.h"
#include "tools/answers/image/observed_image.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace tilewise {

namespace {

/// Whether the aspect is color, depth or the first plane; or stencil, if the format has no depth.
bool is_first_aspect(const db::ObservationFact& fact) {
    static constexpr std::string_view first[] = {"color", "depth", "plane0"};
    return std::ranges::find(first, fact.aspect) != std::end(first) || fact.format == "S8_UINT";
}

PlainRank rank(const db::ObservationRow& row) { return plain_rank(row.fact); }

/// The rank without the size.
auto plainness(const db::ObservationRow& row) {
    const auto [one_sample, no_flags, first_aspect, first, plain, texels] = rank(row);
    return std::tuple(one_sample, no_flags, first_aspect, first, plain);
}

std::string device_text(const db::ObservationRow& row) {
    if (row.driver.info.empty() && row.driver.version.empty()) return row.device.name;
    return fmt::format("{} ({})", row.device.name, driver_text(row.driver));
}

std::string extent_text_of(const db::ObservationRow& row) {
    return extent_text(Coord{row.fact.extent_px[0], row.fact.extent_px[1], row.fact.extent_px[2], row.fact.samples});
}

[[noreturn]] void ambiguous(const std::map<std::string, const db::ObservationRow*>& choices) {
    constexpr size_t most = 8;
    std::vector<std::string> texts;
    for (const auto& [id, row] : choices) {
        if (texts.size() == most) break;
        texts.push_back(fmt::format("{} ({}, {} {} {})", id, row->device.name, row->fact.format, extent_text_of(*row),
                                    row->fact.usage));
    }
    if (choices.size() > most) texts.push_back(fmt::format("and {} more", choices.size() - most));
    throw UsageError(
        fmt::format("these are {} patterns: {}; be more specific with --gpu, --driver, --format, --extent or "
                    "--usage; layout, snippet and show take one of them with --pattern",
                    choices.size(), fmt::join(texts, ", ")));
}

}  // namespace

PlainRank plain_rank(const db::ObservationFact& fact) {
    const auto& [width, height, depth] = fact.extent_px;
    return {fact.samples == 1,
            fact.flags.empty(),
            is_first_aspect(fact),
            fact.level == 0 && fact.layer == 0,
            fact.type == ImageType::two_d && fact.levels == 1 && fact.layers == 1,
            uint64_t{width} * height * depth};
}

std::string format_text(const db::ObservationFact& fact) {
    return aspects_of_format(fact.format).size() < 2 ? fact.format : fmt::format("{} ({})", fact.format, fact.aspect);
}

PatternScope ask_pattern(const db::Database& database, const ImageQuestion& question) {
    return pattern_scope(database, ask(database, question.about), question);
}

PatternScope pattern_scope(const db::Database& database, Scope scope, const ImageQuestion& question) {
    PatternScope asked = {std::move(scope), ""};
    if (question.pattern.empty()) asked.alike = take_alike_format(database, asked.scope, question.about.format);
    if (auto newest = of_newest_driver(database, asked.scope);
        newest && !db::find_observations(database, newest->filter).empty())
        asked.scope = *std::move(newest);
    return asked;
}

bool take_usual_format(const db::Database& database, db::Filter& filter) {
    const bool is_open = filter.format.empty() && filter.pattern.empty() && filter.mode.empty() && !filter.extent;
    if (!is_open || (!filter.devices && filter.device.empty())) return false;
    if (db::find_patterns(database, filter).size() < 2) return false;  // there is nothing to choose
    db::Filter usual = filter;
    usual.format = "R8G8B8A8_UNORM";
    if (db::find_patterns(database, usual).empty()) return false;
    filter = std::move(usual);
    return true;
}

std::string usual_format_text(const db::Filter& filter) {
    return fmt::format("No --format was given: this is {}; tilewise formats --gpu lists the others.", filter.format);
}

std::string others_text(const ChosenPattern& chosen, bool has_extent) {
    if (chosen.others == 0) return "";
    if (has_extent)
        return fmt::format(
            "This is the pattern of the plainest image of that extent. {} {} to images with levels, layers, "
            "samples or flags, or to other aspects: tilewise query lists all, tilewise layout has each.",
            counted(chosen.others, "other pattern"), chosen.others == 1 ? "belongs" : "belong");
    return fmt::format(
        "This is the pattern of the largest plain image, {}. {} {} smaller images, or images with levels, "
        "layers, depth, samples, flags or other aspects: choose by --extent; tilewise query lists all.",
        extent_text_of(chosen.image), counted(chosen.others, "other pattern"),
        chosen.others == 1 ? "belongs to" : "belong to");
}

const db::ObservationRow* plainest_image(const std::vector<db::ObservationRow>& rows, std::string_view pattern) {
    const db::ObservationRow* best = nullptr;
    const auto rank_of = [](const db::ObservationRow& row) {
        return std::tuple(row.fact.aspect == aspect_name(Aspect::color), plain_rank(row.fact));
    };
    for (const db::ObservationRow& row : rows)
        if (row.pattern == pattern && row.fact.layout && (!best || rank_of(row) > rank_of(*best))) best = &row;
    return best;
}

std::vector<db::ObservationRow> plainest(std::vector<db::ObservationRow> rows) {
    if (rows.empty()) return rows;
    const auto most = plainness(*std::ranges::max_element(rows, {}, plainness));
    std::erase_if(rows, [&](const db::ObservationRow& row) { return plainness(row) != most; });
    return rows;
}

std::optional<FoundImage> find_unobserved(const db::Database& database, const db::Filter& filter,
                                          const ImageQuestion& question) {
    if (!filter.extent || filter.format.empty() || !filter.pattern.empty()) return std::nullopt;
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    std::erase_if(rows, [](const db::ObservationRow& row) { return !row.fact.layout.has_value(); });
    const auto has_asked_flags = [&](const db::ObservationRow& row) { return row.fact.flags == question.flags; };
    if (std::ranges::any_of(rows, has_asked_flags)) return std::nullopt;
    Answer<FoundImage> found = find_image(question, database);
    if (found.index() != 0 && !rows.empty()) return std::nullopt;
    return or_throw(std::move(found));
}

ChosenPattern pattern_of(const FoundImage& found, const db::Database& database, db::Filter filter) {
    filter.extent.reset();
    filter.usage.clear();                       // the image may have a rule's usage, or be assumed from another usage
    filter.mode.clear();                        // the image has it; other images tell the rest
    if (filter.devices) filter.format.clear();  // if a rule answers, maybe none of this format was observed
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    if (rows.empty()) throw Error(why_not_observed(database, filter));
    ChosenPattern chosen;
    chosen.image = *std::ranges::max_element(rows, {}, rank);
    db::ObservationFact& fact = chosen.image.fact;
    const Subresource& part = found.image.subresources.front();
    static_cast<ImageKind&>(fact) = found.image;
    fact.aspect = aspect_name(part.aspect);
    fact.level = part.level;
    fact.layer = 0;
    fact.layout = part.layout;
    chosen.id = pattern_id(fact.layout->pattern);
    chosen.extents = {extent_text_of(chosen.image)};
    chosen.devices = {device_text(chosen.image)};
    chosen.provenance = {chosen.image.fact.provenance};
    return chosen;
}

ChosenPattern choose_pattern(const db::Database& database, const db::Filter& filter) {
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    std::erase_if(rows, [](const db::ObservationRow& row) { return !row.fact.layout; });
    if (rows.empty()) throw Error(why_not_observed(database, filter));
    const auto has_flags = [](const db::ObservationRow& row) { return !row.fact.flags.empty(); };
    if (!std::ranges::all_of(rows, has_flags)) std::erase_if(rows, has_flags);
    std::ranges::stable_sort(rows, {}, rank);

    // The largest image of each device, driver, format and usage decides.
    using Group = std::tuple<std::string, std::string, std::string, std::string>;
    std::map<Group, const db::ObservationRow*> largest;
    for (const db::ObservationRow& row : rows)
        largest[{row.device.name, driver_text(row.driver), row.fact.format, row.fact.usage}] = &row;
    std::map<std::string, const db::ObservationRow*> choices;
    for (const auto& [group, row] : largest) {
        const db::ObservationRow*& choice = choices[row->pattern];
        if (!choice || rank(*choice) < rank(*row)) choice = row;
    }
    if (choices.size() > 1) ambiguous(choices);

    ChosenPattern chosen;
    chosen.id = choices.begin()->first;
    chosen.image = *choices.begin()->second;
    std::vector<std::string> patterns;
    std::set<std::pair<uint64_t, std::string>> extents;  // ordered by their texels
    for (const db::ObservationRow& row : rows) {
        add_once(patterns, row.pattern);
        if (row.pattern != chosen.id) continue;
        chosen.observations++;
        extents.emplace(std::get<uint64_t>(rank(row)), extent_text_of(row));
        add_once(chosen.devices, device_text(row));
        add_once(chosen.provenance, row.fact.provenance);
    }
    for (const auto& [texels, text] : extents) chosen.extents.push_back(text);
    chosen.others = patterns.size() - 1;
    if (filter.pattern.empty() && !is_first_aspect(chosen.image.fact))
        throw Error(
            fmt::format("of {}, only the {} has a pattern there; tilewise layout says what is known of the rest, and "
                        "takes that one with --pattern {}",
                        chosen.image.fact.format, chosen.image.fact.aspect, chosen.id));
    return chosen;
}

}  // namespace tilewise
