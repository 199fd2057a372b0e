// The same command on several devices: a process for each, since Vulkan runs in it, and a driver may take it down.
#pragma once
#include "probe/device_info.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

struct DeviceRun {
    std::string out;  ///< what its process wrote to stdout
    bool succeeded = false;
};

/// Forks for each device: at once where they share no hardware (timing_waves), the others one after the other. In such
/// a process it returns the position of its device, and the process goes on as a program of its own. The program that
/// was started calls on_line with what they say on stderr, line by line, each behind its device; on_end for each that
/// ends; and returns none when all have. A Ctrl-C reaches all of them, and keeps further ones from being started.
std::optional<size_t> fork_for_each(const std::vector<probe::DeviceInfo>& devices,
                                    const std::function<void(size_t, DeviceRun&&)>& on_end,
                                    const std::function<void(const std::string& line)>& on_line);

}  // namespace tilewise
