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

/// For Job::check: runs the job once over a poisoned `result`. Texels that have the digest of such as were found right
/// before, under the same expectation or a stricter one, are right; all others are compared with the reference. Empty, or the
/// first texel that differs, in words.
std::string check_image(Workspace& workspace, const std::function<void(VkCommandBuffer)>& record,
                        const std::shared_ptr<const Texture>& result, const Expectation& expectation);

/// Of all texels of level 0 and where they are, to the bit as shaders read them; computed on the device. Different images
/// have the same one by a chance of one in 2^64. Makes a pipeline the first time: throws Error where it cannot.
uint64_t digest(Workspace& workspace, const std::shared_ptr<const Texture>& texture);

}  // namespace tilewise::kernels
