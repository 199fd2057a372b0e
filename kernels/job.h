// What is checked and timed: a kernel, by one method, in one order, over one image.
#pragma once
#include "kernels/image/pool.h"
#include "kernels/shader/order.h"
#include <functional>

namespace tilewise::kernels {

/// What is computed.
struct Task {
    /// It is "box", "gaussian", "bilateral", "average", "brightest", "copy", or a user's filter.
    std::string kernel;
    Format format = Format::rgba8;
    Size size;
    uint32_t radius = 0;
    /// This is the minimum traffic: the source is read once, the result written once.
    uint64_t minimum_bytes = 0;
    /// It stands in messages in place of radius, format and size.
    std::string subject = {};
};

/// The method (Job::method) in which each invocation reads its own texels, and all of their neighbours.
constexpr const char* direct_name = "direct";

/// How it is divided among workgroups.
struct Workgroup {
    /// It is as in Order; empty where the method has an order of its own.
    std::string order = {};
    /// Its box has so many texels.
    Coord shape = unit_extent;
    uint32_t invocations = 0;
    GroupOrder groups = {};
};
/// `boxes` of the order's shape, side by side and one below the other.
Workgroup in_order(const Order& order, Size boxes = {1, 1});

/// Records work, with the barriers between its own passes, but none before or after.
using Record = std::function<void(VkCommandBuffer)>;

/// What goes before and after the one run of a check.
struct ResultCheck {
    /// It leaves nothing that could pass for the run's result.
    std::function<void()> poison;
    /// It gives nothing where all is right, else the first texel that differs, in words.
    std::function<std::string()> compare;
    /// It is run in place of the job's own work, where that leaves no result.
    Record record = {};
};

/// `record` and `check` own what they work on: images, buffers and pipelines live as long as the job, even where it
/// outlives the pool and the cache of references that it was made with.
struct Job : Task, Workgroup {
    /// It says how the result is computed: "direct", "running sums", ...
    std::string method;
    /// The source lies in it.
    uint32_t memory_type = 0;
    Record record;
    /// What goes before each of its samples, untimed: a job that has it changes what it reads, and runs once a sample.
    Record prepare = {};
    /// It runs the job once; what it gives is as in ResultCheck::compare.
    std::function<std::string()> check;
    /// It says why this device cannot run the job: `record` and `check` are empty then.
    std::string skipped;
};

/// The one way to a job.
Job make_job(ImagePool& pool, Task task, std::string method, Workgroup workgroup, Record record, ResultCheck check);
/// A job that is shown, but not run.
Job skipped_job(Task task, std::string method, std::string reason);

/// Records the passes (ComputePass or DrawPass) one after the other; keeps what they are bound to.
template <typename Pass>
Record record_passes(std::vector<Pass> passes, std::vector<std::shared_ptr<const void>> bound_to) {
    return [passes = std::make_shared<const std::vector<Pass>>(std::move(passes)),
            bound_to = std::move(bound_to)](VkCommandBuffer commands) {
        for (const Pass& pass : *passes) {
            if (&pass != &passes->front()) vulkan::full_barrier(commands);
            record(commands, pass);
        }
    };
}

std::string job_text(
    /// It reads like "box, direct, learned 16x16 in tiles of 1x8, radius 8, R8G8B8A8_UNORM 4096x4096".
    const Job& job);

}  // namespace tilewise::kernels
