#include "tools/answers/image/beyond_bounds.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// "16384x16384, 15 levels, 64 layers"
std::string bounds_of(const db::ImageRuleRow& row) {
    const Rule rule = rule_from_json(row.fact.rule);
    return fmt::format("{}, {}, {}", extent_text(rule.max_extent_px), counted(rule.max_levels, "level"),
                       counted(rule.max_layers, "layer"));
}

/// Lifts the rule's bounds, but keeps the image type, and whether images may have several levels or layers at all.
db::ImageRuleRow without_bounds(db::ImageRuleRow row) {
    Rule rule = rule_from_json(row.fact.rule);
    for (uint32_t& side : rule.max_extent_px)
        if (side > 1) side = max_rule_side_px;
    if (rule.max_levels > 1) rule.max_levels = max_image_levels;
    if (rule.max_layers > 1) rule.max_layers = max_image_layers;
    row.fact.rule = to_json(rule);
    return row;
}

}  // namespace

std::optional<FoundImage> image_beyond_bounds(std::span<const db::ImageRuleRow> rules, const ImageKind& asked) {
    std::vector<db::ImageRuleRow> unbounded;
    for (const db::ImageRuleRow& row : rules)
        if (has_names(row.fact.formats, asked.format) && row.fact.image_type == asked.type)
            unbounded.push_back(without_bounds(row));
    std::optional<ImageLayout> image = only_prediction(unbounded, asked);
    if (!image) return {};
    const auto is_of_it = [&](const db::ImageRuleRow& row) {
        return has_names(row.fact.formats, asked.format) && row.fact.image_type == asked.type &&
               row.fact.usage == image->usage;
    };
    const std::string bounds = bounds_of(*std::ranges::find_if(rules, is_of_it));
    FoundImage found = {*std::move(image)};
    found.assumed.push_back(
        fmt::format("images beyond {} were not probed: this follows the rule that holds up to there", bounds));
    return found;
}

}  // namespace tilewise
