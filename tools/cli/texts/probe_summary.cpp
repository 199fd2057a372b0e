#include "tools/cli/texts/probe_summary.h"
#include "db/facts/json.h"
#include "patterns/model/error.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/picture/picture.h"
#include "tools/answers/image/observed_image.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/texts/images_text.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace tilewise {

namespace {

using Json = nlohmann::ordered_json;
constexpr size_t shown_id_digits = 8;

std::string way_text(const db::ObservationFact& fact) {
    return fact.memory_type < 0 ? fact.route : fmt::format("{}:{}", fact.route, fact.memory_type);
}

/// One row for each format and pattern (or result): the images that have it, and the routes that found it.
std::vector<Row> pattern_rows(const ProbedDevice& probed) {
    struct Image {
        const db::ObservationFact* fact;
        std::string pattern;
        std::set<std::string> ways;
    };
    std::vector<Image> images;  // each has one result
    for (const Probed& result : probed.results) {
        const db::ObservationFact& fact = result.observation.fact;
        const std::string& pattern = result.observation.pattern;
        auto image = std::find_if(images.begin(), images.end(), [&](const Image& i) {
            return std::tie(i.fact->format, i.pattern, i.fact->result) == std::tie(fact.format, pattern, fact.result) &&
                   image_text(*i.fact) == image_text(fact);
        });
        if (image == images.end()) image = images.insert(images.end(), {&fact, pattern, {}});
        image->ways.insert(way_text(fact));
    }
    std::map<std::string, size_t> format_place;  // in the plan's order
    for (const Image& image : images) format_place.try_emplace(image.fact->format, format_place.size());
    std::stable_sort(images.begin(), images.end(), [&](const Image& a, const Image& b) {
        return std::tuple(format_place[a.fact->format], a.fact->extent_px) <
               std::tuple(format_place[b.fact->format], b.fact->extent_px);
    });
    struct Line {
        Row row;
        std::vector<const db::ObservationFact*> facts;
    };
    std::vector<Line> lines;
    for (const Image& image : images) {
        const db::ObservationFact& fact = *image.fact;
        const Row row = {fact.format, image.pattern.empty() ? "-" : image.pattern.substr(0, shown_id_digits),
                         fact.layout ? pattern_title(fact.layout->pattern) : fact.result,
                         fmt::format("{}", fmt::join(image.ways, " "))};
        const auto same = std::ranges::find(lines, row, &Line::row);
        (same == lines.end() ? lines.emplace_back(Line{row, {}}) : *same).facts.push_back(&fact);
    }
    std::vector<Row> rows = {{"format", "pattern", "", "extents", "read by route:memory type"}};
    for (Line& line : lines) {
        line.row.insert(line.row.begin() + 3, images_text(line.facts));
        rows.push_back(std::move(line.row));
    }
    return rows;
}

/// Prints what was not exact: each reason once, with the first image that it was given for.
void print_failures(const ProbedDevice& probed) {
    struct Failure {
        const db::ObservationFact* first;
        uint64_t more;
    };
    std::vector<Failure> failures;
    for (const Probed& result : probed.results) {
        const db::ObservationFact& fact = result.observation.fact;
        if (fact.layout) continue;
        const auto same = std::find_if(failures.begin(), failures.end(), [&](const Failure& failure) {
            return failure.first->result == fact.result && failure.first->reason == fact.reason;
        });
        if (same == failures.end())
            failures.push_back({&fact, 0});
        else
            ++same->more;
    }
    if (failures.empty()) return;
    print_text("\nnot exact:\n");
    std::vector<Row> rows;
    rows.reserve(failures.size());
    for (const auto& [fact, more] : failures)
        rows.push_back({fact->result, fmt::format("{} {}", fact->format, image_text(*fact)), way_text(*fact),
                        fact->reason + (more > 0 ? fmt::format(" ({} more)", more) : "")});
    print_columns(rows, 2);
}

void print_pairs(const char* title, const std::vector<ReadingPair>& pairs) {
    if (pairs.empty()) return;
    print_text(title);
    for (const ReadingPair& pair : pairs) print_line("  " + pair.text);
}

std::string counts_text(const ProbedDevice& probed) {
    std::string text;
    for (const auto& [result, count] : count_results(probed))
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, result);
    return text.empty() ? "none" : text;
}

