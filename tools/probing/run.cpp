#include "tools/probing/run.h"
#include <algorithm>
#include <chrono>
#include <thread>

namespace tilewise {

ProbedDevice run_probe(probe::Workers& workers, db::Database& database, const probe::DeviceInfo& device,
                       std::span<const probe::Case> cases, unsigned jobs, const OnReading& on_reading,
                       const std::atomic<bool>& stop) {
    ProbedDevice out;
    out.device = device;
    out.planned = cases.size();
    const auto start = std::chrono::steady_clock::now();
    workers.prepare(jobs, cases.size());
    {
        Keeper keeper(database, out, std::clamp(std::thread::hardware_concurrency() / 2, 1U, 8U));
        uint64_t done = 0;
        probe::run(
            workers, cases, jobs,
            [&](probe::Reading&& reading) {
                on_reading(++done, probe::case_name(reading.probed));
                keeper.add(std::move(reading));
            },
            &stop);
        keeper.finish();
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
}

}  // namespace tilewise
