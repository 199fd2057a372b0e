#include "kernels/average/average.h"
#include "kernels/image/check.h"
#include "kernels/mip_chain/mip_chain.h"
#include "kernels/reference.h"
#include "kernels/shader/draw_pass.h"
#include "patterns/model/bits.h"
#include "patterns/model/parallel.h"
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

Task average_task(Format format, Size size) {
    return {"average", format, size, 0, count(size) * traits_of(format).bytes + vec4_bytes};
}

uint32_t bits_of(float number) { return std::bit_cast<uint32_t>(number); }
uint32_t one_over_count(Size size) { return bits_of(1 / static_cast<float>(count(size))); }

std::string difference(size_t channel, double is, double expected, double allowed) {
    return fmt::format("the mean's {} is {}, should be {} within {:.2g}", "rgba"[channel], is, expected, allowed);
}

/// `additions` is the length of the longest chain of additions that leads to the mean.
std::string compare(const std::array<double, 4>& expected, const float* mean, uint64_t additions) {
    // In addition, the texel's conversion to a number, the factor and the product are rounded.
    const double rounding = std::ldexp(static_cast<double>(additions + 4), -24);
    for (size_t i = 0; i < 4; ++i) {
        const double is = static_cast<double>(mean[i]);
        const double allowed = rounding * expected[i];
        if (!(std::abs(is - expected[i]) <= allowed)) return difference(i, is, expected[i], allowed);
    }
    return {};
}

// Create: the buffer with the mean (its first 16 bytes, at the end), and the buffer for partial sums.

std::shared_ptr<DeviceBuffer> mean_buffer(ImagePool& pool) {
    constexpr VkDeviceSize mean_and_counter = 2 * vec4_bytes;
    return pooled_buffer(pool, "mean", mean_and_counter);
}

std::shared_ptr<DeviceBuffer> partial_sums(ImagePool& pool, uint64_t count) {
    return pooled_buffer(pool, "partial sums", count * vec4_bytes);
}

VkImageView source_view(ImagePool& pool, Format format, Size size) {
    return pooled_image(pool, ImageUse::source, format, size)->view.handle;
}

// Record: one pass after the other. `sums` is bound besides the source and the mean.

Record record_average(ImagePool& pool, const Task& task, std::vector<ComputePass> passes,
                      const std::shared_ptr<DeviceBuffer>& sums = {}) {
    return record_passes(std::move(passes),
                         {pooled_image(pool, ImageUse::source, task.format, task.size), mean_buffer(pool), sums});
}

// Check: the mean in the buffer.

ResultCheck mean_check(ImagePool& pool, const Task& task, uint64_t additions) {
    ResultCheck check;
    const auto mean = mean_buffer(pool);
    check.poison = [&context = pool.context, mean] { fill(context, *mean, vec4_bytes, ~0u); };
    check.compare = [&context = pool.context, mean, additions,
                     texels = source_texels(pool, task.format, task.size)]() -> std::string {
        std::array<float, 4> got = {};
        std::memcpy(got.data(), download(context, *mean, vec4_bytes).data(), sizeof got);
        return compare(mean_of(*texels), got.data(), additions);
    };
    return check;
}

Job average_lines(ImagePool& pool, Format format, Size size, bool columns) {
    constexpr uint32_t invocations = 64;
    const Task task = average_task(format, size);
    const uint32_t lines = columns ? size.width : size.height;
    const Coord shape = columns ? Coord{invocations, size.height, 1, 1} : Coord{size.width, invocations, 1, 1};

    // Create
    const auto sums = partial_sums(pool, lines);
    std::vector<ComputePass> passes;
    Variant by_line = {"average_lines.comp"};
    if (columns) by_line.defines.emplace_back("COLUMNS", "");
    ComputePassInputs inputs;
    inputs.buffers = {sums->handle.handle};
    inputs.textures = {source_view(pool, format, size)};
    inputs.push = {size.width, size.height};
    inputs.groups = {ceil_div(lines, invocations), 1, 1};
    passes.push_back(create_compute_pass(pool.context, by_line, inputs));

    ComputePassInputs last;
    last.buffers = {mean_buffer(pool)->handle.handle, sums->handle.handle};
    last.push = {size.width, size.height, one_over_count(size), lines};
    passes.push_back(create_compute_pass(pool.context, {"average_loop.comp", {{"PARTIALS", ""}}}, last));

    // Record, check
    return make_job(pool, task, columns ? "iterative by column" : "iterative by row", {"", shape, invocations},
                    record_average(pool, task, std::move(passes), sums),
                    mean_check(pool, task, uint64_t{size.width} + size.height));
}

void require_one_sum(Size size) {
    if (count(size) > max_texels_in_one_sum)
        throw UsageError(
            fmt::format("one sum is for {} texels at most, not {}x{}", max_texels_in_one_sum, size.width, size.height));
}

