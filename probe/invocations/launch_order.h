// The order in which a device launches workgroups, as far as shaders can see it.
#pragma once
#include "probe/probe.h"

namespace tilewise::probe {

struct LaunchedGroup {
    uint32_t ticket = 0;            ///< how many workgroups reached an atomic counter before this one
    uint32_t sm = 0;                ///< multiprocessor, if has_sm
    uint64_t began = 0, ended = 0;  ///< on the device's clock, if has_clock
};

struct LaunchOrder {
    Coord grid = unit_extent;  ///< workgroups; each of 16x16 invocations
    std::string why_not;       ///< one line if nothing could be seen; there are no runs then
    bool has_clock = false, has_sm = false;
    std::vector<std::vector<LaunchedGroup>> runs;  ///< by position in the grid, x fastest
};

/// Measures several runs of one dispatch, after a warm-up run.
LaunchOrder measure_launch_order(Workers& workers, const DeviceInfo& device);

}  // namespace tilewise::probe
