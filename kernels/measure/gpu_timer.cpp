#include "kernels/measure/gpu_timer.h"
#include "kernels/measure/measure.h"
#include <cmath>
#include <cstring>

namespace tilewise::kernels {

void create_gpu_timer(const Context& context, GpuTimer& timer) {
    VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2 * max_slots;
    VkQueryPool pool = VK_NULL_HANDLE;
    vulkan::check(vkCreateQueryPool(context.device.handle, &info, nullptr, &pool), "vkCreateQueryPool");
    timer.queries = {context.device.handle, pool};
    vulkan::reserve_buffer(context.device, timer.trace, sizeof(uint32_t), VK_BUFFER_USAGE_TRANSFER_DST_BIT, 0);
}

namespace {

/// Writes a timestamp when everything before it is done.
void stamp(VkCommandBuffer commands, const GpuTimer& timer, uint32_t query) {
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timer.queries.handle, query);
}

/// The barriers are outside the two timestamps: their cost does not belong to the job.
void record_slot(VkCommandBuffer commands, const GpuTimer& timer, const Slot& slot, uint32_t index) {
    vkCmdFillBuffer(commands, timer.trace.handle.handle, 0, sizeof(uint32_t), index);
    if (slot.job->prepare) slot.job->prepare(commands);
    vulkan::full_barrier(commands);
    stamp(commands, timer, 2 * index);
    for (uint32_t i = 0; i < slot.repeats; ++i) {
        if (i > 0) vulkan::full_barrier(commands);
        slot.job->record(commands);
    }
    stamp(commands, timer, 2 * index + 1);
    vulkan::full_barrier(commands);
}

std::vector<double> read_times(const Context& context, const GpuTimer& timer, size_t slots) {
    std::vector<uint64_t> ticks(2 * slots);
    vulkan::check(
        vkGetQueryPoolResults(context.device.handle, timer.queries.handle, 0, static_cast<uint32_t>(ticks.size()),
                              ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
    const uint64_t mask = context.timestamp_bits < 64 ? (uint64_t{1} << context.timestamp_bits) - 1 : ~uint64_t{0};
    // 140,000 ns are 0.14 ms; multiplied by 1e-6, which no double represents exactly, they would be
    // 0.13999999999999999.
    constexpr double ns_in_ms = 1e6;
    std::vector<double> times;
    for (size_t i = 0; i < slots; ++i)
        times.push_back(static_cast<double>((ticks[2 * i + 1] - ticks[2 * i]) & mask) * context.timestamp_ns /
                        ns_in_ms);
    return times;
}

/// The slot that the device was in, according to its trace.
const Job& last_begun(const GpuTimer& timer, std::span<const Slot> slots) {
    uint32_t index = 0;
    std::memcpy(&index, timer.trace.memory.map, sizeof index);
    return *slots[index < slots.size() ? index : 0].job;
}

}  // namespace

RunFailed run_failed(const Context& context, const vulkan::VulkanError& error, const char* what_it_did,
                     const Job& job) {
    if (error.result == VK_TIMEOUT)
        return {fmt::format("the device did not come back within {:g} s, while this {}: {}",
                            static_cast<double>(context.commands.timeout_ns) * 1e-9, what_it_did, job_text(job)),
                true};
    return {fmt::format("{}, while this {}: {}", error.what(), what_it_did, job_text(job)), false};
}

std::vector<double> time_slots(Context& context, const GpuTimer& timer, std::span<const Slot> slots, bool warm_up_run) {
    const Job* recorded = nullptr;
    std::memset(timer.trace.memory.map, 0, sizeof(uint32_t));
    try {
        vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
            vkCmdResetQueryPool(commands, timer.queries.handle, 0, 2 * static_cast<uint32_t>(slots.size()));
            for (uint32_t i = 0; i < slots.size(); ++i) {
                recorded = slots[i].job;
                if (i == 0 && warm_up_run) {
                    if (recorded->prepare) recorded->prepare(commands);
                    recorded->record(commands);
                }
                record_slot(commands, timer, slots[i], i);
            }
            recorded = nullptr;
        });
        return read_times(context, timer, slots.size());
    } catch (const vulkan::VulkanError& error) {
        throw run_failed(context, error, "ran", recorded ? *recorded : last_begun(timer, slots));
    }
}

}  // namespace tilewise::kernels
