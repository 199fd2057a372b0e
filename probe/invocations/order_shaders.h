// The shaders that look at where and when invocations run, in the process that owns the device.
#pragma once
#include "probe/routes/routes.h"
#include "probe/worker/protocol.h"

namespace tilewise::probe {

/// {"group": [w,h,d], "by_id": bool, "check": bool} -> {"runs", "groups"} and four numbers an invocation: those of
/// lane_order.comp, or with "check" of lane_check.comp. Throws Error where the device cannot run it, or wrote nothing.
Message run_lane_shader(Bench& bench, const nlohmann::json& question);

/// {"grid": [w,h], "rounds": n} -> {"runs", "clock", "sm"} and four numbers a workgroup: ticket, multiprocessor, and
/// where there is a clock when it began and ended (nanoseconds or whatever it counts). Throws likewise.
Message run_start_shader(Bench& bench, const nlohmann::json& question);

}  // namespace tilewise::probe