bool can_blend(const Context& context) {
    return context.graphics && has_features(context, Format::rgba32f, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT);
}

bool halves_evenly(Size size) { return std::has_single_bit(size.width) && std::has_single_bit(size.height); }

std::string wrong_last_level(Context& context, const Texture& levels, const std::array<double, 4>& expected) {
    const std::vector<float> mean = channels_of(download(context, levels, levels.levels - 1));
    for (size_t i = 0; i < 4; ++i) {
        const double is = static_cast<double>(mean[i]);
        const double allowed = levels.levels * tolerance(levels.format, expected[i], 4);
        if (!(std::abs(is - expected[i]) <= allowed)) return difference(i, is, expected[i], allowed);
    }
    return {};
}

std::string up_to_one_sum(const char* method) {
    return fmt::format("{} (to {} texels)", method, max_texels_in_one_sum);
}

/// Why the device does not run it to its end; empty if it does.
std::string one_invocation_refused(const Context& context, Size size) {
    // A loop that is left by a break counts once more: the loop over x for every row, and the loop over y around it
    // once.
    const uint64_t iterations = (uint64_t{size.width} + 1) * size.height + size.height + 1;
    if (iterations <= context.max_loop_iterations) return {};
    return fmt::format(
        "its loops have {} iterations, and a driver that runs shaders on the CPU ends an invocation's "
        "loops after {} in all, whatever is left to do",
        iterations, context.max_loop_iterations);
}

}  // namespace

Job average_one_invocation(ImagePool& pool, Format format, Size size) {
    require_one_sum(size);
    const Task task = average_task(format, size);
    const std::string method = up_to_one_sum("one invocation");
    if (std::string reason = one_invocation_refused(pool.context, size); !reason.empty())
        return skipped_job(task, method, std::move(reason));

    // Create
    ComputePassInputs inputs;
    inputs.buffers = {mean_buffer(pool)->handle.handle};
    inputs.textures = {source_view(pool, format, size)};
    inputs.push = {size.width, size.height, one_over_count(size), 0};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(pool.context, {"average_loop.comp"}, inputs));

    // Record, check
    return make_job(pool, task, method, {"", {size.width, size.height, 1, 1}, 1},
                    record_average(pool, task, std::move(passes)), mean_check(pool, task, count(size)));
}

Job average_by_row(ImagePool& pool, Format format, Size size) { return average_lines(pool, format, size, false); }

Job average_by_column(ImagePool& pool, Format format, Size size) { return average_lines(pool, format, size, true); }

Job average_shared(ImagePool& pool, Format format, Size size, const Order& order) {
    constexpr uint32_t boxes = 8;
    const Task task = average_task(format, size);
    const Workgroup workgroup = in_order(order, {1, boxes});

    // Create
    ComputePassInputs inputs;
    inputs.groups = groups_over(size, {workgroup.shape[axis_x], workgroup.shape[axis_y]});
    const uint32_t groups = inputs.groups[0] * inputs.groups[1];
    const auto sums = partial_sums(pool, groups);
    inputs.buffers = {sums->handle.handle};
    inputs.textures = {source_view(pool, format, size)};
    inputs.constants = order_constants(order.remap);
    inputs.constants.push_back(boxes);
    inputs.push = {size.width, size.height, bits_of(1), inputs.groups[0]};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(pool.context, {"average_shared.comp"}, inputs));

    ComputePassInputs last;
    last.buffers = {mean_buffer(pool)->handle.handle, sums->handle.handle};
    last.constants = inputs.constants;
    last.push = {size.width, size.height, one_over_count(size), groups};
    passes.push_back(create_compute_pass(pool.context, {"average_shared.comp", {{"PARTIALS", ""}}}, last));

    // Record, check
    const uint64_t tree = log2_exact(workgroup.invocations);
    const uint64_t additions = boxes + tree + groups / workgroup.invocations + 1 + tree;
    return make_job(pool, task, "groupshared", workgroup, record_average(pool, task, std::move(passes), sums),
                    mean_check(pool, task, additions));
}

Variant average_subgroups_variant(const AverageSteps& steps) {
    return {"average_subgroups.comp",
            {{"ALONG_X", std::to_string(steps.along_x)}, {"ALONG_Y", std::to_string(steps.along_y)}}};
}

