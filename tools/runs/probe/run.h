// Reads the cases of devices, solves them, and stores the results.
#pragma once
#include "tools/runs/probe/device_threads.h"
#include "tools/runs/probe/keeper.h"
#include <atomic>
#include <functional>
#include <vector>

namespace tilewise {

/// Called on one thread at a time, with the number of readings so far and a name for the last one.
using OnReading = std::function<void(uint64_t done, const std::string& name)>;

/// Runs the plans of all devices at once: plans[i] with `jobs` workers of device i. What was finished is in the
/// database even if this throws or `stop` becomes true.
std::vector<ProbedDevice> run_probes(DeviceThreads& threads, db::Database& database,
                                     const std::vector<std::vector<probe::Case>>& plans, unsigned jobs,
                                     const OnReading& on_reading, const std::atomic<bool>& stop);

}  // namespace tilewise
