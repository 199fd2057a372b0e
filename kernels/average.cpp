#include "kernels/average.h"
#include "kernels/stage.h"
#include <bit>
#include <cmath>
#include <cstring>

namespace tilewise::kernels {

std::array<double, 4> mean_of(const Texels& texels) {
    std::array<double, 4> sums = {};
    const std::vector<float> channels = channels_of(texels);
    for (size_t i = 0; i < channels.size(); ++i) sums[i % 4] += static_cast<double>(channels[i]);
    for (double& sum : sums) sum /= static_cast<double>(count(texels.size));
    return sums;
}

namespace {

constexpr VkDeviceSize vec4_bytes = 16;

Job average_job(Workspace& workspace, std::string method, Format format, Size size) {
    Job job;
    job.kernel = "average";
    job.method = std::move(method);
    job.format = format;
    job.size = size;
    job.memory_type = source_texture(workspace, format, size)->memory_type;
    job.floor_bytes = count(size) * traits_of(format).bytes + vec4_bytes;
    return job;
}

uint32_t bits_of(float number) { return std::bit_cast<uint32_t>(number); }
uint32_t one_over_count(Size size) { return bits_of(1 / static_cast<float>(count(size))); }

/// `additions`: of the longest chain that leads to the mean.
std::string compare(const std::array<double, 4>& expected, const float* mean, uint64_t additions) {
    // Besides the additions: the texel as a number, the factor and the product are rounded.
    const double rounding = std::ldexp(static_cast<double>(additions + 4), -24);
    for (size_t i = 0; i < 4; ++i) {
        const double is = static_cast<double>(mean[i]);
        if (!(std::abs(is - expected[i]) <= rounding * expected[i]))
            return fmt::format("the mean's {} is {}, should be {} within {:.2g}", "rgba"[i], is, expected[i],
                               rounding * expected[i]);
    }
    return {};
}

/// The buffer with the mean: what its first 16 bytes are at the end.
std::shared_ptr<DeviceBuffer> mean_buffer(Workspace& workspace) {
    constexpr VkDeviceSize mean_and_counter = 2 * vec4_bytes;
    return device_buffer(workspace, "mean", mean_and_counter);
}

std::shared_ptr<DeviceBuffer> partial_sums(Workspace& workspace, uint64_t count) {
    return device_buffer(workspace, "partial sums", count * vec4_bytes);
}

void set_work(Workspace& workspace, Job& job, std::vector<Stage> passes, uint64_t additions,
              std::vector<std::shared_ptr<const void>> kept) {
    const auto mean = mean_buffer(workspace);
    kept.push_back(mean);
    kept.push_back(source_texture(workspace, job.format, job.size));
    const auto stages = std::make_shared<const std::vector<Stage>>(std::move(passes));
    job.record = [stages, kept = std::move(kept)](VkCommandBuffer commands) {
        for (const Stage& stage : *stages) {
            if (&stage != &stages->front()) vulkan::full_barrier(commands);
            record(commands, stage);
        }
    };
    job.check = [&context = workspace.context, work = job.record, mean, additions,
                 texels = source_texels(workspace, job.format, job.size)]() -> std::string {
        fill(context, *mean, vec4_bytes, ~0u);
        vulkan::begin(context.device, context.commands);
        work(context.commands.buffer);
        vulkan::submit_and_wait(context.device, context.commands);
        std::array<float, 4> got = {};
        std::memcpy(got.data(), download(context, *mean, vec4_bytes).data(), sizeof got);
        return compare(mean_of(*texels), got.data(), additions);
    };
}

Job average_lines(Workspace& workspace, Format format, Size size, bool columns) {
    constexpr uint32_t invocations = 64;
    const uint32_t lines = columns ? size.width : size.height;
    Job job = average_job(workspace, columns ? "iterative by column" : "iterative by row", format, size);
    job.shape = columns ? Coord{invocations, size.height, 1, 1} : Coord{size.width, invocations, 1, 1};
    job.invocations = invocations;
    const auto sums = partial_sums(workspace, lines);

    Variant by_line = {"average_lines.comp"};
    if (columns) by_line.defines.emplace_back("COLUMNS", "");
    StageInputs inputs;
    inputs.buffers = {sums->handle.handle};
    inputs.textures = {source_texture(workspace, format, size)->view.handle};
    inputs.push = {size.width, size.height};
    inputs.groups = {(lines + invocations - 1) / invocations, 1, 1};
    std::vector<Stage> passes;
    passes.push_back(create_stage(workspace.context, by_line, inputs));

    StageInputs last;
    last.buffers = {mean_buffer(workspace)->handle.handle, sums->handle.handle};
    last.push = {size.width, size.height, one_over_count(size), lines};
    passes.push_back(create_stage(workspace.context, {"average_loop.comp", {{"PARTIALS", ""}}}, last));
    set_work(workspace, job, std::move(passes), uint64_t{size.width} + size.height, {sums});
    return job;
}

}  // namespace

Job average_one_invocation(Workspace& workspace, Format format, Size size) {
    if (count(size) > most_texels_in_one_sum)
        throw UsageError(fmt::format("one invocation adds up {} texels at most, not {}x{}", most_texels_in_one_sum,
                                     size.width, size.height));
    Job job =
        average_job(workspace, fmt::format("one invocation (to {} texels)", most_texels_in_one_sum), format, size);
    job.shape = {size.width, size.height, 1, 1};
    job.invocations = 1;
    StageInputs inputs;
    inputs.buffers = {mean_buffer(workspace)->handle.handle};
    inputs.textures = {source_texture(workspace, format, size)->view.handle};
    inputs.push = {size.width, size.height, one_over_count(size), 0};
    std::vector<Stage> passes;
    passes.push_back(create_stage(workspace.context, {"average_loop.comp"}, inputs));
    set_work(workspace, job, std::move(passes), count(size), {});
    return job;
}

Job average_by_row(Workspace& workspace, Format format, Size size) {
    return average_lines(workspace, format, size, false);
}

Job average_by_column(Workspace& workspace, Format format, Size size) {
    return average_lines(workspace, format, size, true);
}

Job average_shared(Workspace& workspace, Format format, Size size, const Order& order) {
    constexpr uint32_t boxes = 8;
    const Size shape = {shape_of(order.remap).width, shape_of(order.remap).height * boxes};
    Job job = average_job(workspace, "groupshared", format, size);
    job.order = order.name;
    job.shape = {shape.width, shape.height, 1, 1};
    job.invocations = 1u << order.remap.columns.size();

    StageInputs inputs;
    inputs.groups = groups_over(size, shape);
    const uint32_t groups = inputs.groups[0] * inputs.groups[1];
    const auto sums = partial_sums(workspace, groups);
    inputs.buffers = {sums->handle.handle};
    inputs.textures = {source_texture(workspace, format, size)->view.handle};
    inputs.constants = order_constants(order.remap);
    inputs.constants.push_back(boxes);
    inputs.push = {size.width, size.height, bits_of(1), 0};
    std::vector<Stage> passes;
    passes.push_back(create_stage(workspace.context, {"average_shared.comp"}, inputs));

    StageInputs last;
    last.buffers = {mean_buffer(workspace)->handle.handle, sums->handle.handle};
    last.constants = inputs.constants;
    last.push = {size.width, size.height, one_over_count(size), groups};
    passes.push_back(create_stage(workspace.context, {"average_shared.comp", {{"PARTIALS", ""}}}, last));
    const uint64_t tree = order.remap.columns.size();
    const uint64_t additions = boxes + tree + groups / job.invocations + 1 + tree;
    set_work(workspace, job, std::move(passes), additions, {sums});
    return job;
}

Job average_subgroups(Workspace& workspace, Format format, Size size, const Order& order, const AverageSteps& steps) {
    const uint32_t subgroup = workspace.context.subgroup_size;
    if (subgroup == 0) throw Error("the device has no subgroup arithmetic");
    const Size shape = {shape_of(order.remap).width * steps.along_x, shape_of(order.remap).height * steps.along_y};
    Job job = average_job(workspace, "subgroups, one dispatch", format, size);
    job.order = order.name;
    job.shape = {shape.width, shape.height, 1, 1};
    job.invocations = 1u << order.remap.columns.size();

    const auto cover = groups_over(size, shape);
    const uint32_t all_steps = cover[0] * cover[1], groups = std::min(steps.workgroups, all_steps);
    const auto sums = partial_sums(workspace, groups);
    StageInputs inputs;
    inputs.groups = {groups, 1, 1};
    inputs.buffers = {mean_buffer(workspace)->handle.handle, sums->handle.handle};
    inputs.textures = {source_texture(workspace, format, size)->view.handle};
    inputs.constants = order_constants(order.remap);
    inputs.push = {size.width,        size.height,         cover[0], cover[1], groups % cover[0],
                   groups / cover[0], one_over_count(size)};
    const Variant variant = {"average_subgroups.comp",
                             {{"ALONG_X", std::to_string(steps.along_x)}, {"ALONG_Y", std::to_string(steps.along_y)}}};
    std::vector<Stage> passes;
    passes.push_back(create_stage(workspace.context, variant, inputs));
    // A subgroup may add in any way, at the worst lane after lane.
    const uint64_t subgroups = (job.invocations + subgroup - 1) / subgroup;
    const uint64_t workgroup = 2 * uint64_t{subgroup} + (subgroups + subgroup - 1) / subgroup;
    const uint64_t additions = uint64_t{steps.along_x} * steps.along_y + (all_steps + groups - 1) / groups + workgroup +
                               groups / job.invocations + 1 + workgroup;
    set_work(workspace, job, std::move(passes), additions, {sums});
    return job;
}

std::vector<Job> average_jobs(Workspace& workspace, Format format, Size size, const std::vector<Order>& orders) {
    std::vector<Job> jobs;
    if (count(size) <= most_texels_in_one_sum) jobs.push_back(average_one_invocation(workspace, format, size));
    jobs.push_back(average_by_row(workspace, format, size));
    jobs.push_back(average_by_column(workspace, format, size));
    for (const Order& order : orders) {
        jobs.push_back(average_shared(workspace, format, size, order));
        if (workspace.context.subgroup_size > 0) jobs.push_back(average_subgroups(workspace, format, size, order));
    }
    return jobs;
}

}  // namespace tilewise::kernels