std::set<std::string> pattern_ids(const ProbedDevice& probed) {
    std::set<std::string> ids;
    for (const Probed& result : probed.results)
        if (result.observation.fact.layout) ids.insert(result.observation.pattern);
    return ids;
}

Json pairs_json(const std::vector<ReadingPair>& pairs) {
    Json json = Json::array();
    const auto offset_json = [](const std::optional<uint64_t>& offset) { return offset ? Json(*offset) : Json(); };
    for (const ReadingPair& pair : pairs)
        json.push_back({{"first", pair.first},
                        {"second", pair.second},
                        {"differing", pair.difference.differing},
                        {"element", pair.difference.element},
                        {"first_offset", offset_json(pair.difference.first)},
                        {"second_offset", offset_json(pair.difference.second)},
                        {"text", pair.text}});
    return json;
}

/// The image layouts of all images whose subresources were all read.
Json images_json(const ProbedDevice& probed) {
    std::vector<const db::ObservationRow*> rows;
    for (const Probed& result : probed.results) rows.push_back(&result.observation);
    Json json = Json::array();
    for (const ObservedImage& observed : observed_images(rows)) {
        if (observed.image.subresources.empty()) continue;  // a disagreement, listed as such
        try {
            require_consistent(observed.image);
            json.push_back(to_json(observed.image));
        } catch (const Error& error) {
            print_note(fmt::format("no image layout of {} {}: {}", observed.image.format,
                                   extent_text(observed.image.extent_px), error.what()));
        }
    }
    return json;
}

}  // namespace

std::map<std::string, uint64_t> count_results(const ProbedDevice& probed) {
    std::map<std::string, uint64_t> counts;
    for (const Probed& result : probed.results) ++counts[result.observation.fact.result];
    return counts;
}

void print_summary(const ProbedDevice& probed) {
    print_line(fmt::format("{} (device {}), {}", probed.device.name, probed.device.index,
                           driver_text(driver_fact(probed.device))));
    print_text("\n");
    print_table(pattern_rows(probed));
    print_failures(probed);
    print_pairs("\ndisagreements between routes or memory types:\n", probed.disagreements);
    print_pairs("\nlayout depends on usage:\n", probed.usage_differences);
    const auto raw_differs = std::count_if(probed.results.begin(), probed.results.end(),
                                           [](const Probed& result) { return result.raw_copy == "differs"; });
    if (raw_differs > 0)
        print_text(fmt::format("\nthe raw host copy differs from the mapped memory in {} readings\n", raw_differs));
    const auto fresh = std::count_if(probed.results.begin(), probed.results.end(),
                                     [](const Probed& result) { return result.new_pattern; });
    print_text(fmt::format("\n{}: {}; {}, {} of them new; {:.2f} s\n", counted(probed.results.size(), "observation"),
                           counts_text(probed), counted(pattern_ids(probed).size(), "pattern"), fresh, probed.seconds));
}

Json summary_json(const ProbedDevice& probed) {
    Json observations = Json::array();
    for (const Probed& result : probed.results) {
        Json observation = db::to_json(result.observation);
        for (const char* said_once : {"device", "driver"}) observation.erase(said_once);
        observation["raw_copy"] = result.raw_copy;
        observation["seconds"] = result.seconds;
        observations.push_back(std::move(observation));
    }
    return {{"index", probed.device.index},
            {"device", db::to_json(device_fact(probed.device))},
            {"driver", db::to_json(driver_fact(probed.device))},
            {"planned", probed.planned},
            {"seconds", probed.seconds},
            {"counts", count_results(probed)},
            {"patterns", pattern_ids(probed)},
            {"observations", std::move(observations)},
            {"images", images_json(probed)},
            {"disagreements", pairs_json(probed.disagreements)},
            {"usage_differences", pairs_json(probed.usage_differences)}};
}

}  // namespace tilewise
