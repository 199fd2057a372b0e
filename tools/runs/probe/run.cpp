#include "tools/runs/probe/run.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <thread>

namespace tilewise {

namespace {

/// The formats of the cases, each once.
std::vector<std::string> formats_of(const std::vector<probe::Case>& cases) {
    std::set<std::string> formats;
    for (const probe::Case& c : cases) formats.insert(probe::format_name(c.image.format));
    return {formats.begin(), formats.end()};
}

}  // namespace

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
    std::vector<std::vector<std::string>> unknown_sizes;
    for (size_t i = 0; i < plans.size(); ++i)
        unknown_sizes.push_back(formats_without_sizes(database, out[i].device, formats_of(plans[i])));
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
        if (!stop) out[i].sizes = ask_usage_sizes(workers, out[i].device, unknown_sizes[i]);
    });
    threads.dismiss_workers();
    keeper.finish();
    put_in_order(out);
    return out;
}

}  // namespace tilewise
