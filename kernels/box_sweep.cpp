#include "kernels/box_sweep.h"
#include "kernels/stage.h"
#include "kernels/variant_cache.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>

namespace tilewise::kernels {

namespace {

struct Images {
    std::shared_ptr<Texture> source, result, expected;
};

Stage stage_of(Context& context, std::span<const uint32_t> spirv, const BoxRequest& request, const Images& images,
               const Order& order, bool statistics = false) {
    StageInputs inputs;
    inputs.images = {images.result->view.handle};
    inputs.textures = {images.source->view.handle};
    inputs.constants = order_constants(order.remap);
    inputs.constants.push_back(request.radius);
    inputs.push = {request.size.width, request.size.height, request.radius};
    inputs.groups = groups_over(request.size, shape_of(order.remap));
    inputs.statistics = statistics;
    return create_stage(context, spirv, inputs);
}

/// stages[i] for orders[i]; the first exception of any thread is thrown here.
std::vector<std::shared_ptr<const Stage>> create_stages(size_t count, const std::function<Stage(size_t)>& create,
                                                        const std::function<void(size_t)>& progress) {
    std::vector<std::shared_ptr<const Stage>> stages(count);
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
                        stages[i] = std::make_shared<const Stage>(create(i));
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

void copy(Context& context, const Texture& from, const Texture& to) {
    vulkan::begin(context.device, context.commands);
    VkImageCopy region = {};
    region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.extent = {from.size.width, from.size.height, 1};
    const VkCommandBuffer commands = context.commands.buffer;
    vulkan::full_barrier(commands);
    vkCmdCopyImage(commands, from.image.handle, VK_IMAGE_LAYOUT_GENERAL, to.image.handle, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &region);
    vulkan::full_barrier(commands);
    vulkan::submit_and_wait(context.device, context.commands);
}

/// Whether the job's result is the expected one.
struct Comparison {
    Context& context;
    Images images;
    std::shared_ptr<DeviceBuffer> differing;
    std::shared_ptr<const Stage> compare;

    bool holds_for(const Stage& job) const {
        clear(context, *images.result, {0, 0, 0, 0});
        fill(context, *differing, sizeof(uint32_t), 0);
        vulkan::begin(context.device, context.commands);
        record(context.commands.buffer, job);
        vulkan::full_barrier(context.commands.buffer);
        record(context.commands.buffer, *compare);
        vulkan::submit_and_wait(context.device, context.commands);
        uint32_t count = 0;
        std::memcpy(&count, download(context, *differing, sizeof count).data(), sizeof count);
        return count == 0;
    }
};

Comparison create_comparison(Workspace& workspace, const Images& images) {
    Comparison comparison = {workspace.context, images, device_buffer(workspace, "differing", sizeof(uint32_t)), {}};
    StageInputs inputs;
    inputs.buffers = {comparison.differing->handle.handle};
    inputs.textures = {images.result->view.handle, images.expected->view.handle};
    inputs.groups = groups_over(images.result->size, {16, 16});
    comparison.compare = std::make_shared<const Stage>(create_stage(workspace.context, {"same_texels.comp"}, inputs));
    return comparison;
}

}  // namespace

std::vector<Job> box_sweep(Workspace& workspace, const BoxRequest& request, std::span<const Order> orders,
                           const std::function<void(size_t)>& progress) {
    if (orders.empty()) return {};
    Context& context = workspace.context;
    const Job first = box_direct(workspace, request, orders.front());
    if (const std::string wrong = first.check(); !wrong.empty())
        throw Error(fmt::format("the box blur is wrong on this device: {}", wrong));
    const Images images = {source_texture(workspace, request.format, request.size),
                           result_texture(workspace, request.format, request.size),
                           scratch_texture(workspace, request.format, request.size)};
    copy(context, *images.result, *images.expected);
    const Comparison comparison = create_comparison(workspace, images);

    const std::vector<uint32_t> spirv = compile(context, box_direct_variant(request));
    const auto stages = create_stages(
        orders.size(), [&](size_t i) { return stage_of(context, spirv, request, images, orders[i]); }, progress);
    std::vector<Job> jobs;
    for (size_t i = 0; i < orders.size(); ++i) {
        Job job = first;
        job.order = orders[i].name;
        job.shape = orders[i].remap.shape;
        job.invocations = 1u << orders[i].remap.columns.size();
        job.record = [stage = stages[i], images](VkCommandBuffer commands) { record(commands, *stage); };
        job.check = [&context, comparison, stage = stages[i], record = job.record, radius = request.radius,
                     texels = source_texels(workspace, request.format, request.size)]() -> std::string {
            if (comparison.holds_for(*stage)) return {};
            return check_image(context, record, *comparison.images.result, box_reference(*texels, radius),
                               (2 * radius + 1) * (2 * radius + 1));
        };
        jobs.push_back(std::move(job));
    }
    return jobs;
}

uint32_t invocations_by_registers(uint32_t most,
                                  const std::function<std::optional<uint32_t>(uint32_t invocations)>& registers) {
    constexpr uint32_t least = 64;
    uint32_t invocations = most;
    auto taken = registers(invocations);
    while (taken && invocations > least) {
        const auto by_half = registers(invocations / 2);
        if (!by_half || *taken <= *by_half) break;
        invocations /= 2;
        taken = by_half;
    }
    return invocations;
}

uint32_t box_invocations(Workspace& workspace, const BoxRequest& request,
                         const std::function<Order(uint32_t invocations)>& order) {
    constexpr uint32_t usual = 256;
    Context& context = workspace.context;
    const uint32_t most = std::min(usual, std::bit_floor(context.most_invocations));
    if (!context.device.traits.pipeline_statistics) return most;
    const Images images = {source_texture(workspace, request.format, request.size),
                           result_texture(workspace, request.format, request.size),
                           {}};
    const std::vector<uint32_t> spirv = compile(context, box_direct_variant(request));
    return invocations_by_registers(most, [&](uint32_t invocations) {
        return stage_of(context, spirv, request, images, order(invocations), true).compute.registers;
    });
}

}  // namespace tilewise::kernels