Job average_subgroups(ImagePool& pool, Format format, Size size, const Order& order, const AverageSteps& steps) {
    const uint32_t subgroup = pool.context.subgroup_size;
    if (subgroup == 0) throw Error("the device has no subgroup arithmetic");
    if (steps.workgroups == 0 || steps.along_x == 0 || steps.along_y == 0)
        throw UsageError(fmt::format("an average cannot be taken by {} workgroups in steps of {}x{} boxes",
                                     steps.workgroups, steps.along_x, steps.along_y));
    const Task task = average_task(format, size);
    const Workgroup workgroup = in_order(order, {steps.along_x, steps.along_y});
    const auto cover = groups_over(size, {workgroup.shape[axis_x], workgroup.shape[axis_y]});
    const uint32_t all_steps = cover[0] * cover[1], groups = std::min(steps.workgroups, all_steps);

    // Create
    const auto sums = partial_sums(pool, groups);
    ComputePassInputs inputs;
    inputs.groups = {groups, 1, 1};
    inputs.buffers = {mean_buffer(pool)->handle.handle, sums->handle.handle};
    inputs.textures = {source_view(pool, format, size)};
    inputs.constants = order_constants(order.remap);
    inputs.push = {size.width,        size.height,         cover[0], cover[1], groups % cover[0],
                   groups / cover[0], one_over_count(size)};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(pool.context, average_subgroups_variant(steps), inputs));

    // Record, check. A subgroup may add in any order, in the worst case lane after lane.
    const uint64_t subgroups = ceil_div(workgroup.invocations, subgroup);
    const uint64_t group_additions = 2 * uint64_t{subgroup} + ceil_div(subgroups, subgroup);
    const uint64_t additions = uint64_t{steps.along_x} * steps.along_y + ceil_div(all_steps, groups) + group_additions +
                               groups / workgroup.invocations + 1 + group_additions;
    return make_job(pool, task, average_subgroups_name, workgroup, record_average(pool, task, std::move(passes), sums),
                    mean_check(pool, task, additions));
}

Job average_mip_chain(ImagePool& pool, Format format, Size size) {
    Context& context = pool.context;
    if (!halves_evenly(size))
        throw UsageError(
            fmt::format("a mip chain of {}x{} does not give each texel the same weight: its sides must be "
                        "powers of two",
                        size.width, size.height));
    if (!can_blit(context, format))
        throw Error(fmt::format("the device cannot halve {} by blits", traits_of(format).name));

    // Create
    const auto source = pooled_image(pool, ImageUse::source, format, size);
    const auto levels = pooled_image(pool, ImageUse::levels, format, level_size(size, 1));

    // Record
    const Record work = [source, levels](VkCommandBuffer commands) { record_blits(commands, *source, *levels); };

    // Check
    ResultCheck check;
    check.poison = [&context, levels] { clear(context, *levels, {0, 0, 0, 0}); };
    check.compare = [&context, levels, texels = source_texels(pool, format, size)] {
        return wrong_last_level(context, *levels, mean_of(*texels));
    };
    return make_job(pool, average_task(format, size), "mip chain", {"", {2, 2, 1, 1}, 0}, work, std::move(check));
}

Job average_blending(ImagePool& pool, Format format, Size size) {
    require_one_sum(size);
    if (!can_blend(pool.context)) throw Error("the device cannot blend R32G32B32A32_SFLOAT");

    // Create
    const auto source = pooled_image(pool, ImageUse::source, format, size);
    const auto target = pooled_image(pool, ImageUse::target, Format::rgba32f, {1, 1});
    DrawPassInputs inputs;
    inputs.textures = {source->view.handle};
    inputs.push = {size.width, size.height, one_over_count(size)};
    inputs.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    inputs.vertices = static_cast<uint32_t>(count(size));
    inputs.add = true;
    std::vector<DrawPass> passes;
    passes.push_back(create_draw_pass(pool.context, {"average_points.vert"}, {"average_points.frag"}, inputs, *target));

    // Check. In addition, the texel's conversion to a number, the factor and each product are rounded.
    const auto reference = [texels = source_texels(pool, format, size)] {
        const std::array<double, 4> mean = mean_of(*texels);
        return std::vector<float>(mean.begin(), mean.end());
    };
    const auto additions = static_cast<uint32_t>(count(size)) + 4;
    ResultCheck check = image_check(pool, std::make_shared<ReferenceCache>(), target, {"mean", reference, additions});
    return make_job(pool, average_task(format, size), up_to_one_sum("additive blending"), {},
                    record_passes(std::move(passes), {source, target}), std::move(check));
}

std::vector<Job> average_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders) {
    std::vector<Job> jobs;
    if (count(size) <= max_texels_in_one_sum) jobs.push_back(average_one_invocation(pool, format, size));
    if (count(size) <= max_texels_in_one_sum && can_blend(pool.context))
        jobs.push_back(average_blending(pool, format, size));
    if (halves_evenly(size) && can_blit(pool.context, format)) jobs.push_back(average_mip_chain(pool, format, size));
    jobs.push_back(average_by_row(pool, format, size));
    jobs.push_back(average_by_column(pool, format, size));
    for (const Order& order : orders) {
        jobs.push_back(average_shared(pool, format, size, order));
        if (pool.context.subgroup_size > 0) jobs.push_back(average_subgroups(pool, format, size, order));
    }
    return jobs;
}

}  // namespace tilewise::kernels
