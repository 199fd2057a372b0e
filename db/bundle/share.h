// What the owner of a device shares from a database (docs/share.md): the facts that were found on the device, without
// anything that identifies the individual board or machine.
#pragma once
#include "db/facts/observation.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise::db {

/// A bundle of shared facts, and the number of each kind.
struct SharedFacts {
    DeviceFact device;  ///< without its UUID; likewise the driver
    DriverFact driver;
    std::string bundle;
    uint64_t observations = 0, patterns = 0, formats = 0;
    uint64_t usage_sizes = 0, lane_orders = 0, launch_orders = 0, rules = 0, validations = 0, tunings = 0, figures = 0;
};

/// Returns the exact observations of this device model with this driver version that came from no catalog and were
/// shared by nobody else, the oldest first.
std::vector<ObservationRow> own_observations(const Database& db, const DeviceFact& device, const DriverFact& driver);

/// Shares these observations and the other own facts of that device and driver. Of observations that differ only in
/// their time, the oldest is shared, so that reading a device again gives nothing new; of launch orders, the newest
/// visible one. Failed readings are left out: their reasons may name files.
SharedFacts share_facts(const Database& db, const DeviceFact& device, const DriverFact& driver);

}  // namespace tilewise::db
