// Observations of the subresources of images, put together to image layouts.
#pragma once
#include "db/facts/observation.h"
#include "patterns/model/image_layout.h"
#include <string>
#include <vector>

namespace tilewise {

struct ObservedImage {
    ImageLayout image;  ///< probed; without subresources where two observations of one contradict each other
    std::string device, driver;
};

/// "color" but for depth, stencil and the planes of formats that have such.
std::vector<Aspect> aspects_of_format(const std::string& format);

/// One for each kind of image (device, driver, format, usage, flags, type, extent, levels, layers, samples) of which
/// every subresource was observed. Of several observations of one subresource that differ in the constant alone, which
/// drivers vary from image to image, the newest by the first route counts.
std::vector<ObservedImage> observed_images(const std::vector<const db::ObservationRow*>& rows);

}  // namespace tilewise
