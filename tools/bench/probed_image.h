// An image on the device here, with every subresource probed and solved, for conversion.
#pragma once
#include "kernels/convert/convert.h"
#include "probe/probe.h"
#include <string>

namespace tilewise {

struct ProbedImageRequest {
    std::string format;
    uint32_t side_px = 4096;  ///< of a square image with all its levels
    uint32_t layers = 1;
};

/// Throws Error if a subresource cannot be read, or if layers are not laid out alike at equal distances.
kernels::ConvertImage probed_image(probe::Workers& workers, const probe::DeviceInfo& device,
                                   const ProbedImageRequest& request);

}  // namespace tilewise
