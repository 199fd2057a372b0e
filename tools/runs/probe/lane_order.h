// The lane order of a device: measured and stored, or looked up for a remap.
#pragma once
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "patterns/model/advance.h"
#include "probe/invocations/lane_order.h"
#include "probe/invocations/launch_order.h"
#include "tools/runs/probe/device_threads.h"
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace tilewise {

/// What the database knows about a device and driver, or the result of a measurement.
struct LaneFacts {
    struct Failure {
        std::string what;    ///< "16x16 by index"
        std::string reason;  ///< one line
    };
    std::vector<db::LaneOrderFact> lanes;
    std::vector<db::LaunchOrderFact> launches;  ///< the newest first
    std::vector<Failure> failures;              ///< of the measurement: they are not stored
};

/// Skips damaged rows, so that a device stays usable; each is reported to `on_damage` in one line.
LaneFacts known_lanes(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
                      const std::function<void(const std::string& line)>& on_damage);

/// Whether the database has the orders of lanes and of workgroups: they are measured once.
bool has_lanes(const db::Database& database, const probe::DeviceInfo& device);

/// Measures all shapes that each of these devices can run, and the launch order, and stores the results. The devices
/// are measured at once, except for the launch orders of devices that share hardware. When `stop` becomes true it
/// returns early, with what was finished. The facts are in the order of `which`. `advance` reports progress over the
/// orders, one call at a time.
std::vector<LaneFacts> measure_lanes(DeviceThreads& threads, const std::vector<size_t>& which, db::Database& database,
                                     const std::atomic<bool>& stop, const Advance& advance = {});

/// Converts measurements to facts. The statistics of an order that several runs have in common are those of the run
/// that is least like it.
db::LaneOrderFact lane_order_fact(const probe::LaneOrder& order);
db::LaunchOrderFact launch_order_fact(const probe::LaunchOrder& order);

}  // namespace tilewise
