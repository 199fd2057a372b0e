#include "probe/probe.h"
#include "patterns/model/error.h"
#include "probe/worker/child.h"
#include "probe/worker/parent.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise::probe {

Workers::Workers(std::chrono::milliseconds time_limit) : pool(std::make_unique<Pool>()) {
    pool->serve = serve_vulkan;
    pool->time_limit = time_limit;
}

Workers::~Workers() = default;

std::vector<DeviceInfo> list_devices(Workers& workers) {
    const Ending ending = workers.pool->ask_and_wait({{{"op", "devices"}}, {}});
    if (ending.end != End::answered)
        throw Error(
            fmt::format("the Vulkan loader or a driver failed while the devices were listed ({}); VK_DRIVER_FILES "
                        "can name the one driver to use",
                        ending.reason));
    if (ending.answer.header.contains("error")) throw Error(ending.answer.header.at("error"));
    return ending.answer.header.at("devices");
}

namespace {

Reading reading_of(Ending&& ending) {
    Reading reading;
    switch (ending.end) {
        case End::died:
            reading.outcome = Outcome::crashed;
            reading.reason = ending.reason;
            break;
        case End::late:
            reading.outcome = Outcome::timed_out;
            reading.reason = ending.reason;
            break;
        case End::answered:
            if (ending.answer.header.contains("lost")) {
                reading.outcome = Outcome::crashed;
                reading.reason = ending.answer.header.at("lost");
            } else if (ending.answer.header.contains("error")) {
                reading.outcome = Outcome::unsupported;
                reading.reason = ending.answer.header.at("error");
            } else {
                reading = reading_from(std::move(ending.answer));
            }
    }
    return reading;
}

}  // namespace

void run(Workers& workers, std::span<const Case> cases, unsigned jobs, const std::function<void(Reading&&)>& done,
         const std::atomic<bool>* stop) {
    // How soon a request to stop is seen, where the signal came to another thread.
    constexpr auto heartbeat = std::chrono::milliseconds(100);
    std::vector<Question> under_way;
    size_t next = 0;
    while (next < cases.size() || !under_way.empty()) {
        if (stop && *stop) return;
        while (next < cases.size() && under_way.size() < std::max(jobs, 1u)) {
            Question question;
            question.worker = workers.pool->take();
            question.id = next++;
            ask(question, {{{"op", "case"}, {"case", cases[question.id]}}, {}}, workers.pool->time_limit);
            under_way.push_back(std::move(question));
        }
        const size_t which = wait_for_any(under_way, heartbeat);
        if (which == under_way.size()) continue;
        Question question = std::move(under_way[which]);
        under_way.erase(under_way.begin() + static_cast<ptrdiff_t>(which));
        Ending ending = end_of(question);
        const std::chrono::duration<double> taken = Clock::now() - question.asked;
        const bool reusable = ending.end == End::answered && !ending.answer.header.contains("lost");
        Reading reading = reading_of(std::move(ending));
        reading.probed = cases[question.id];
        reading.seconds = taken.count();
        if (reusable) workers.pool->idle.push_back(std::move(question.worker));
        done(std::move(reading));
    }
}

std::optional<std::string> disagreement(const Reading& a, const Reading& b) {
    if (a.outcome != Outcome::read || b.outcome != Outcome::read || a.table.offsets == b.table.offsets) return {};
    const std::string names = fmt::format("{} and {} disagree", case_name(a.probed), case_name(b.probed));
    if (a.table.offsets.size() != b.table.offsets.size())
        return fmt::format("{}: {} elements, {} elements", names, a.table.offsets.size(), b.table.offsets.size());
    uint64_t differing = 0, first = 0;
    for (uint64_t i = a.table.offsets.size(); i-- > 0;)
        if (a.table.offsets[i] != b.table.offsets[i]) {
            ++differing;
            first = i;
        }
    const auto offset = [](uint64_t bytes) {
        return bytes == Table::missing_offset ? std::string("nowhere") : fmt::format("at {:#x}", bytes);
    };
    const Coord at = element_at_index(a.table.extent, first);
    return fmt::format("{} on {} elements, first on ({},{},{}): {}, {}", names, differing, at[axis_x], at[axis_y],
                       at[axis_z], offset(a.table.offsets[first]), offset(b.table.offsets[first]));
}

}  // namespace tilewise::probe
