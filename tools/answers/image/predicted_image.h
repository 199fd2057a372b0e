// What learned rules predict of an image.
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
/// names the device, if that is to be said.
std::string rule_evidence(const Rule& rule, const std::string& provenance, const std::string& of = "");

struct PredictedImages {
    std::vector<ImageLayout> images;   ///< each other way in which the image may lie once
    std::vector<std::string> choices;  ///< the device and driver of each
    std::vector<std::string> why_not;  ///< of rules that are of such images, but not of this one
};

/// The newest rule of each format for one device and driver: what was learned anew replaces what was known.
std::vector<db::ImageRuleRow> newest_rules(std::vector<db::ImageRuleRow> rules);

/// The rules of the devices and drivers that the filter names, the newest of each.
std::vector<db::ImageRuleRow> find_rules(const db::Database& database, const db::Filter& filter);

/// A usage that is wanted is that of the rules, as the database has it; without one, all may answer.
PredictedImages predicted_images(std::span<const db::ImageRuleRow> rules, const ImageKind& wanted);

/// None where the rules say nothing of the image, or several things.
std::optional<ImageLayout> only_prediction(std::span<const db::ImageRuleRow> rules, const ImageKind& wanted);

/// Apart from the formats that they are of, and the number of images that they were learned from.
bool say_the_same(const db::ImageRuleRow& a, const db::ImageRuleRow& b);

/// Likewise, and apart from the usage.
bool say_the_same_of_usages(const db::ImageRuleRow& a, const db::ImageRuleRow& b);

/// Rules of one device model that say the same, each with another version of the driver.
using JoinedRules = std::vector<db::ImageRuleRow>;
std::vector<JoinedRules> join_versions(const std::vector<db::ImageRuleRow>& rules);

}  // namespace tilewise
