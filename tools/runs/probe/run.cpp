#include "tools/runs/probe/run.h"
#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace tilewise {

std::vector<ProbedDevice> run_probes(DeviceThreads& threads, db::Database& database,
                                     const std::vector<std::vector<probe::Case>>& plans, unsigned jobs,
                                     const OnReading& on_reading, const std::atomic<bool>& stop) {
    std::vector<ProbedDevice> out(plans.size());
    for (size_t i = 0; i < plans.size(); ++i) {
        out[i].device = threads.devices()[i];
        out[i].planned = plans[i].size();
    }
    const auto devices = static_cast<unsigned>(plans.size());
    Keeper keeper(database, out, std::clamp(std::thread::hardware_concurrency() / 2, 1U, 8 * std::max(devices, 1U)));
    std::mutex telling;
    uint64_t done = 0;
    threads.run_all([&](size_t i, probe::Workers& workers) {
        const std::string device = devices > 1 ? fmt::format("device {}: ", out[i].device.index) : "";
        probe::run(
            workers, plans[i], jobs,
            [&](probe::Reading&& reading) {
                {
                    const std::lock_guard lock(telling);
                    on_reading(++done, device + probe::case_name(reading.probed));
                }
                keeper.add(std::move(reading));
            },
            &stop);
    });
    threads.dismiss_workers();
    keeper.finish();
    put_in_order(out);
    return out;
}

}  // namespace tilewise
