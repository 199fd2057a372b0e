#include "kernels/measure/gpu_timer.h"
#include "kernels/measure/measure.h"
#include <cmath>
#include <cstring>

namespace tilewise::kernels {

void create_stopwatch(const Context& context, Stopwatch& stopwatch) {
    VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2 * most_slots;
    VkQueryPool pool = VK_NULL_HANDLE;
    vulkan::check(vkCreateQueryPool(context.device.handle, &info, nullptr, &pool), "vkCreateQueryPool");
    stopwatch.queries = {context.device.handle, pool};
    vulkan::reserve_buffer(context.device, stopwatch.trace, sizeof(uint32_t), VK_BUFFER_USAGE_TRANSFER_DST_BIT, 0);
}

namespace {

/// Written when everything before it is done.
void stamp(VkCommandBuffer commands, const Stopwatch& stopwatch, uint32_t query) {
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stopwatch.queries.handle, query);
}

/// The barriers are outside of the two stamps: what they cost is not the job's.
void record_slot(VkCommandBuffer commands, const Stopwatch& stopwatch, const Slot& slot, uint32_t index) {
    vkCmdFillBuffer(commands, stopwatch.trace.handle.handle, 0, sizeof(uint32_t), index);
    vulkan::full_barrier(commands);
    stamp(commands, stopwatch, 2 * index);
    for (uint32_t i = 0; i < slot.repeats; ++i) {
        if (i > 0) vulkan::full_barrier(commands);
        slot.job->record(commands);
    }
    stamp(commands, stopwatch, 2 * index + 1);
    vulkan::full_barrier(commands);
}

std::vector<double> read_times(const Context& context, const Stopwatch& stopwatch, size_t slots) {
    std::vector<uint64_t> ticks(2 * slots);
    vulkan::check(
        vkGetQueryPoolResults(context.device.handle, stopwatch.queries.handle, 0, static_cast<uint32_t>(ticks.size()),
                              ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
    const uint64_t mask = context.timestamp_bits < 64 ? (uint64_t{1} << context.timestamp_bits) - 1 : ~uint64_t{0};
    std::vector<double> times;
    for (size_t i = 0; i < slots; ++i)
        times.push_back(static_cast<double>((ticks[2 * i + 1] - ticks[2 * i]) & mask) * context.timestamp_ns * 1e-6);
    return times;
}

/// The slot that the device was at, by its trace.
const Job& last_begun(const Stopwatch& stopwatch, std::span<const Slot> slots) {
    uint32_t index = 0;
    std::memcpy(&index, stopwatch.trace.memory.map, sizeof index);
    return *slots[index < slots.size() ? index : 0].job;
}

}  // namespace

RunFailed run_failed(const Context& context, const vulkan::VulkanError& error, const char* what_it_did,
                     const Job& job) {
    if (error.result == VK_TIMEOUT)
        return {fmt::format("the device did not come back within {:g} s, while this {}: {}",
                            static_cast<double>(context.commands.patience_ns) * 1e-9, what_it_did, job_text(job)),
                true};
    return {fmt::format("{}, while this {}: {}", error.what(), what_it_did, job_text(job)), false};
}

std::vector<double> timed_run(Context& context, const Stopwatch& stopwatch, std::span<const Slot> slots, bool lead_in) {
    const Job* at_work = nullptr;
    std::memset(stopwatch.trace.memory.map, 0, sizeof(uint32_t));
    try {
        vulkan::begin(context.device, context.commands);
        const VkCommandBuffer commands = context.commands.buffer;
        vkCmdResetQueryPool(commands, stopwatch.queries.handle, 0, 2 * static_cast<uint32_t>(slots.size()));
        for (uint32_t i = 0; i < slots.size(); ++i) {
            at_work = slots[i].job;
            if (i == 0 && lead_in) at_work->record(commands);
            record_slot(commands, stopwatch, slots[i], i);
        }
        at_work = nullptr;
        vulkan::submit_and_wait(context.device, context.commands);
        return read_times(context, stopwatch, slots.size());
    } catch (const vulkan::VulkanError& error) {
        throw run_failed(context, error, "ran", at_work ? *at_work : last_begun(stopwatch, slots));
    }
}

}  // namespace tilewise::kernels
