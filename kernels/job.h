// What is checked and timed: a kernel, by one method, in one order, over one image.
#pragma once
#include "kernels/image/pool.h"
#include "kernels/shader/order.h"
#include <functional>

namespace tilewise::kernels {

/// What is computed.
struct Task {
    /// "box", "gaussian", "bilateral", "average", "brightest", "copy", or a user's filter.
    std::string kernel;
    Format format = Format::rgba8;
    Size size;
    uint32_t radius = 0;
    /// The minimum traffic: the source is read once, and the result is written once.
    uint64_t minimum_bytes = 0;
    /// Used in messages instead of radius, format and size.
    std::string subject = {};
};

/// The method (Job::method) in which each invocation reads its own texels and all their neighbours.
constexpr const char* direct_name = "direct";

/// How a job is divided among workgroups.
struct Workgroup {
    /// As in Order; empty if the method has an order of its own.
    std::string order = {};
    /// Texels of the workgroup's box.
    Coord shape = unit_extent;
    uint32_t invocations = 0;
    GroupOrder groups = {};
};
/// A workgroup with `boxes` of the order's shape, side by side and one below the other.
Workgroup in_order(const Order& order, Size boxes = {1, 1});

/// Records work, with barriers between its own passes, but none before or after.
using Record = std::function<void(VkCommandBuffer)>;

/// What happens before and after the single run of a check.
struct ResultCheck {
    /// Removes everything that could pass for the run's result.
    std::function<void()> poison;
    /// Returns an empty text if everything is right, otherwise describes the first texel that differs.
    std::function<std::string()> compare;
    /// Runs instead of the job's own work if that leaves no result.
    Record record = {};
};

/// `record` and `check` own what they work on: images, buffers and pipelines live as long as the job, even if it
/// outlives the pool and the cache of references that it was made with.
struct Job : Task, Workgroup {
    /// How the result is computed: "direct", "running sums", ...
    std::string method;
    /// The memory type of the source.
    uint32_t memory_type = 0;
    Record record;
    /// Runs before each sample, untimed. A job that has it changes its own input, and runs once per sample.
    Record prepare = {};
    /// Runs the job once; returns the same as ResultCheck::compare.
    std::function<std::string()> check;
    /// Why this device cannot run the job; `record` and `check` are then empty.
    std::string skipped;
};

/// All jobs are created here.
Job make_job(ImagePool& pool, Task task, std::string method, Workgroup workgroup, Record record, ResultCheck check);
/// A job that is shown, but not run.
Job skipped_job(Task task, std::string method, std::string reason);

/// Records the passes (ComputePass or DrawPass) one after the other; keeps their bindings alive.
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
    /// For example "box, direct, learned 16x16 in tiles of 1x8, radius 8, R8G8B8A8_UNORM 4096x4096".
    const Job& job);

}  // namespace tilewise::kernels
