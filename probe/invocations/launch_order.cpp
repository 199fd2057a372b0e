#include "probe/invocations/launch_order.h"
#include "probe/worker/parent.h"
#include <fmt/format.h>

namespace tilewise::probe {

StartOrder measure_start_order(Workers& workers, const DeviceInfo& device) {
    // Several waves on the largest GPUs, and sides that are no powers of two: those would look alike to several orders.
    constexpr Extent grid = {60, 68};
    constexpr size_t groups = grid.width * grid.height;
    // Some microseconds: longer than it takes to start a wave.
    constexpr uint32_t rounds = 2000;

    StartOrder order;
    order.grid = grid;
    const Ending ending = workers.pool->ask_and_wait(
        {{{"op", "starts"}, {"device", device.index}, {"grid", {grid.width, grid.height}}, {"rounds", rounds}}, {}});
    order.why_not = why_no_answer(ending);
    if (!order.why_not.empty()) return order;
    order.has_clock = ending.answer.header.at("clock");
    order.has_sm = ending.answer.header.at("sm");
    const size_t runs = ending.answer.header.at("runs");
    const std::vector<uint64_t>& words = ending.answer.offsets;
    for (size_t run = 0; run < runs; ++run) {
        std::vector<StartedGroup>& started = order.runs.emplace_back();
        std::vector<bool> drawn(groups);
        for (size_t i = 0; i < groups; ++i) {
            const uint64_t* word = words.data() + (run * groups + i) * 4;
            if (word[0] >= groups || drawn[word[0]]) {
                order.runs.clear();
                order.why_not = fmt::format("workgroup {} drew the ticket {}, which {}", i, word[0],
                                            word[0] >= groups ? "does not exist" : "another drew too");
                return order;
            }
            drawn[word[0]] = true;
            started.push_back({static_cast<uint32_t>(word[0]), static_cast<uint32_t>(word[1]), word[2], word[3]});
        }
    }
    return order;
}

}  // namespace tilewise::probe
