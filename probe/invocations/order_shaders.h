// The shaders that look at where and when invocations run, in the process that owns the device.
#pragma once
#include "probe/routes/routes.h"
#include "probe/worker/protocol.h"

namespace tilewise::probe {

// They throw Error where the device cannot run the shader, or wrote nothing.
std::vector<LaneWords> run_lane_shader(Bench& bench, const worker::LaneRun& run);
std::vector<PeerWords> run_peer_shader(Bench& bench, const worker::LaneRun& run);
worker::LaunchTable run_launch_shader(Bench& bench, const worker::RunLaunches& request);

}  // namespace tilewise::probe
