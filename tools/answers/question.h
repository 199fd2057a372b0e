// What is asked about: whose images, and which of them.
#pragma once
#include "db/query/filter.h"
#include "patterns/model/image_layout.h"
#include <optional>
#include <string>

namespace tilewise {

/// Each member is empty where the question does not say; what is said must hold of an answer. Texts are as people write
/// them.
struct Question {
    std::string gpu;     ///< a product, a chip, a PCI id or an architecture
    std::string vendor;  ///< "NVIDIA", "0x10de"
    std::string device;  ///< part of a device's name
    std::string driver;  ///< part of a driver's name or version
    std::string format;  ///< Vulkan's, DXGI's or a usual short name
    std::string usage;   ///< "sampled,storage": at least these
    std::string mode;    ///< part of a mode's name or DRM modifier
    std::optional<Extent_px> extent;
};

/// The same for the database: the format by Vulkan's name where it is known, or as it was said. The GPU is not part of
/// it: ask() (answers/gpu) finds its devices.
db::Filter filter_of(const Question& question);

}  // namespace tilewise
