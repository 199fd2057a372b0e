#include "kernels/box/sweep.h"
#include "kernels/shader/cache.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <thread>

namespace tilewise::kernels {

namespace {

/// stages[i] for orders[i]; the first exception of any thread is thrown here.
std::vector<std::shared_ptr<const ComputePass>> create_stages(size_t count,
                                                              const std::function<ComputePass(size_t)>& create,
                                                              const std::function<void(size_t)>& progress) {
    std::vector<std::shared_ptr<const ComputePass>> stages(count);
    std::atomic<size_t> next = 0, done = 0, running = 0;
    std::vector<std::exception_ptr> failures(std::max(std::thread::hardware_concurrency(), 1u));
    {
        std::vector<std::jthread> threads;
        threads.reserve(failures.size());
        running = failures.size();
        for (std::exception_ptr& failure : failures)
            threads.emplace_back([&] {
                try {
                    for (size_t i = next++; i < count; i = next++, ++done)
                        stages[i] = std::make_shared<const ComputePass>(create(i));
                } catch (...) {
                    failure = std::current_exception();
                    next = count;
                }
                --running;
            });
        while (running > 0) {
            if (progress) progress(done);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    return stages;
}

/// Of box_direct, one for each order. `statistics`: their registers are wanted.
std::vector<std::shared_ptr<const ComputePass>> direct_stages(Workspace& workspace, const BoxRequest& request,
                                                              std::span<const Order> orders, bool statistics,
                                                              const std::function<void(size_t)>& progress = {}) {
    std::vector<ComputePassInputs> inputs;
    for (const Order& order : orders) {
        inputs.push_back(box_direct_inputs(workspace, request, order));
        inputs.back().statistics = statistics;
    }
    const std::vector<uint32_t> spirv = compile(workspace.context, box_direct_variant(request));
    return create_stages(
        orders.size(), [&](size_t i) { return create_compute_pass(workspace.context, spirv, inputs[i]); }, progress);
}

}  // namespace

std::vector<Job> box_sweep(Workspace& workspace, const BoxRequest& request, std::span<const Order> orders,
                           const std::function<void(size_t)>& progress) {
    if (orders.empty()) return {};
    if (const std::string wrong = box_direct(workspace, request, orders.front()).check(); !wrong.empty())
        throw Error(fmt::format("the box blur is wrong on this device: {}", wrong));
    const auto stages = direct_stages(workspace, request, orders, false, progress);
    std::vector<Job> jobs;
    for (size_t i = 0; i < orders.size(); ++i) jobs.push_back(box_direct(workspace, request, orders[i], stages[i]));
    return jobs;
}

std::vector<std::optional<uint32_t>> box_registers(Workspace& workspace, const BoxRequest& request,
                                                   std::span<const Order> orders) {
    std::vector<std::optional<uint32_t>> registers(orders.size());
    if (!workspace.context.device.traits.pipeline_statistics) return registers;
    const auto stages = direct_stages(workspace, request, orders, true);
    std::ranges::transform(stages, registers.begin(), [](const auto& stage) { return stage->compute.registers; });
    return registers;
}

uint32_t invocations_by_registers(std::span<const uint32_t> preferred,
                                  std::span<const std::optional<uint32_t>> registers) {
    size_t best = 0;
    for (size_t i = 1; i < preferred.size(); ++i)
        if (registers[i] && registers[best] && *registers[i] < *registers[best]) best = i;
    return preferred[best];
}

uint32_t box_invocations(Workspace& workspace, const BoxRequest& request,
                         const std::function<Order(uint32_t invocations)>& order) {
    constexpr uint32_t sector = 32;  // bytes
    std::vector<uint32_t> preferred = {default_invocations, default_invocations / 2, default_invocations / 4};
    if (4 * traits_of(request.format).bytes > sector) preferred.insert(preferred.end(), {512, 1024});
    std::erase_if(preferred, [&](uint32_t invocations) { return invocations > workspace.context.max_invocations; });
    if (preferred.empty()) return std::bit_floor(workspace.context.max_invocations);
    std::vector<Order> orders;
    std::ranges::transform(preferred, std::back_inserter(orders), order);
    return invocations_by_registers(preferred, box_registers(workspace, request, orders));
}

}  // namespace tilewise::kernels
