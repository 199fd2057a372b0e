// From probed images of one kind to the rule that explains them (patterns/rules/rule.h), or to what it does not
// explain.
//
// Each part of a rule is found by itself from what the images show of it: modes are the patterns that explain all
// levels; the bytes between two levels show how long a level is; bounds are those that part the levels of one mode from
// all others. Where several explain the same, the simplest is kept. Then the rule predicts the images that it was
// learned from. How: patterns/rules/learn/learner.h.
#pragma once
#include "patterns/rules/rule.h"
#include <span>

namespace tilewise {

struct Learned {
    Rule rule;
    /// Images that the rule mispredicts.
    std::vector<size_t> unexplained;
    /// What is wrong with the prediction of the first of them.
    std::string why;
    /// Where a bound of a choice could also lie: values of the feature that no image had.
    struct Gap {
        Feature feature = Feature::width;
        /// The nearest values seen on each side.
        uint64_t below = 0, above = 0;
    };
    std::vector<Gap> gaps;
    /// Where the fraction of one of the budget's candidates could also lie: in [taken, refused).
    struct FractionGap {
        size_t candidate = 0;
        /// The largest fraction that an image was seen to take.
        double taken = 0;
        /// The smallest that one was seen not to take.
        double refused = 0;
    };
    std::vector<FractionGap> fraction_gaps;
};

/// The images are of one kind: one element, image type, usage, samples and flags, and have one aspect. `before`: what
/// fewer of them gave, if anything; its patterns are kept where they explain all.
Learned learn(std::span<const ImageLayout> images, const Rule* before = nullptr);

/// Makes the rule one that holds as far as these images reach.
void rest_on(Rule& rule, std::span<const ImageLayout> images);

/// The first element of a probed image that a prediction has at another place, in words. Empty where there is none.
std::string misplaced_element(const ImageLayout& predicted, const ImageLayout& probed);

/// Why a prediction differs from what was probed: bytes, alignment, or the exact place of an element. Empty where it
/// does not.
std::string difference(const ImageLayout& predicted, const ImageLayout& probed);

}  // namespace tilewise
