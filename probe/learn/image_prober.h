// Whole images probed by one route, each to the image layout that it has: what rules are learned from and verified by.
#pragma once
#include "patterns/model/image_layout.h"
#include "probe/probe.h"
#include <functional>
#include <optional>
#include <string>

namespace tilewise {

/// Without a usage, it has that which the plan gives it.
struct WantedImage : ImageKind {
    uint64_t modifier = probe::no_modifier;
    bool operator==(const WantedImage&) const = default;
};

struct ProbedImage {
    /// None where a subresource could not be read or solved.
    std::optional<ImageLayout> image;
    std::string why_not;
};

struct ImageProber {
    probe::Workers& workers;
    const probe::DeviceInfo& device;
    /// If none, it is host copy where the device can read such images by it, else alias.
    std::optional<probe::Route> route;
    unsigned jobs = 1;
    /// It is told of each lot, on the thread that asks for it.
    std::function<void(size_t images)> probed = {};
};

/// In the order of `wanted`. What could not be read is tried once more.
std::vector<ProbedImage> probe_images(const ImageProber& prober, const std::vector<WantedImage>& wanted);

}  // namespace tilewise
