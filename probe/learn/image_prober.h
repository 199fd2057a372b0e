// Probes whole images by one route and gives the image layout of each, for learning and verifying rules.
#pragma once
#include "probe/learn/image_source.h"
#include "probe/probe.h"
#include <functional>
#include <optional>
#include <vector>

namespace tilewise {

struct ImageProber {
    probe::Workers& workers;
    const probe::DeviceInfo& device;
    /// If none, host copy where the device can read such images by it, otherwise alias.
    std::optional<probe::Route> route;
    unsigned jobs = 1;
    /// Called for each batch of images, on the thread that asks for it.
    std::function<void(size_t images)> probed = {};
};

/// The results are in the order of `wanted`. Images that could not be read are tried once more.
std::vector<ImageRead> probe_images(const ImageProber& prober, const std::vector<WantedImage>& wanted);

/// The images that the device has. The prober must outlive the source.
ImageSource images_of(const ImageProber& prober);

}  // namespace tilewise
