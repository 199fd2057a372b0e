#include "kernels/average/average.h"
#include "kernels/image/check.h"
#include "kernels/shader/compute_pass.h"
#include "kernels/shader/draw_pass.h"
#include <bit>
#include <cmath>
#include <cstring>

namespace tilewise::kernels {

std::array<double, 4> mean_of(const Texels& texels) {
    std::vector<std::array<double, 4>> rows(texels.size.height);
    for_rows(texels.size.height, [&](uint32_t first, uint32_t last) {
        for (uint32_t y = first; y < last; ++y) {
            const std::vector<float> channels = channels_of(texels, y, y + 1);
            for (size_t i = 0; i < channels.size(); ++i) rows[y][i % 4] += static_cast<double>(channels[i]);
        }
    });
    std::array<double, 4> mean = {};
    for (const auto& row : rows)
        for (size_t i = 0; i < 4; ++i) mean[i] += row[i];
    for (double& channel : mean) channel /= static_cast<double>(count(texels.size));
    return mean;
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
    job.minimum_bytes = count(size) * traits_of(format).bytes + vec4_bytes;
    return job;
}

uint32_t bits_of(float number) { return std::bit_cast<uint32_t>(number); }
uint32_t one_over_count(Size size) { return bits_of(1 / static_cast<float>(count(size))); }

std::string difference(size_t channel, double is, double expected, double allowed) {
    return fmt::format("the mean's {} is {}, should be {} within {:.2g}", "rgba"[channel], is, expected, allowed);
}

/// `additions`: of the longest chain that leads to the mean.
std::string compare(const std::array<double, 4>& expected, const float* mean, uint64_t additions) {
    // Besides the additions: the texel as a number, the factor and the product are rounded.
    const double rounding = std::ldexp(static_cast<double>(additions + 4), -24);
    for (size_t i = 0; i < 4; ++i) {
        const double is = static_cast<double>(mean[i]);
        const double allowed = rounding * expected[i];
        if (!(std::abs(is - expected[i]) <= allowed)) return difference(i, is, expected[i], allowed);
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

void set_work(Workspace& workspace, Job& job, std::vector<ComputePass> passes, uint64_t additions,
              std::vector<std::shared_ptr<const void>> kept) {
    const auto mean = mean_buffer(workspace);
    kept.push_back(mean);
    kept.push_back(source_texture(workspace, job.format, job.size));
    const auto stages = std::make_shared<const std::vector<ComputePass>>(std::move(passes));
    job.record = [stages, kept = std::move(kept)](VkCommandBuffer commands) {
        for (const ComputePass& stage : *stages) {
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
    ComputePassInputs inputs;
    inputs.buffers = {sums->handle.handle};
    inputs.textures = {source_texture(workspace, format, size)->view.handle};
    inputs.push = {size.width, size.height};
    inputs.groups = {(lines + invocations - 1) / invocations, 1, 1};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(workspace.context, by_line, inputs));

    ComputePassInputs last;
    last.buffers = {mean_buffer(workspace)->handle.handle, sums->handle.handle};
    last.push = {size.width, size.height, one_over_count(size), lines};
    passes.push_back(create_compute_pass(workspace.context, {"average_loop.comp", {{"PARTIALS", ""}}}, last));
    set_work(workspace, job, std::move(passes), uint64_t{size.width} + size.height, {sums});
    return job;
}

void require_one_sum(Size size) {
    if (count(size) > max_texels_in_one_sum)
        throw UsageError(
            fmt::format("one sum is for {} texels at most, not {}x{}", max_texels_in_one_sum, size.width, size.height));
}

bool has_features(const Context& context, VkFormat format, VkFormatFeatureFlags needed) {
    VkFormatProperties properties = {};
    vkGetPhysicalDeviceFormatProperties(context.device.physical, format, &properties);
    return context.graphics && (properties.optimalTilingFeatures & needed) == needed;
}

bool can_blit(const Context& context, Format format) {
    return has_features(context, traits_of(format).format,
                        VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT |
                            VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
}

bool can_blend(const Context& context) {
    return has_features(context, traits_of(Format::rgba32f).format, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT);
}

bool halves_evenly(Size size) { return std::has_single_bit(size.width) && std::has_single_bit(size.height); }

Size half_of(Size size) { return {std::max(size.width / 2, 1u), std::max(size.height / 2, 1u)}; }

/// From a level, or the whole of another image, to the next smaller one.
void record_halving(VkCommandBuffer commands, const Texture& from, uint32_t from_level, Size size, const Texture& to,
                    uint32_t to_level) {
    const auto corner = [](Size of) {
        return VkOffset3D{static_cast<int32_t>(of.width), static_cast<int32_t>(of.height), 1};
    };
    VkImageBlit blit = {};
    blit.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, from_level, 0, 1};
    blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, to_level, 0, 1};
    blit.srcOffsets[1] = corner(size);
    blit.dstOffsets[1] = corner(half_of(size));
    vkCmdBlitImage(commands, from.image.handle, VK_IMAGE_LAYOUT_GENERAL, to.image.handle, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &blit, VK_FILTER_LINEAR);
}

void record_mip_chain(VkCommandBuffer commands, const Texture& source, const Texture& levels) {
    Size size = source.size;
    record_halving(commands, source, 0, size, levels, 0);
    for (uint32_t level = 1; level < levels.levels; ++level) {
        vulkan::full_barrier(commands);
        size = half_of(size);
        record_halving(commands, levels, level - 1, size, levels, level);
    }
}

std::string check_last_level(Context& context, const std::function<void(VkCommandBuffer)>& work, const Texture& levels,
                             const std::array<double, 4>& expected) {
    clear(context, levels, {0, 0, 0, 0});
    vulkan::begin(context.device, context.commands);
    work(context.commands.buffer);
    vulkan::submit_and_wait(context.device, context.commands);
    const std::vector<float> mean = channels_of(download(context, levels, levels.levels - 1));
    for (size_t i = 0; i < 4; ++i) {
        const double is = static_cast<double>(mean[i]);
        const double allowed = levels.levels * tolerance(levels.format, expected[i], 4);
        if (!(std::abs(is - expected[i]) <= allowed)) return difference(i, is, expected[i], allowed);
    }
    return {};
}

}  // namespace

Job average_one_invocation(Workspace& workspace, Format format, Size size) {
    require_one_sum(size);
    Job job = average_job(workspace, fmt::format("one invocation (to {} texels)", max_texels_in_one_sum), format, size);
    job.shape = {size.width, size.height, 1, 1};
    job.invocations = 1;
    ComputePassInputs inputs;
    inputs.buffers = {mean_buffer(workspace)->handle.handle};
    inputs.textures = {source_texture(workspace, format, size)->view.handle};
    inputs.push = {size.width, size.height, one_over_count(size), 0};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(workspace.context, {"average_loop.comp"}, inputs));
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

    ComputePassInputs inputs;
    inputs.groups = groups_over(size, shape);
    const uint32_t groups = inputs.groups[0] * inputs.groups[1];
    const auto sums = partial_sums(workspace, groups);
    inputs.buffers = {sums->handle.handle};
    inputs.textures = {source_texture(workspace, format, size)->view.handle};
    inputs.constants = order_constants(order.remap);
    inputs.constants.push_back(boxes);
    inputs.push = {size.width, size.height, bits_of(1), 0};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(workspace.context, {"average_shared.comp"}, inputs));

