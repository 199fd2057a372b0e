// What the rules of two chips, drivers or databases say of the same formats.
#pragma once
#include "db/query/difference.h"
#include "patterns/model/advance.h"
#include "tools/answers/image/predicted_image.h"
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace tilewise {

/// Rules that are not the same: they may still predict the same images.
struct RulePair {
    db::ImageRuleRow a, b;
    std::vector<std::string> formats;  ///< that both are of
    size_t images = 0;                 ///< drawn at random, of which both rules say something
    size_t differing = 0;              ///< so many of them lie otherwise
    std::string first;                 ///< of these, with what differs
};

struct RuleDifference {
    size_t same = 0;  ///< formats, by image type and usage, of which both sides have the same rule
    std::vector<RulePair> pairs;
    /// Each once: of which all rules say the same or predict the same images, and of which some do not.
    std::set<std::string> same_formats, other_formats;
    std::vector<db::ImageRuleRow> only_a, only_b;  ///< with the formats that the other side has no rule of
};

/// Rules are compared that are of the same image type, usage and flags, and of the same device and driver, where these
/// are to be the same. `advance`: of the rules of `a`.
RuleDifference rule_difference(const std::vector<db::ImageRuleRow>& a, const std::vector<db::ImageRuleRow>& b,
                               const db::SameOrigin& same, const Advance& advance = {});

nlohmann::ordered_json to_json(const RuleDifference& difference);

}  // namespace tilewise
