#include "kernels/box/sweep.h"
#include "kernels/shader/cache.h"
#include "patterns/model/parallel.h"
#include <algorithm>

namespace tilewise::kernels {

namespace {

/// The pass of box_direct in each order. `statistics`: their registers are wanted.
std::vector<ComputePass> direct_passes(ImagePool& pool, const BoxRequest& request, std::span<const Order> orders,
                                       bool statistics, const std::function<void(size_t)>& progress = {}) {
    std::vector<ComputePassInputs> inputs;
    for (const Order& order : orders) {
        inputs.push_back(box_direct_inputs(pool, request, order));
        inputs.back().statistics = statistics;
    }
    const std::vector<uint32_t> spirv = compile(pool.context, box_direct_variant(request));
    std::vector<ComputePass> passes(orders.size());
    parallel_for(
        passes.size(), [&](size_t i) { passes[i] = create_compute_pass(pool.context, spirv, inputs[i]); }, progress);
    return passes;
}

}  // namespace

std::vector<Job> box_sweep(ImagePool& pool, const References& references, const BoxRequest& request,
                           std::span<const Order> orders, const std::function<void(size_t)>& progress) {
    if (orders.empty()) return {};
    if (const std::string wrong = box_direct(pool, references, request, orders.front()).check(); !wrong.empty())
        throw Error(fmt::format("the box blur is wrong on this device: {}", wrong));
    std::vector<ComputePass> passes = direct_passes(pool, request, orders, false, progress);
    std::vector<Job> jobs;
    for (size_t i = 0; i < orders.size(); ++i)
        jobs.push_back(box_direct(pool, references, request, orders[i], std::move(passes[i])));
    return jobs;
}

std::vector<std::optional<uint32_t>> box_registers(ImagePool& pool, const BoxRequest& request,
                                                   std::span<const Order> orders) {
    std::vector<std::optional<uint32_t>> registers(orders.size());
    if (!pool.context.device.traits.pipeline_statistics) return registers;
    const std::vector<ComputePass> passes = direct_passes(pool, request, orders, true);
    std::ranges::transform(passes, registers.begin(), [](const ComputePass& pass) { return pass.compute.registers; });
    return registers;
}

}  // namespace tilewise::kernels