    ComputePassInputs last;
    last.buffers = {mean_buffer(workspace)->handle.handle, sums->handle.handle};
    last.constants = inputs.constants;
    last.push = {size.width, size.height, one_over_count(size), groups};
    passes.push_back(create_compute_pass(workspace.context, {"average_shared.comp", {{"PARTIALS", ""}}}, last));
    const uint64_t tree = order.remap.columns.size();
    const uint64_t additions = boxes + tree + groups / job.invocations + 1 + tree;
    set_work(workspace, job, std::move(passes), additions, {sums});
    return job;
}

Job average_subgroups(Workspace& workspace, Format format, Size size, const Order& order, const AverageSteps& steps) {
    const uint32_t subgroup = workspace.context.subgroup_size;
    if (subgroup == 0) throw Error("the device has no subgroup arithmetic");
    if (steps.workgroups == 0 || steps.along_x == 0 || steps.along_y == 0)
        throw UsageError(fmt::format("an average cannot be taken by {} workgroups in steps of {}x{} boxes",
                                     steps.workgroups, steps.along_x, steps.along_y));
    const Size shape = {shape_of(order.remap).width * steps.along_x, shape_of(order.remap).height * steps.along_y};
    Job job = average_job(workspace, "subgroups, one dispatch", format, size);
    job.order = order.name;
    job.shape = {shape.width, shape.height, 1, 1};
    job.invocations = 1u << order.remap.columns.size();

    const auto cover = groups_over(size, shape);
    const uint32_t all_steps = cover[0] * cover[1], groups = std::min(steps.workgroups, all_steps);
    const auto sums = partial_sums(workspace, groups);
    ComputePassInputs inputs;
    inputs.groups = {groups, 1, 1};
    inputs.buffers = {mean_buffer(workspace)->handle.handle, sums->handle.handle};
    inputs.textures = {source_texture(workspace, format, size)->view.handle};
    inputs.constants = order_constants(order.remap);
    inputs.push = {size.width,        size.height,         cover[0], cover[1], groups % cover[0],
                   groups / cover[0], one_over_count(size)};
    const Variant variant = {"average_subgroups.comp",
                             {{"ALONG_X", std::to_string(steps.along_x)}, {"ALONG_Y", std::to_string(steps.along_y)}}};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(workspace.context, variant, inputs));
    // A subgroup may add in any way, at the worst lane after lane.
    const uint64_t subgroups = (job.invocations + subgroup - 1) / subgroup;
    const uint64_t workgroup = 2 * uint64_t{subgroup} + (subgroups + subgroup - 1) / subgroup;
    const uint64_t additions = uint64_t{steps.along_x} * steps.along_y + (all_steps + groups - 1) / groups + workgroup +
                               groups / job.invocations + 1 + workgroup;
    set_work(workspace, job, std::move(passes), additions, {sums});
    return job;
}

