// Whether the image that a job wrote is right.
#pragma once
#include "kernels/job.h"

namespace tilewise::kernels {

/// What an image must be.
struct Expectation {
    std::string key;                                ///< of the reference: equal keys, equal texels
    std::function<std::vector<float>()> reference;  ///< four channels a texel, row by row; may run on the checked image
    uint32_t additions = 1;                         ///< this and `slack` as in first_difference()
    double slack = 0;
};

/// What several jobs must give. It lives as long as the last of them, or as whoever makes more.
struct ReferenceCache {
    /// A result that was right, within the tolerance of so many additions and with so much slack.
    struct RightImage {
        uint64_t digest = 0;
        uint32_t additions = 0;
        double slack = 0;
    };
    struct Entry {
        std::vector<float> channels;  ///< the reference's; empty until they are wanted
        std::vector<RightImage> right;
    };
    std::map<std::string, Entry> entries = {};  ///< by Expectation::key
};
using References = std::shared_ptr<ReferenceCache>;

/// Texels that have the digest of such as were found right before, under the same expectation or a stricter one, are right;
/// all others are compared with the reference. Makes a pipeline: throws Error where it cannot.
ResultCheck image_check(ImagePool& pool, const References& references, const std::shared_ptr<const Texture>& result,
                        Expectation expectation);

}  // namespace tilewise::kernels
