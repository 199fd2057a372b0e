#include "tools/answers/image/beyond_bounds.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

std::optional<FoundImage> image_beyond_bounds(std::span<const db::ImageRuleRow> rules, const ImageKind& asked) {
    std::vector<db::ImageRuleRow> unbounded;
    std::string bounds;
    for (const db::ImageRuleRow& row : rules) {
        if (!has_names(row.fact.formats, asked.format) || row.fact.image_type != asked.type) continue;
        Rule rule = rule_from_json(row.fact.rule);
        bounds = fmt::format("{}, {}, {}", extent_text(rule.max_extent_px), counted(rule.max_levels, "level"),
                             counted(rule.max_layers, "layer"));
        for (unsigned axis = 0; axis < 3; axis++)
            if (rule.max_extent_px[axis] > 1) rule.max_extent_px[axis] = max_rule_side_px;
        if (rule.max_levels > 1) rule.max_levels = max_image_levels;
        if (rule.max_layers > 1) rule.max_layers = max_image_layers;
        unbounded.push_back(row);
        unbounded.back().fact.rule = to_json(rule);
    }
    std::optional<ImageLayout> image = only_prediction(unbounded, asked);
    if (!image) return {};
    FoundImage found = {*std::move(image)};
    found.assumed.push_back(fmt::format("images beyond {} were not probed: this is by the rule up to there", bounds));
    return found;
}

}  // namespace tilewise
