#include "probe/invocations/launch_order.h"
#include "probe/worker/parent.h"
#include <fmt/format.h>
#include <span>

namespace tilewise::probe {

LaunchOrder measure_launch_order(Workers& workers, const DeviceInfo& device) {
    // Several waves on the largest GPUs, and sides that are not powers of two, with which several orders would look
    // alike.
    constexpr Coord grid = {60, 68, 1, 1};
    const size_t groups = element_count(grid);
    // Takes some microseconds: longer than launching a wave.
    constexpr uint32_t rounds = 2000;

    LaunchOrder order;
    order.grid = grid;
    const auto answer = workers.pool->ask(worker::RunLaunches{device.index, grid, rounds});
    order.why_not = answer.why_not;
    if (!answer.reply) return order;
    order.has_clock = answer.reply->has_clock;
    order.has_sm = answer.reply->has_sm;
    for (std::span<const LaunchedGroup> rest = answer.reply->groups; !rest.empty(); rest = rest.subspan(groups)) {
        const auto run = rest.first(groups);
        std::vector<bool> drawn(groups);
        for (size_t i = 0; i < groups; ++i) {
            const uint32_t ticket = run[i].ticket;
            if (ticket >= groups || drawn[ticket]) {
                order.runs.clear();
                order.why_not = fmt::format("workgroup {} drew the ticket {}, which {}", i, ticket,
                                            ticket >= groups ? "does not exist" : "another drew too");
                return order;
            }
            drawn[ticket] = true;
        }
        order.runs.emplace_back(run.begin(), run.end());
    }
    return order;
}

}  // namespace tilewise::probe
