// One submission of several jobs, each between two timestamps.
#pragma once
#include "kernels/job.h"
#include "probe/vulkan/memory.h"

namespace tilewise::kernels {

using OwnedQueryPool = vulkan::Owned<VkQueryPool, &vkDestroyQueryPool>;

struct GpuTimer {
    OwnedQueryPool queries;
    /// Records which slot the device began last, in case it never returns.
    vulkan::HostBuffer trace;
};
constexpr uint32_t max_slots = 512;
void create_gpu_timer(const Context& context, GpuTimer& timer);

struct Slot {
    const Job* job = nullptr;
    uint32_t repeats = 1;
};

/// The device was lost, hung or ran out of something; what() says during which job.
struct RunFailed : Error {
    bool hung = false;
    RunFailed(const std::string& what, bool still_running) : Error(what), hung(still_running) {}
};
/// `what_it_did`: "ran", "was checked".
RunFailed run_failed(const Context& context, const vulkan::VulkanError& error, const char* what_it_did, const Job& job);

/// Runs the slots one after the other (at most `max_slots`), with everything flushed between them, and returns the
/// milliseconds of each slot, all its repeats together. With `warm_up_run`, the first slot runs once before, untimed,
/// so that it does not meet an idle device. Throws RunFailed, also at the commands' timeout.
std::vector<double> time_slots(Context& context, const GpuTimer& timer, std::span<const Slot> slots, bool warm_up_run);

}  // namespace tilewise::kernels
