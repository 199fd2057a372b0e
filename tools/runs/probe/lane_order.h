// The lane order of a device: measured and kept, or looked up for a remap.
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

/// What the database knows of a device and driver, or what a measurement gave.
struct LaneFacts {
    struct Failure {
        std::string what;    ///< "16x16 by index"
        std::string reason;  ///< one line
    };
    std::vector<db::LaneOrderFact> lanes;
    std::vector<db::LaunchOrderFact> launches;  ///< the newest first
    std::vector<Failure> failures;              ///< of the measurement: nothing of them is kept
};

/// Does without rows that are damaged, so that a device stays usable; each is told to `on_damage`, in one line.
LaneFacts known_lanes(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
                      const std::function<void(const std::string& line)>& on_damage);

/// Whether the database has them: orders of lanes and of workgroups are measured once.
bool has_lanes(const db::Database& database, const probe::DeviceInfo& device);

/// Measures, on these of the devices at once, all shapes that each can run, and the launch order, and keeps them;
/// launch orders not of two devices that share hardware. Returns early, with what was finished, when `stop` becomes
/// true. The facts are in the order of `which`. `advance`: of the orders, one call at a time.
std::vector<LaneFacts> measure_lanes(DeviceThreads& threads, const std::vector<size_t>& which, db::Database& database,
                                     const std::atomic<bool>& stop, const Advance& advance = {});

/// From measurements to facts; for the order that several runs have in common, the run that is least like it counts.
db::LaneOrderFact lane_order_fact(const probe::LaneOrder& order);
db::LaunchOrderFact launch_order_fact(const probe::LaunchOrder& order);

}  // namespace tilewise
