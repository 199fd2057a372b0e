// What the owner of a device shares of a database (docs/share.md): the facts that were found on the device, without what
// tells its board and its machine from others.
#pragma once
#include "db/facts/observation.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise::db {

/// A bundle of them, and how many of each there are.
struct SharedFacts {
    DeviceFact device;  ///< without its UUID; the driver likewise
    DriverFact driver;
    std::string bundle;
    uint64_t observations = 0, patterns = 0, formats = 0;
    uint64_t usage_sizes = 0, lane_orders = 0, launch_orders = 0, rules = 0, validations = 0, tunings = 0, figures = 0;
};

/// Returns the exact observations of this device model with this driver version that no catalog brought and nobody else
/// shared, the oldest first.
std::vector<ObservationRow> own_observations(const Database& db, const DeviceFact& device, const DriverFact& driver);

/// Shares these observations and the other own facts of that device and driver. Of observations that differ in their
/// time alone there is the oldest, so that a device which is read again has nothing new to tell; of launch orders the
/// newest that was seen. Readings that failed are left out: their reasons may name files.
SharedFacts share_facts(const Database& db, const DeviceFact& device, const DriverFact& driver);

}  // namespace tilewise::db
