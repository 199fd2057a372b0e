// How often chips lay images out alike: the odds of an answer that is another chip's.
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
    /// Whether it is seldom wrong to answer for one chip by another: nine times in ten they are alike.
    bool is_good() const { return compared > 0 && 10 * alike >= 9 * compared; }
};

/// Of all pairs of chips of the architecture, or without it of one architecture of the vendor's, whose rules are known,
/// by the driver that is part of that text, or without it by the newest version of each: how many lay this very image
/// out alike.
Agreement agreement_within(const db::Database& database, const std::string& vendor, const std::string& architecture,
                           const std::string& driver, const ImageKind& image);

/// Of the usual images of the format and type that are like this one, with or without levels and layers: how many two
/// sets of rules lay out alike.
Agreement agreement_of(const std::vector<db::ImageRuleRow>& a, const std::vector<db::ImageRuleRow>& b,
                       const ImageKind& like);

}  // namespace tilewise
