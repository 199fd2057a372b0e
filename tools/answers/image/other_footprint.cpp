#include "tools/answers/image/other_footprint.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include "tools/answers/gpu/origins.h"
#include "tools/answers/image/predicted_image.h"
#include "tools/answers/question.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

bool is_block(const Element& element) { return element.width > 1 || element.height > 1; }

uint32_t scaled(uint32_t texels, uint32_t from, uint32_t to) {
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{texels} / from * to, max_rule_side_px));
}

}  // namespace

Rule with_footprint(Rule rule, const Element& element) {
    const Element from = std::exchange(rule.element, element);
    for (BlockMode& mode : rule.modes) mode.pattern.element = element;
    rule.max_extent_px[axis_x] = scaled(rule.max_extent_px[axis_x], from.width, element.width);
    rule.max_extent_px[axis_y] = scaled(rule.max_extent_px[axis_y], from.height, element.height);
    return rule;
}

std::optional<FoundImage> image_of_other_footprint(const db::Database& database, const db::Filter& filter,
                                                   const ImageKind& asked) {
    const AskedFormat format = asked_format(asked.format);
    if (!is_block(format.element) || format.aspects != std::vector{Aspect::color}) return {};
    const db::Filter all = of_any_image(filter);
    std::vector<db::ImageRuleRow> of_blocks;
    std::string other;
    for (db::ImageRuleRow& row : find_rules(database, all)) {
        if (has_names(row.fact.formats, asked.format)) return {};
        Rule rule = rule_from_json(row.fact.rule);
        if (!is_block(rule.element) || rule.element == format.element || rule.element.bytes != format.element.bytes ||
            rule.aspect != Aspect::color)
            continue;
        if (other.empty()) other = split(row.fact.formats).front();
        row.fact.rule = to_json(with_footprint(std::move(rule), format.element));
        row.fact.formats = asked.format;
        of_blocks.push_back(std::move(row));
    }
    std::optional<ImageLayout> image = only_prediction(of_blocks, asked);
    if (!image) return {};
    FoundImage found = {*std::move(image)};
    found.assumed.push_back(fmt::format(
        "nobody has probed {} there; this is the layout of {}, whose blocks have the same size", asked.format, other));
    return found;
}

}  // namespace tilewise
