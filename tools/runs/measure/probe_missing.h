// Probes what measuring needs to know about a device if the database does not have it.
#pragma once
#include "probe/probe.h"
#include "tools/runs/measure/time_budget.h"
#include "tools/runs/probe/run.h"
#include <string>
#include <vector>

namespace tilewise {

struct ProbedFormats {
    std::vector<std::string> read;    ///< in this run: their patterns are now known
    std::vector<std::string> unread;  ///< the device does not show how it lays these out, or there was no time
};

/// Reads images of those formats whose pattern the database does not have, and stores what it finds; also the orders of
/// lanes and workgroups if they are not known. It forks: no other thread of the caller may be running.
ProbedFormats probe_missing(const probe::DeviceInfo& device, db::Database& database,
                            const std::vector<std::string>& formats, std::chrono::steady_clock::time_point end,
                            const std::atomic<bool>& stop, const OnReading& on_reading);

}  // namespace tilewise
