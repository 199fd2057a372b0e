// Observations of subresources, put together into image layouts.
#pragma once
#include "db/facts/observation.h"
#include "patterns/model/image_layout.h"
#include <string>
#include <vector>

namespace tilewise {

struct ObservedImage {
    ImageLayout image;  ///< probed; without subresources if two observations of one of them contradict each other
    std::string device, driver;
};

/// "color", except for depth, stencil and the planes of formats that have them.
std::vector<Aspect> aspects_of_format(const std::string& format);

/// One image for each kind (device, driver, format, usage, flags, type, extent, levels, layers, samples) with an
/// observation of every subresource. Observations of one subresource may differ in nothing but the constant, which
/// drivers vary from image to image: then the newest one by the first route counts.
std::vector<ObservedImage> observed_images(const std::vector<const db::ObservationRow*>& rows);

}  // namespace tilewise
