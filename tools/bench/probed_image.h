// An image of the device at hand, every subresource probed and solved, to be converted.
#pragma once
#include "kernels/convert/convert.h"
#include "probe/probe.h"
#include <string>

namespace tilewise {

struct ProbedImageRequest {
    std::string format;
    uint32_t side_px = 4096;  ///< square, with all its levels
    uint32_t layers = 1;
};

/// Throws Error where a subresource cannot be read, or layers do not lie alike at equal distances.
kernels::ConvertImage probed_image(probe::Workers& workers, const probe::DeviceInfo& device,
                                   const ProbedImageRequest& request);

}  // namespace tilewise
