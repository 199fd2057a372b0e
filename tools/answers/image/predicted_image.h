// What learned rules predict about an image.
#pragma once
#include "db/facts/image_rule.h"
#include "db/query/filter.h"
#include "db/sqlite/database.h"
#include "patterns/rules/rule.h"
#include <span>
#include <string>
#include <vector>

namespace tilewise {

/// "by the rule learned from 999 images of Apple M1 (G13G A0) (Honeykrisp Mesa 26.1.6); driver without hardware"; `of`
/// names the device, if it is to be named.
std::string rule_evidence(const Rule& rule, const std::string& provenance, const std::string& of = "");

struct PredictedImages {
    std::vector<ImageLayout> images;   ///< each different way in which the image may lie, once
    std::vector<std::string> choices;  ///< the device and driver of each
    std::vector<std::string> why_not;  ///< from rules that are for such images, but do not cover this one
};

/// The newest rule for each format of one device and driver: what was learned again replaces what was known.
std::vector<db::ImageRuleRow> newest_rules(std::vector<db::ImageRuleRow> rules);

/// The newest rules of each device and driver that the filter names.
std::vector<db::ImageRuleRow> find_rules(const db::Database& database, const db::Filter& filter);

/// A wanted usage must be spelled as the database stores it, and only its rules answer; without one, all rules may.
PredictedImages predicted_images(std::span<const db::ImageRuleRow> rules, const ImageKind& wanted);

/// None if the rules say nothing about the image, or contradict one another.
std::optional<ImageLayout> only_prediction(std::span<const db::ImageRuleRow> rules, const ImageKind& wanted);

/// Compares all but the formats that the rules are for, and the number of images that they were learned from.
bool say_the_same(const db::ImageRuleRow& a, const db::ImageRuleRow& b);

/// Likewise, without the usage.
bool say_the_same_of_usages(const db::ImageRuleRow& a, const db::ImageRuleRow& b);

/// Rules of one device model that say the same, each for another version of the driver.
using JoinedRules = std::vector<db::ImageRuleRow>;
std::vector<JoinedRules> join_versions(const std::vector<db::ImageRuleRow>& rules);

}  // namespace tilewise
