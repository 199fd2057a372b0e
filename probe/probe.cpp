#include "probe/probe.h"
#include "patterns/model/error.h"
#include "probe/worker/child.h"
#include "probe/worker/parent.h"
#include <algorithm>
#include <deque>
#include <fmt/format.h>

namespace tilewise::probe {

Workers::Workers(std::chrono::milliseconds timeout) : pool(std::make_unique<worker::Pool>()) {
    pool->role = worker::vulkan_role.name;
    pool->timeout = timeout;
}

Workers::~Workers() = default;

void Workers::prepare(unsigned jobs) { pool->prepare(jobs); }

std::vector<DeviceInfo> list_devices(Workers& workers) {
    auto answer = workers.pool->ask(worker::ListDevices());
    if (answer.reply) return std::move(answer.reply->devices);
    if (answer.end == worker::End::replied) throw Error(answer.why_not);
    // A signal to all processes of the program may end the worker before this process notices it.
    for (const char* stop : {"SIGINT", "SIGTERM", "SIGHUP"})
        if (answer.why_not.starts_with(stop)) throw Error("interrupted; nothing is kept");
    throw Error(
        fmt::format("the Vulkan loader or a driver failed while the devices were listed ({}); VK_DRIVER_FILES "
                    "can name the one driver to use",
                    answer.why_not));
}

std::vector<ImageSize> image_sizes(Workers& workers, const DeviceInfo& device, uint32_t format,
                                   const std::vector<uint32_t>& usages, const std::vector<ImageShape>& images) {
    auto answer = workers.pool->ask(worker::AskSizes{device.index, format, usages, images});
    if (answer.reply) return std::move(answer.reply->sizes);
    throw Error(fmt::format("{}: the sizes of {} images could not be asked: {}", device.name, format_name(format),
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

bool driver_failed(Outcome outcome) {
    return outcome == Outcome::crashed || outcome == Outcome::timed_out || outcome == Outcome::out_of_memory;
}

/// Cases that follow one another in the plan and are read by one worker, one after the other.
struct Batch {
    size_t next = 0, end = 0;
    bool together = false;  ///< all are read on the first request
};

/// Groups subresources of one aspect of an image, by one route, unless they are so large that reading them at once
/// takes much memory and saves little.
std::deque<Batch> batches_of(std::span<const Case> cases) {
    constexpr uint64_t most_elements = 1 << 24;
    std::deque<Batch> batches;
    for (size_t first = 0, end = 0; first < cases.size(); first = end) {
        const std::vector<Case> siblings = subresources_of(cases[first]);
        uint64_t elements = 0;
        for (const Case& sibling : siblings) elements += element_count(elements_of(sibling));
        const bool together = siblings.size() > 1 && elements <= most_elements &&
                              cases.size() - first >= siblings.size() &&
                              std::ranges::equal(siblings, cases.subspan(first, siblings.size()));
        end = first + (together ? siblings.size() : 1);
        batches.push_back({first, end, together});
    }
    return batches;
}

}  // namespace

void run(Workers& workers, std::span<const Case> cases, unsigned jobs, const std::function<void(Reading&&)>& done,
         const std::atomic<bool>* stop) {
    // How soon a request to stop is noticed if the signal came to another thread.
    constexpr auto heartbeat = std::chrono::milliseconds(100);
    std::deque<Batch> waiting = batches_of(cases);
    std::vector<worker::Pending> under_way;  // with the position of its case
    std::vector<Batch> batches;              // of each of those
    const auto ask_next = [&](const Batch& batch, worker::Worker&& worker) {
        worker::Pending pending;
        pending.worker = std::move(worker);
        pending.id = batch.next;
        worker::ask(pending, worker::ReadCase{cases[batch.next], batch.together}, workers.pool->timeout);
        under_way.push_back(std::move(pending));
        batches.push_back(batch);
    };
    while (!waiting.empty() || !under_way.empty()) {
        if (stop && *stop) return;
        // Drivers open a device for one process after the other (NVIDIA's takes 0.15 s): meanwhile, processes that have
        // opened it work.
        const auto opens = [](const worker::Pending& pending) { return !pending.worker.has_replied; };
        while (!waiting.empty() && under_way.size() < std::max(jobs, 1u) &&
               !(workers.pool->next_is_new() && std::ranges::any_of(under_way, opens))) {
            ask_next(waiting.front(), workers.pool->take());
            waiting.pop_front();
        }
        const size_t which = worker::wait_for_any(under_way, heartbeat);
        if (which == under_way.size()) continue;
        worker::Pending pending = std::move(under_way[which]);
        Batch batch = batches[which];
        under_way.erase(under_way.begin() + static_cast<ptrdiff_t>(which));
        batches.erase(batches.begin() + static_cast<ptrdiff_t>(which));
        Reading reading = reading_of(worker::end_of(pending));
        if (batch.together && driver_failed(reading.outcome)) {
            // It is not known which case it was; each on its own will show it.
            for (size_t at = batch.end; at-- > batch.next;) waiting.push_front({at, at + 1, false});
            workers.pool->give_back(std::move(pending.worker));
            continue;
        }
        const std::chrono::duration<double> taken = worker::Clock::now() - pending.sent;
        reading.probed = cases[pending.id];
        reading.place = pending.id;
        // Failed readings with different memory types are different cases.
        if (reading.memory_type < 0) reading.memory_type = reading.probed.memory_type;
        if (!reading.table.offsets.empty()) {
            reading.table.element = element_of(reading.probed);
            reading.table.extent = elements_of(reading.probed);
        }
        reading.seconds = taken.count();
        if (++batch.next < batch.end)
            ask_next(batch, std::move(pending.worker));
        else
            workers.pool->give_back(std::move(pending.worker));
        done(std::move(reading));
    }
}

}  // namespace tilewise::probe
