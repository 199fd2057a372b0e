#include "tools/runs/probe/learning.h"
#include "db/facts/image_rule.h"
#include "patterns/rules/rule_json.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

bool is_offered(const probe::DeviceInfo& device, uint32_t format) {
    return std::ranges::any_of(device.formats,
                               [&](const auto& support) { return support.format == format && support.features != 0; });
}

}  // namespace

std::vector<std::string> formats_to_learn(const probe::DeviceInfo& device) {
    std::vector<std::string> formats = {"R8G8B8A8_UNORM",
                                        "R8_UNORM",
                                        "R8G8_UNORM",
                                        "R16G16B16A16_SFLOAT",
                                        "R32G32B32A32_SFLOAT",
                                        "BC1_RGBA_UNORM_BLOCK",
                                        "BC7_UNORM_BLOCK",
                                        "D32_SFLOAT",
                                        "D16_UNORM"};
    for (const probe::Format& format : probe::known_formats()) {
        const bool usual = format.kind != probe::FormatKind::ycbcr && probe::aspects_of(format).size() == 1;
        if (usual && std::ranges::find(formats, format.name) == formats.end()) formats.emplace_back(format.name);
    }
    std::erase_if(formats, [&](const std::string& name) { return !is_offered(device, probe::format_named(name).id); });
    return formats;
}

std::vector<std::string> formats_to_size(const probe::DeviceInfo& device) {
    std::vector<std::string> formats = formats_to_learn(device);
    for (const probe::Format& format : probe::known_formats())
        if (probe::has_depth_and_stencil(format) && is_offered(device, format.id)) formats.emplace_back(format.name);
    return formats;
}

std::vector<Rule> rules_known(const db::Database& database) {
    std::vector<Rule> rules;
    for (const db::ImageRuleRow& row : db::find_facts<db::ImageRuleFact>(database))
        rules.push_back(rule_from_json(row.fact.rule));
    return rules;
}

std::string outcome_of(const LearnedKind& kind) {
    return fmt::format("{} {}{}: {} images, {}", kind.formats.front(), image_type_name(kind.type),
                       kind.samples > 1 ? fmt::format(", {} samples", kind.samples) : "", kind.probes,
                       !kind.rule      ? "no rule: " + kind.why_not
                       : kind.is_known ? "all as a known rule says"
                       : kind.why_not.empty()
                           ? "all explained"
                           : fmt::format("a rule for one level{}; with more, {}",
                                         kind.rule->max_layers == 1 ? " and one layer" : "", kind.why_not));
}

bool keep_rule(const probe::DeviceInfo& device, const LearnedKind& kind, db::Database& database) {
    if (kind.rule)
        db::add_fact(database, device_fact(device), driver_fact(device), rule_fact(*kind.rule, kind.formats));
    return kind.rule.has_value();
}

void keep_usage_sizes(const probe::DeviceInfo& device, const AskedSizes& asked, db::Database& database) {
    for (const db::UsageSizesFact& fact : asked.facts)
        db::add_fact(database, device_fact(device), driver_fact(device), fact);
}

}  // namespace tilewise
