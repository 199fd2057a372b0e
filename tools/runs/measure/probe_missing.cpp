#include "tools/runs/measure/probe_missing.h"
#include "tools/runs/probe/facts.h"
#include "tools/runs/probe/lane_order.h"
#include "tools/runs/probe/learning.h"
#include "tools/runs/validate/workbench.h"
#include <algorithm>

namespace tilewise {

namespace {

std::vector<std::string> unknown_formats(const db::Database& database, const probe::DeviceInfo& device,
                                         const std::vector<std::string>& formats) {
    std::vector<std::string> unknown;
    for (const std::string& format : formats)
        if (!is_pattern_known(database, device_fact(device), driver_fact(device), format)) unknown.push_back(format);
    return unknown;
}

}  // namespace

ProbedFormats probe_missing(const probe::DeviceInfo& device, db::Database& database,
                            const std::vector<std::string>& formats, std::chrono::steady_clock::time_point end,
                            const std::atomic<bool>& stop, const OnReading& on_reading) {
    const std::vector<std::string> wanted = unknown_formats(database, device, formats);
    const bool needs_lanes = !has_lanes(database, device);
    if (wanted.empty() && !needs_lanes) return {};
    const unsigned jobs = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
    DeviceThreads threads(std::to_string(device.index), jobs, probe::default_timeout);
    const TimeBudget budget(end, stop);
    if (needs_lanes) measure_lanes(threads, {0}, database, budget.is_over());
    if (!wanted.empty()) {
        probe::Request request;
        request.formats = wanted;
        const auto plans = threads.run_all(
            [&](size_t i, probe::Workers& workers) { return probe::plan(workers, threads.devices()[i], request); });
        const std::vector<ProbedDevice> probed =
            run_probes(threads, database, plans, jobs, on_reading, budget.is_over());
        keep_usage_sizes(device, probed.front().sizes, database);
    }
    ProbedFormats found;
    found.unread = unknown_formats(database, device, formats);
    for (const std::string& format : wanted)
        if (std::ranges::find(found.unread, format) == found.unread.end()) found.read.push_back(format);
    return found;
}

}  // namespace tilewise
