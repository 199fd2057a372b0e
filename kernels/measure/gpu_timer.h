// One submission of several jobs, each between two timestamps.
#pragma once
#include "kernels/job.h"
#include "probe/vulkan/memory.h"

namespace tilewise::kernels {

using OwnedQueryPool = vulkan::Owned<VkQueryPool, &vkDestroyQueryPool>;

struct Stopwatch {
    OwnedQueryPool queries;
    vulkan::HostBuffer trace;  ///< which slot the device has begun last: for the day on which it does not come back
};
constexpr uint32_t most_slots = 256;
void create_stopwatch(const Context& context, Stopwatch& stopwatch);

struct Slot {
    const Job* job = nullptr;
    uint32_t repeats = 1;
};

/// The device was lost, hung or out of something; what() says in which job.
struct RunFailed : Error {
    bool hung = false;
    RunFailed(const std::string& what, bool still_running) : Error(what), hung(still_running) {}
};
/// `what_it_did`: "ran", "was checked".
RunFailed run_failed(const Context& context, const vulkan::VulkanError& error, const char* what_it_did, const Job& job);

/// Runs the slots one after the other (at most `most_slots`), with everything flushed between them, and gives the
/// milliseconds of each: all its repeats together. `lead_in`: the first one runs once before, untimed, so that it does not
/// meet an idle device. Throws RunFailed, also where the commands' patience is at its end.
std::vector<double> timed_run(Context& context, const Stopwatch& stopwatch, std::span<const Slot> slots, bool lead_in);

}  // namespace tilewise::kernels
