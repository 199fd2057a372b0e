// Whether the image that a job wrote is right.
#pragma once
#include "kernels/job.h"

namespace tilewise::kernels {

/// What an image must be.
struct Expectation {
    /// It names the reference: equal keys, equal texels.
    std::string key;
    /// It gives four channels a texel, row by row, and may run on the checked image.
    std::function<std::vector<float>()> reference;
    /// This and `slack` are as in first_difference().
    uint32_t additions = 1;
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
        /// They are the reference's; empty until they are wanted.
        std::vector<float> channels;
        std::vector<RightImage> right;
    };
    /// The key is Expectation::key.
    std::map<std::string, Entry> entries = {};
};
using References = std::shared_ptr<ReferenceCache>;

/// Texels are right where their digest is that of texels that were found right before, under the same expectation or a
/// stricter one; all others are compared with the reference. The check makes a pipeline: it throws Error where it
/// cannot.
ResultCheck image_check(ImagePool& pool, const References& references, const std::shared_ptr<const Texture>& result,
                        Expectation expectation);

}  // namespace tilewise::kernels
