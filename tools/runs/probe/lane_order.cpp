#include "tools/runs/probe/lane_order.h"
#include "patterns/model/error.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <mutex>

namespace tilewise {

namespace {

std::vector<Coord> shapes_of(const probe::DeviceInfo& device) {
    std::vector<Coord> shapes;
    std::ranges::copy_if(probe::lane_shapes(), std::back_inserter(shapes),
                         [&](const Coord& shape) { return probe::is_within_limits(device, shape); });
    return shapes;
}

LaneFacts measure_lane_orders(probe::Workers& workers, const probe::DeviceInfo& device, const std::atomic<bool>& stop,
                              const std::function<void()>& on_order) {
    LaneFacts measured;
    for (const probe::LaneBuiltin builtin : probe::all_lane_builtins)
        for (const Coord& shape : shapes_of(device)) {
            if (stop) return measured;
            on_order();
            const probe::LaneOrder order = probe::measure_lane_order(workers, device, shape, builtin);
            if (order.why_not.empty())
                measured.lanes.push_back(lane_order_fact(order));
            else
                measured.failures.push_back({fmt::format("{}x{}x{} by {}", shape[axis_x], shape[axis_y], shape[axis_z],
                                                         probe::lane_builtin_name(builtin)),
                                             order.why_not});
        }
    return measured;
}

void keep(db::Database& database, const probe::DeviceInfo& device, const LaneFacts& facts) {
    const db::DeviceFact device_is = device_fact(device);
    const db::DriverFact driver_is = driver_fact(device);
    for (const db::LaneOrderFact& fact : facts.lanes) db::add_fact(database, device_is, driver_is, fact);
    for (const db::LaunchOrderFact& fact : facts.launches) db::add_fact(database, device_is, driver_is, fact);
}

}  // namespace

LaneFacts known_lanes(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
                      const std::function<void(const std::string&)>& on_damage) {
    LaneFacts known;
    const auto leave_out = [&](const Error& error) {
        on_damage(fmt::format("Left out: {}; `tilewise db check` says what else is wrong in {}", error.what(),
                              database.path));
    };
    for (db::LaneOrderRow& row : db::find_facts<db::LaneOrderFact>(database, device, driver, leave_out))
        known.lanes.push_back(std::move(row.fact));
    for (db::LaunchOrderRow& row : db::find_facts<db::LaunchOrderFact>(database, device, driver, leave_out))
        known.launches.push_back(std::move(row.fact));
    return known;
}

bool has_lanes(const db::Database& database, const probe::DeviceInfo& device) {
    const auto pass_over = [](const std::string&) {};
    return !known_lanes(database, device_fact(device), driver_fact(device), pass_over).launches.empty();
}

std::vector<LaneFacts> measure_lanes(DeviceThreads& threads, const std::vector<size_t>& which, db::Database& database,
                                     const std::atomic<bool>& stop, const Advance& advance) {
    if (which.empty()) return {};
    const std::vector<probe::DeviceInfo>& devices = threads.devices();
    uint64_t begun = 0, total = which.size();  // a launch order each
    for (const size_t i : which) total += std::size(probe::all_lane_builtins) * shapes_of(devices[i]).size();
    std::mutex telling;
    const auto on_order = [&] {
        const std::lock_guard lock(telling);
        tell(advance, begun++, total);
    };
    std::vector<LaneFacts> measured = threads.run(which, [&](size_t i, probe::Workers& workers) {
        return measure_lane_orders(workers, devices[i], stop, on_order);
    });
    for (const std::vector<size_t>& wave : timing_waves(devices)) {
        std::vector<size_t> now;
        std::ranges::copy_if(wave, std::back_inserter(now), [&](size_t i) { return std::ranges::count(which, i) > 0; });
        if (stop) break;
        const auto launches = threads.run(now, [&](size_t i, probe::Workers& workers) {
            on_order();
            return launch_order_fact(probe::measure_launch_order(workers, devices[i]));
        });
        for (size_t i = 0; i < now.size(); ++i)
            measured[static_cast<size_t>(std::ranges::find(which, now[i]) - which.begin())].launches = {launches[i]};
    }
    db::Transaction transaction(database.sqlite);
    for (size_t i = 0; i < which.size(); ++i) keep(database, devices[which[i]], measured[i]);
    transaction.commit();
    return measured;
}

db::LaneOrderFact lane_order_fact(const probe::LaneOrder& order) {
    db::LaneOrderFact fact;
    fact.shape = {order.shape[axis_x], order.shape[axis_y], order.shape[axis_z]};
    fact.built_in = probe::lane_builtin_name(order.builtin);
    fact.subgroup_size = order.subgroup_size;
    fact.time = db::utc_now();
    fact.tool_version = TILEWISE_VERSION;
    if (order.slots.empty()) {
        fact.note = "no order: " + order.disorder;
        return fact;
    }
    LaneFit fit = fit_lanes(order.slots);
    if (fit.matrix)
        fact.matrix = std::move(fit.matrix);
    else
        fact.note = fmt::format("not linear: {}; table {}", fit.reason, lane_table_hash(order.slots));
    const auto remark = [&](const std::string& text) { fact.note += (fact.note.empty() ? "" : "; ") + text; };
    if (order.declared_size != order.subgroup_size) remark(fmt::format("gl_SubgroupSize is {}", order.declared_size));
    if (!order.checked) remark("from the built-ins alone");
    return fact;
}

}  // namespace tilewise
