// A real driver that runs everywhere: Mesa's lavapipe.
#pragma once
#include "probe/probe.h"
#include <optional>

namespace tilewise {

/// None, with a message that the test is skipped, if it is not installed.
std::optional<probe::DeviceInfo> lavapipe(probe::Workers& workers);

}  // namespace tilewise
