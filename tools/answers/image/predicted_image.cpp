#include "tools/answers/image/predicted_image.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include "tools/answers/gpu/origins.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tilewise {

namespace {

constexpr std::string_view documented = "documented";

Rule without_evidence(const db::ImageRuleRow& row) {
    Rule rule = rule_from_json(row.fact.rule);
    rule.formats.clear();
    rule.probes = 0;
    return rule;
}

}  // namespace

bool say_the_same(const db::ImageRuleRow& a, const db::ImageRuleRow& b) {
    return a.fact.usage == b.fact.usage && a.fact.flags == b.fact.flags && without_evidence(a) == without_evidence(b);
}

bool say_the_same_of_usages(const db::ImageRuleRow& a, const db::ImageRuleRow& b) {
    Rule of_other_usage = without_evidence(b);
    const Rule rule = without_evidence(a);
    of_other_usage.usage = rule.usage;
    return a.fact.flags == b.fact.flags && rule == of_other_usage;
}

std::vector<JoinedRules> join_versions(const std::vector<db::ImageRuleRow>& rules) {
    std::vector<JoinedRules> joined;
    for (const db::ImageRuleRow& row : rules) {
        const auto same = std::ranges::find_if(joined, [&](const JoinedRules& versions) {
            return is_same_model(versions.front().device, row.device) && say_the_same(versions.front(), row) &&
                   std::ranges::none_of(versions, [&](const auto& other) { return other.driver == row.driver; });
        });
        if (same == joined.end())
            joined.push_back({row});
        else
            same->push_back(row);
    }
    return joined;
}

std::vector<db::ImageRuleRow> newest_rules(std::vector<db::ImageRuleRow> rules) {
    std::ranges::stable_sort(rules, std::greater(), [](const db::ImageRuleRow& row) { return row.fact.time; });
    std::set<std::tuple<std::string, ImageType, std::string, std::string, uint32_t>> told;
    for (db::ImageRuleRow& row : rules) {
        std::string formats;
        for (const std::string& format : split(row.fact.formats))
            if (told.emplace(format, row.fact.image_type, row.fact.usage, row.fact.flags, db::samples_of(row.fact))
                    .second)
                formats += (formats.empty() ? "" : ",") + format;
        row.fact.formats = formats;
    }
    std::erase_if(rules, [](const db::ImageRuleRow& row) { return row.fact.formats.empty(); });
    return rules;
}

std::vector<db::ImageRuleRow> find_rules(const db::Database& database, const db::Filter& filter) {
    std::vector<db::ImageRuleRow> rules;
    for (const auto& [device, driver] : distinct_origins(database, filter))
        std::ranges::move(newest_rules(db::find_facts<db::ImageRuleFact>(database, device, driver)),
                          std::back_inserter(rules));
    return rules;
}

std::string rule_evidence(const Rule& rule, const std::string& provenance, const std::string& of) {
    if (provenance == documented)
        return printable(fmt::format("by a rule that texts describe{}; documented", of.empty() ? "" : " for " + of));
    return printable(fmt::format("by the rule learned from {} images{}{}", rule.probes, of.empty() ? "" : " of " + of,
                                 provenance == "hardware" ? "" : "; " + provenance));
}

PredictedImages predicted_images(std::span<const db::ImageRuleRow> rules, const ImageKind& wanted) {
    PredictedImages found;
    std::vector<db::ImageRuleRow> rows;  // the rule row of each image
    // If images of several usages lie alike, the answer names the usage that kernels need.
    std::vector<const db::ImageRuleRow*> plainest_first;
    for (const db::ImageRuleRow& row : rules) plainest_first.push_back(&row);
    std::stable_partition(plainest_first.begin(), plainest_first.end(),
                          [](const db::ImageRuleRow* row) { return has_names(row->fact.usage, "storage"); });
    for (const db::ImageRuleRow* each : plainest_first) {
        const db::ImageRuleRow& row = *each;
        if (!has_names(row.fact.formats, wanted.format) || row.fact.image_type != wanted.type ||
            row.fact.flags != wanted.flags || (!wanted.usage.empty() && row.fact.usage != wanted.usage))
            continue;
        const Rule rule = rule_from_json(row.fact.rule);
        if (rule.samples != wanted.samples) continue;
        Prediction prediction = predict(rule, wanted);
        if (!prediction.image) {
            found.why_not.push_back(prediction.why_not);
            continue;
        }
        ImageLayout& image = *prediction.image;
        image.usage = row.fact.usage;
        const std::string whose = fmt::format("{} ({})", row.device.name, driver_text(row.driver));
        image.evidence =
            rule_evidence(rule, row.fact.provenance, row.fact.provenance == documented ? row.device.name : whose);
        const auto alike = std::ranges::find_if(found.images, [&](const ImageLayout& other) {
            return other.bytes == image.bytes && lie_alike(other, image);
        });
        if (alike != found.images.end()) {
            // Another version of the driver: its rule may be worded differently.
            const db::ImageRuleRow& first = rows[static_cast<size_t>(alike - found.images.begin())];
            const std::string likewise = printable("; so it is with " + driver_text(row.driver));
            if (is_same_model(first.device, row.device) && first.driver != row.driver &&
                alike->evidence.find(likewise) == std::string::npos)
                alike->evidence += likewise;
            continue;
        }
        found.images.push_back(std::move(image));
        rows.push_back(row);
        found.choices.push_back(fmt::format("{} {}", whose, row.fact.usage));
    }
    return found;
}

std::optional<ImageLayout> only_prediction(std::span<const db::ImageRuleRow> rules, const ImageKind& wanted) {
    PredictedImages found = predicted_images(rules, wanted);
    if (found.images.size() != 1) return {};
    return std::move(found.images.front());
}

}  // namespace tilewise
