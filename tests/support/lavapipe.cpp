#include "tests/support/lavapipe.h"
#include "patterns/model/error.h"
#include <doctest/doctest.h>

namespace tilewise {

std::optional<probe::DeviceInfo> lavapipe(probe::Workers& workers) {
    try {
        for (const probe::DeviceInfo& device : list_devices(workers))
            if (device.name.find("llvmpipe") != std::string::npos) return device;
    } catch (const Error&) {
    }
    MESSAGE("SKIPPED: lavapipe is not installed (Debian: mesa-vulkan-drivers)");
    return {};
}

}  // namespace tilewise
