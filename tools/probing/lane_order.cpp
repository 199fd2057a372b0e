#include "tools/probing/lane_order.h"
#include "patterns/model/error.h"
#include "tools/probing/facts.h"
#include "tools/terminal/print.h"
#include <fmt/format.h>

namespace tilewise {

LaneFacts known_lanes(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver) {
    LaneFacts known;
    const auto leave_out = [&](const Error& error) {
        print_warning(fmt::format("Left out: {}; `tilewise db check` says what else is wrong in {}", error.what(),
                                  database.path));
    };
    for (db::LaneOrderRow& row : db::find_facts<db::LaneOrderFact>(database, device, driver, leave_out))
        known.lanes.push_back(std::move(row.fact));
    for (db::LaunchOrderRow& row : db::find_facts<db::LaunchOrderFact>(database, device, driver, leave_out))
        known.launches.push_back(std::move(row.fact));
    return known;
}

LaneFacts measure_lanes(probe::Workers& workers, db::Database& database, const probe::DeviceInfo& device,
                        const std::atomic<bool>& stop) {
    const db::DeviceFact device_is = device_fact(device);
    const db::DriverFact driver_is = driver_fact(device);
    LaneFacts measured;
    for (const probe::LaneBuiltin builtin : probe::all_lane_builtins)
        for (const probe::Extent& shape : probe::lane_shapes()) {
            if (!probe::is_within_limits(device, shape)) continue;
            if (stop) return measured;
            const probe::LaneOrder order = probe::measure_lane_order(workers, device, shape, builtin);
            if (!order.why_not.empty()) {
                measured.failures.push_back({fmt::format("{}x{}x{} by {}", shape.width, shape.height, shape.depth,
                                                         probe::lane_builtin_name(builtin)),
                                             order.why_not});
                continue;
            }
            measured.lanes.push_back(lane_order_fact(order));
            db::add_fact(database, device_is, driver_is, measured.lanes.back());
        }
    if (stop) return measured;
    const probe::LaunchOrder order = probe::measure_launch_order(workers, device);
    measured.launches.push_back(launch_order_fact(order));
    db::add_fact(database, device_is, driver_is, measured.launches.back());
    return measured;
}

db::LaneOrderFact lane_order_fact(const probe::LaneOrder& order) {
    db::LaneOrderFact fact;
    fact.shape = {order.shape.width, order.shape.height, order.shape.depth};
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
