#include "probe/probe.h"
#include "patterns/model/error.h"
#include "probe/worker/child.h"
#include "probe/worker/parent.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise::probe {

Workers::Workers(std::chrono::milliseconds timeout) : pool(std::make_unique<worker::Pool>()) {
    pool->serve = worker::serve_vulkan;
    pool->timeout = timeout;
}

Workers::~Workers() = default;

std::vector<DeviceInfo> list_devices(Workers& workers) {
    auto answer = workers.pool->ask(worker::ListDevices());
    if (answer.reply) return std::move(answer.reply->devices);
    if (answer.end == worker::End::replied) throw Error(answer.why_not);
    throw Error(
        fmt::format("the Vulkan loader or a driver failed while the devices were listed ({}); VK_DRIVER_FILES "
                    "can name the one driver to use",
                    answer.why_not));
}

namespace {

Outcome outcome_of(worker::Failure::Kind kind) {
    using Kind = worker::Failure::Kind;
    return kind == Kind::refused         ? Outcome::unsupported
           : kind == Kind::out_of_memory ? Outcome::out_of_memory
                                         : Outcome::crashed;
}

Reading reading_of(worker::Ending&& ending) {
    Reading reading;
    reading.reason = ending.reason;
    switch (ending.end) {
        case worker::End::died:
            reading.outcome = Outcome::crashed;
            break;
        case worker::End::timed_out:
            reading.outcome = Outcome::timed_out;
            break;
        case worker::End::replied:
            if (const auto* failure = std::get_if<worker::Failure>(&ending.reply)) {
                reading.outcome = outcome_of(failure->kind);
                reading.reason = failure->reason;
            } else {
                reading = std::get<Reading>(std::move(ending.reply));
            }
    }
    return reading;
}

}  // namespace

void run(Workers& workers, std::span<const Case> cases, unsigned jobs, const std::function<void(Reading&&)>& done,
         const std::atomic<bool>* stop) {
    // How soon a request to stop is seen, where the signal came to another thread.
    constexpr auto heartbeat = std::chrono::milliseconds(100);
    std::vector<worker::Pending> under_way;
    size_t next = 0;
    while (next < cases.size() || !under_way.empty()) {
        if (stop && *stop) return;
        while (next < cases.size() && under_way.size() < std::max(jobs, 1u)) {
            worker::Pending pending;
            pending.worker = workers.pool->take();
            pending.id = next++;
            worker::ask(pending, worker::ReadCase{cases[pending.id]}, workers.pool->timeout);
            under_way.push_back(std::move(pending));
        }
        const size_t which = worker::wait_for_any(under_way, heartbeat);
        if (which == under_way.size()) continue;
        worker::Pending pending = std::move(under_way[which]);
        under_way.erase(under_way.begin() + static_cast<ptrdiff_t>(which));
        Reading reading = reading_of(worker::end_of(pending));
        const std::chrono::duration<double> taken = worker::Clock::now() - pending.sent;
        reading.probed = cases[pending.id];
        // Readings that failed with different memory are different cases.
        if (reading.memory_type < 0) reading.memory_type = reading.probed.memory_type;
        if (!reading.table.offsets.empty()) {
            reading.table.element = element_of(reading.probed.image);
            reading.table.extent = elements_of(reading.probed);
        }
        reading.seconds = taken.count();
        workers.pool->give_back(std::move(pending.worker));
        done(std::move(reading));
    }
}

}  // namespace tilewise::probe
