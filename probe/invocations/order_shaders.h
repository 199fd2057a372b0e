// The shaders that observe where and when invocations run, in the process that owns the device.
#pragma once
#include "probe/routes/routes.h"
#include "probe/worker/protocol.h"

namespace tilewise::probe {

// These throw Error if the device cannot run the shader, or if it wrote nothing.
std::vector<LaneWords> run_lane_shader(Bench& bench, const worker::LaneRun& run);
std::vector<PeerWords> run_peer_shader(Bench& bench, const worker::LaneRun& run);
worker::LaunchTable run_launch_shader(Bench& bench, const worker::RunLaunches& request);

}  // namespace tilewise::probe
