// How the rules of two chips, drivers or databases for the same formats differ.
#pragma once
#include "db/query/difference.h"
#include "patterns/model/advance.h"
#include "tools/answers/image/predicted_image.h"
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace tilewise {

/// Two rules that are not the same; they may still predict the same images.
struct RulePair {
    db::ImageRuleRow a, b;
    std::vector<std::string> formats;  ///< that both rules are for
    size_t images = 0;                 ///< drawn at random; only those that both rules cover
    size_t differing = 0;              ///< the number of these images that lie differently
    std::string first;                 ///< the first of the differing images, with what differs
};

struct RuleDifference {
    size_t same = 0;  ///< formats, counted per image type and usage, for which both sides have the same rule
    std::vector<RulePair> pairs;
    /// Each format once: those whose rules all say the same or predict the same images, and those with a rule that does
    /// not.
    std::set<std::string> same_formats, other_formats;
    std::vector<db::ImageRuleRow> only_a, only_b;  ///< with the formats that the other side has no rule for
};

/// Compares rules for the same image type, usage and flags; and, as far as `same` demands it, of the same device and
/// driver. `advance` reports progress over the rules of `a`.
RuleDifference rule_difference(const std::vector<db::ImageRuleRow>& a, const std::vector<db::ImageRuleRow>& b,
                               const db::SameOrigin& same, const Advance& advance = {});

nlohmann::ordered_json to_json(const RuleDifference& difference);

}  // namespace tilewise
