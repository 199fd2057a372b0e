// Runs the same command on several devices, with a process for each: Vulkan runs in it, and a driver may crash it.
#pragma once
#include "probe/device_info.h"
#include "probe/worker/process.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewise {

struct DeviceRun {
    std::string out;  ///< what its process wrote to stdout
    bool succeeded = false;
};

/// Starts a process for each device, as `start_of` says for its position: at once if they share no hardware
/// (timing_waves), else one after another. Calls on_line for each line on their stderr, prefixed with the device, and
/// on_end for each that ends; returns when all have ended. A Ctrl-C reaches all of them, and no more are started.
void run_for_each(const std::vector<probe::DeviceInfo>& devices,
                  const std::function<probe::worker::Start(size_t)>& start_of,
                  const std::function<void(size_t, DeviceRun&&)>& on_end,
                  const std::function<void(const std::string& line)>& on_line);

}  // namespace tilewise
