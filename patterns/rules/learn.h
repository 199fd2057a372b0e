// Learns, from probed images of one kind, the rule that explains them (patterns/rules/rule.h); reports what it does not
// explain.
//
// Each part of a rule is found separately from what the images show about it: modes are the patterns that explain all
// levels; the bytes between two levels show how long a level is; bounds are chosen to separate the levels of one mode
// from all others. Where several explanations are possible, the simplest is kept. Finally the rule predicts the images
// that it was learned from. For details see patterns/rules/learn/learner.h.
#pragma once
#include "patterns/rules/rule.h"
#include <span>

namespace tilewise {

struct Learned {
    Rule rule;
    /// Images that the rule mispredicts.
    std::vector<size_t> unexplained;
    /// What is wrong with the prediction for the first of them.
    std::string why;
    /// Where the bound of a choice could also lie: between values of the feature that no image had.
    struct Gap {
        Feature feature = Feature::width;
        /// The nearest values seen on each side.
        uint64_t below = 0, above = 0;
    };
    std::vector<Gap> gaps;
    /// Where the fraction of one of the budget's candidates could also lie: in [taken, refused).
    struct FractionGap {
        size_t candidate = 0;
        /// The largest fraction at which an image was seen to take the candidate.
        double taken = 0;
        /// The smallest fraction at which an image was seen not to.
        double refused = 0;
    };
    std::vector<FractionGap> fraction_gaps;
};

/// The images are of one kind (one element, image type, usage, sample count and set of flags) and have one aspect.
/// `before` is the rule learned from fewer of them, if any; its patterns are kept if they explain all images.
Learned learn(std::span<const ImageLayout> images, const Rule* before = nullptr);

/// Limits the rule to what these images cover.
void rest_on(Rule& rule, std::span<const ImageLayout> images);

/// Describes the first element of a probed image that a prediction puts elsewhere. Empty if there is none.
std::string misplaced_element(const ImageLayout& predicted, const ImageLayout& probed);

/// How a prediction differs from the probed image: in bytes, alignment, or the exact place of an element. Empty if it
/// does not.
std::string difference(const ImageLayout& predicted, const ImageLayout& probed);

}  // namespace tilewise
