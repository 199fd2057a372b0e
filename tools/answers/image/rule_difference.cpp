#include "tools/answers/image/rule_difference.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "patterns/rules/learn.h"
#include "patterns/rules/rule_json.h"
#include "probe/learn/learn_rules.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tilewise {

namespace {

/// The key that two rules for the same images share if their devices and drivers count as the same.
using ImagesOfRule = std::tuple<ImageType, std::string, std::string, uint32_t, std::string, std::string>;

ImagesOfRule images_of(const db::ImageRuleRow& row, const db::SameOrigin& same) {
    const db::DriverFact& driver = row.driver;
    return {row.fact.image_type,
            row.fact.usage,
            row.fact.flags,
            db::samples_of(row.fact),
            same.device ? row.device.name : "",
            same.driver_as(row.device.name, driver.info.empty() ? driver.name : driver.name + " " + driver.info)};
}

/// Rules grouped by their images, in their original order.
class RulesByImages {
public:
    RulesByImages(const std::vector<db::ImageRuleRow>& rows, const db::SameOrigin& same) : same_(same) {
        for (const db::ImageRuleRow& row : rows) rules_[images_of(row, same)].push_back(&row);
    }

    std::span<const db::ImageRuleRow* const> of_same_images(const db::ImageRuleRow& row) const {
        const auto found = rules_.find(images_of(row, same_));
        if (found == rules_.end()) return {};
        return found->second;
    }

private:
    const db::SameOrigin& same_;
    std::map<ImagesOfRule, std::vector<const db::ImageRuleRow*>> rules_;
};

std::vector<std::string> formats_of_both(const db::ImageRuleRow& a, const db::ImageRuleRow& b) {
    std::vector<std::string> both = split(a.fact.formats);
    const std::vector<std::string> others = split(b.fact.formats);
    std::erase_if(both, [&](const std::string& format) { return std::ranges::count(others, format) == 0; });
    return both;
}

/// Compares both rules on images drawn at random.
void compare_predictions(RulePair& pair) {
    constexpr size_t drawn = 400;
    constexpr uint32_t max_side = 4096;
    constexpr uint64_t max_elements = 1 << 20;
    const Rule a = rule_from_json(pair.a.fact.rule), b = rule_from_json(pair.b.fact.rule);
    std::mt19937_64 random(1);
    for (size_t i = 0; i < drawn; i++) {
        const WantedImage image = draw_image(random, kind_of(a, pair.formats.front()), max_side, max_elements);
        const ImageLayout wanted = image_of(a, image);
        const Prediction of_a = predict(a, wanted), of_b = predict(b, wanted);
        if (!of_a.image || !of_b.image) continue;
        pair.images++;
        if (of_a.image->bytes == of_b.image->bytes && of_a.image->alignment == of_b.image->alignment &&
            lie_alike(*of_a.image, *of_b.image))
            continue;
        const std::string why = difference(*of_a.image, *of_b.image);
        if (why.empty()) continue;
        if (pair.differing++ == 0)
            pair.first = fmt::format("{}, {}, {}: {}", sides_text(image.extent_px), counted(image.levels, "level"),
                                     counted(image.layers, "layer"), why);
    }
}

std::vector<db::ImageRuleRow> without_counterpart(const std::vector<db::ImageRuleRow>& rows,
                                                  const std::vector<db::ImageRuleRow>& others,
                                                  const db::SameOrigin& same) {
    const RulesByImages by_images(others, same);
    std::vector<db::ImageRuleRow> alone;
    for (const db::ImageRuleRow& row : rows) {
        std::vector<std::string> formats = split(row.fact.formats);
        for (const db::ImageRuleRow* other : by_images.of_same_images(row))
            for (const std::string& both : formats_of_both(row, *other)) std::erase(formats, both);
        if (formats.empty()) continue;
        alone.push_back(row);
        alone.back().fact.formats = fmt::format("{}", fmt::join(formats, ","));
    }
    return alone;
}

nlohmann::ordered_json to_json(const std::vector<db::ImageRuleRow>& rows) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const db::ImageRuleRow& row : rows)
        json.push_back({{"device", row.device.name},
                        {"driver", driver_text(row.driver)},
                        {"formats", row.fact.formats},
                        {"image_type", row.fact.image_type},
                        {"usage", row.fact.usage},
                        {"flags", row.fact.flags},
                        {"rule", row.fact.rule.value()}});
    return json;
}

}  // namespace

RuleDifference rule_difference(const std::vector<db::ImageRuleRow>& a, const std::vector<db::ImageRuleRow>& b,
                               const db::SameOrigin& same, const Advance& advance) {
    RuleDifference found;
    const RulesByImages by_images(b, same);
    for (const db::ImageRuleRow& of_a : a) {
        for (const db::ImageRuleRow* of_b : by_images.of_same_images(of_a)) {
            const std::vector<std::string> formats = formats_of_both(of_a, *of_b);
            if (formats.empty()) continue;
            if (say_the_same(of_a, *of_b)) {
                found.same += formats.size();
                found.same_formats.insert(formats.begin(), formats.end());
                continue;
            }
            RulePair pair = {of_a, *of_b, formats, 0, 0, {}};
            compare_predictions(pair);
            if (pair.differing == 0)
                found.same_formats.insert(pair.formats.begin(), pair.formats.end());
            else
                found.other_formats.insert(pair.formats.begin(), pair.formats.end());
            found.pairs.push_back(std::move(pair));
        }
        tell(advance, static_cast<uint64_t>(&of_a - a.data()) + 1, a.size());
    }
    for (const std::string& format : found.other_formats) found.same_formats.erase(format);
    found.only_a = without_counterpart(a, b, same);
    found.only_b = without_counterpart(b, a, same);
    return found;
}

nlohmann::ordered_json to_json(const RuleDifference& difference) {
    nlohmann::ordered_json pairs = nlohmann::ordered_json::array();
    for (const RulePair& pair : difference.pairs)
        pairs.push_back({{"formats", fmt::format("{}", fmt::join(pair.formats, ","))},
                         {"image_type", pair.a.fact.image_type},
                         {"usage", pair.a.fact.usage},
                         {"flags", pair.a.fact.flags},
                         {"images", pair.images},
                         {"differing", pair.differing},
                         {"first", pair.first},
                         {"a", to_json(std::vector{pair.a}).front()},
                         {"b", to_json(std::vector{pair.b}).front()}});
    return {{"same", difference.same},
            {"same_formats", difference.same_formats.size()},
            {"other_formats", difference.other_formats},
            {"pairs", pairs},
            {"only_a", to_json(difference.only_a)},
            {"only_b", to_json(difference.only_b)}};
}

}  // namespace tilewise