Job average_mip_chain(Workspace& workspace, Format format, Size size) {
    Context& context = workspace.context;
    if (!halves_evenly(size))
        throw UsageError(
            fmt::format("a mip chain of {}x{} does not give each texel the same weight: its sides must be "
                        "powers of two",
                        size.width, size.height));
    if (!can_blit(context, format))
        throw Error(fmt::format("the device cannot halve {} by blits", traits_of(format).name));
    Job job = average_job(workspace, "mip chain", format, size);
    job.shape = {2, 2, 1, 1};
    const auto source = source_texture(workspace, format, size);
    const auto levels = std::make_shared<Texture>();
    TextureOptions options;
    options.levels = static_cast<uint32_t>(std::bit_width(std::max(half_of(size).width, half_of(size).height)));
    create_texture(context, format, half_of(size), options, *levels);
    job.record = [source, levels](VkCommandBuffer commands) { record_mip_chain(commands, *source, *levels); };
    job.check = [&context, work = job.record, levels, texels = source_texels(workspace, format, size)] {
        return check_last_level(context, work, *levels, mean_of(*texels));
    };
    return job;
}

Job average_blending(Workspace& workspace, Format format, Size size) {
    require_one_sum(size);
    if (!can_blend(workspace.context)) throw Error("the device cannot blend R32G32B32A32_SFLOAT");
    Job job =
        average_job(workspace, fmt::format("additive blending (to {} texels)", max_texels_in_one_sum), format, size);
    const auto source = source_texture(workspace, format, size);
    const auto target = target_texture(workspace, Format::rgba32f, {1, 1}, 0);
    DrawPassInputs inputs;
    inputs.textures = {source->view.handle};
    inputs.push = {size.width, size.height, one_over_count(size)};
    inputs.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    inputs.vertices = static_cast<uint32_t>(count(size));
    inputs.add = true;
    const auto draw = std::make_shared<const DrawPass>(
        create_draw_pass(workspace.context, {"average_points.vert"}, {"average_points.frag"}, inputs, *target));
    job.record = [draw, source, target](VkCommandBuffer commands) { record(commands, *draw); };
    const auto reference = [texels = source_texels(workspace, format, size)] {
        const std::array<double, 4> mean = mean_of(*texels);
        return std::vector<float>(mean.begin(), mean.end());
    };
    const std::string key = fmt::format("mean {} {}x{}", traits_of(format).name, size.width, size.height);
    // Besides the additions: the texel as a number, the factor and each product are rounded.
    const auto additions = static_cast<uint32_t>(count(size)) + 4;
    job.check = [&workspace, work = job.record, target, expectation = Expectation{key, reference, additions}] {
        return check_image(workspace, work, target, expectation);
    };
    return job;
}

std::vector<Job> average_jobs(Workspace& workspace, Format format, Size size, const std::vector<Order>& orders) {
    std::vector<Job> jobs;
    if (count(size) <= max_texels_in_one_sum) jobs.push_back(average_one_invocation(workspace, format, size));
    if (count(size) <= max_texels_in_one_sum && can_blend(workspace.context))
        jobs.push_back(average_blending(workspace, format, size));
    if (halves_evenly(size) && can_blit(workspace.context, format))
        jobs.push_back(average_mip_chain(workspace, format, size));
    jobs.push_back(average_by_row(workspace, format, size));
    jobs.push_back(average_by_column(workspace, format, size));
    for (const Order& order : orders) {
        jobs.push_back(average_shared(workspace, format, size, order));
        if (workspace.context.subgroup_size > 0) jobs.push_back(average_subgroups(workspace, format, size, order));
    }
    return jobs;
}

}  // namespace tilewise::kernels
