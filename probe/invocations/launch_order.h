// In which order a device launches workgroups, as far as it lets shaders see.
#pragma once
#include "probe/probe.h"

namespace tilewise::probe {

struct LaunchedGroup {
    uint32_t ticket = 0;            ///< how many came before it to an atomic counter
    uint32_t sm = 0;                ///< multiprocessor, where has_sm
    uint64_t began = 0, ended = 0;  ///< on the device's clock, where has_clock
};

struct LaunchOrder {
    Coord grid = unit_extent;  ///< workgroups; each of 16x16 invocations
    std::string why_not;       ///< one line, where nothing could be seen; there are no runs then
    bool has_clock = false, has_sm = false;
    std::vector<std::vector<LaunchedGroup>> runs;  ///< by position in the grid, x fastest
};

/// Several runs of one dispatch, after one to warm up.
LaunchOrder measure_launch_order(Workers& workers, const DeviceInfo& device);

}  // namespace tilewise::probe
