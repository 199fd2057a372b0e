// How often chips lay out images alike: the odds that an answer taken from another chip is right.
#pragma once
#include "db/facts/image_rule.h"
#include "db/sqlite/database.h"
#include "patterns/model/image_kind.h"
#include <cstddef>
#include <string>
#include <vector>

namespace tilewise {

struct Agreement {
    size_t compared = 0, alike = 0;
    /// Whether answering for one chip with another is seldom wrong: at least nine in ten comparisons are alike.
    bool is_good() const { return compared > 0 && 10 * alike >= 9 * compared; }
};

/// Compares all pairs of chips of the architecture whose rules are known, and counts the pairs that lay out this very
/// image alike. If `architecture` is empty, the pairs are those within each architecture of the vendor. `driver` is
/// part of the driver's name; if it is empty, each chip's newest driver version counts.
Agreement agreement_within(const db::Database& database, const std::string& vendor, const std::string& architecture,
                           const std::string& driver, const ImageKind& image);

/// Compares two sets of rules on the usual images of the format and type of `like`, with several levels or layers
/// exactly where `like` has several, and counts the images that they lay out alike.
Agreement agreement_of(const std::vector<db::ImageRuleRow>& a, const std::vector<db::ImageRuleRow>& b,
                       const ImageKind& like);

}  // namespace tilewise
