// Verifies rules on random images: predicts and probes them, then compares every element, bytes and alignment.
#pragma once
#include "patterns/rules/rule.h"
#include "probe/learn/image_source.h"
#include <functional>

namespace tilewise {

struct Verification {
    size_t drawn = 0, exact = 0, different = 0, refused = 0, unread = 0;
    /// One line for each of the first few images that are not exact.
    std::vector<std::string> differences;
};

/// Draws images of the rules' formats, equally many for each rule: extents log-uniform up to `max_side`, at most 16 Mi
/// elements, and no more levels and layers than the rule is about.
Verification verify_rules(const ImageSource& source, const std::vector<Rule>& rules, size_t count, uint64_t seed,
                          uint32_t max_side, const std::function<void(size_t)>& done);

}  // namespace tilewise
