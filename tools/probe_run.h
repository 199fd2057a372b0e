// A probe under way: readings come in, are solved on a few threads, kept in the database as they come, and compared.
#pragma once
#include "db/database.h"
#include "db/query.h"
#include "probe/probe.h"
#include "tools/compare.h"
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilewise {

/// One case that was run, as it stands in the database.
struct Probed {
    probe::Case probed;
    db::ObservationRow observation;
    bool new_pattern = false;
    std::string raw_copy;  ///< see probe::Reading
    double seconds = 0;
};

/// Two readings of the same elements that found them at different places.
struct Conflict {
    size_t first = 0, second = 0;  ///< positions in ProbedDevice::results
    Difference difference;
    std::string text;  ///< one line
};

struct ProbedDevice {
    probe::DeviceInfo device;
    uint64_t planned = 0;  ///< cases
    std::vector<Probed> results;
    std::vector<Conflict> disagreements;      ///< of two routes or memory types over the very same kind of image
    std::vector<Conflict> usage_differences;  ///< of images that differ in their usage: the driver chose another layout
    double seconds = 0;                       ///< reading, solving and storing; without the start of the workers
};

/// Called on the calling thread with the number of readings so far and the name of the last.
using OnReading = std::function<void(uint64_t done, const std::string& name)>;

/// Runs the cases, all of one device. What was finished is in the database even if this throws or *stop becomes true.
ProbedDevice run_probe(probe::Workers& workers, db::Database& database, const probe::DeviceInfo& device,
                       std::span<const probe::Case> cases, unsigned jobs, const OnReading& on_reading,
                       const std::atomic<bool>& stop);

}  // namespace tilewise
