// The same command on several devices: a process for each, since Vulkan runs in it, and a driver may take it down.
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

/// Starts a process for each device, as `start_of` its position says: at once where they share no hardware
/// (timing_waves), the others one after the other. Calls on_line with what they say on stderr, line by line, each
/// behind its device, and on_end for each that ends; returns when all have. A Ctrl-C reaches all of them, and keeps
/// further ones from being started.
void run_for_each(const std::vector<probe::DeviceInfo>& devices,
                  const std::function<probe::worker::Start(size_t)>& start_of,
                  const std::function<void(size_t, DeviceRun&&)>& on_end,
                  const std::function<void(const std::string& line)>& on_line);

}  // namespace tilewise
