// Probes whole images by one route and gives the image layout of each, for learning and verifying rules.
#pragma once
#include "patterns/model/image_layout.h"
#include "probe/probe.h"
#include <functional>
#include <optional>
#include <string>

namespace tilewise {

/// If it has no usage, the plan chooses one.
struct WantedImage : ImageKind {
    uint64_t modifier = probe::no_modifier;
    bool operator==(const WantedImage&) const = default;
};

struct ProbedImage {
    /// None if a subresource could not be read or solved.
    std::optional<ImageLayout> image;
    std::string why_not;
};

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
std::vector<ProbedImage> probe_images(const ImageProber& prober, const std::vector<WantedImage>& wanted);

}  // namespace tilewise
