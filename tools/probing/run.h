// The cases of one device: read, solved, kept.
#pragma once
#include "tools/probing/keeper.h"
#include <atomic>
#include <functional>
#include <span>

namespace tilewise {

/// Called on the calling thread with the number of readings so far and the name of the last.
using OnReading = std::function<void(uint64_t done, const std::string& name)>;

/// Runs the cases, all of one device. What was finished is in the database even if this throws or *stop becomes true.
ProbedDevice run_probe(probe::Workers& workers, db::Database& database, const probe::DeviceInfo& device,
                       std::span<const probe::Case> cases, unsigned jobs, const OnReading& on_reading,
                       const std::atomic<bool>& stop);

}  // namespace tilewise
