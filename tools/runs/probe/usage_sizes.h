// The sizes that a device's driver asks for with each usage, in addition to what is probed.
#pragma once
#include "db/facts/usage_sizes.h"
#include "probe/probe.h"
#include <string>
#include <vector>

namespace tilewise {

struct AskedSizes {
    std::vector<db::UsageSizesFact> facts;  ///< formats with the same sizes share one
    std::vector<std::string> failures;      ///< one line for each format that the driver failed at
};

/// Those of the formats (Vulkan's names) for which the database has no sizes from this device model and driver version.
std::vector<std::string> formats_without_sizes(const db::Database& database, const probe::DeviceInfo& device,
                                               std::vector<std::string> formats);

/// Asks about images of the formats in common sizes, 2D and 3D, with every combination of the usages that decide how an
/// image is laid out.
AskedSizes ask_usage_sizes(probe::Workers& workers, const probe::DeviceInfo& device,
                           const std::vector<std::string>& formats);

}  // namespace tilewise
