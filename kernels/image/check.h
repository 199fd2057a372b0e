// Checks the image that a job wrote.
#pragma once
#include "kernels/job.h"

namespace tilewise::kernels {

/// What an image is expected to be.
struct Expectation {
    /// Names the reference: equal keys mean equal texels.
    std::string key;
    /// Gives four channels per texel, row by row, and may run on the checked image.
    std::function<std::vector<float>()> reference;
    /// `additions` and `slack` are as in first_difference().
    uint32_t additions = 1;
    double slack = 0;
};

/// The expected results of several jobs. It lives as long as the last of these, or as whoever creates more.
struct ReferenceCache {
    /// A result that was right within the tolerance for this number of additions and this slack.
    struct RightImage {
        uint64_t digest = 0;
        uint32_t additions = 0;
        double slack = 0;
    };
    struct Entry {
        /// The reference's channels; empty until they are needed.
        std::vector<float> channels;
        std::vector<RightImage> right;
    };
    /// The key is Expectation::key.
    std::map<std::string, Entry> entries = {};
};
using References = std::shared_ptr<ReferenceCache>;

/// Texels are right if their digest is that of texels that were found right before, under the same or a stricter
/// expectation; all others are compared with the reference. The check creates a pipeline, and throws Error if that
/// fails.
ResultCheck image_check(ImagePool& pool, const References& references, const std::shared_ptr<const Texture>& result,
                        Expectation expectation);

}  // namespace tilewise::kernels
