#include "kernels/separable/separable.h"
#include "kernels/image/check.h"
#include "kernels/shader/compute_pass.h"
#include "kernels/shader/draw_pass.h"
#include <algorithm>
#include <cmath>

namespace tilewise::kernels {

namespace {

Job separable_job(Workspace& workspace, const SeparableRequest& request, std::string method) {
    Job job;
    job.kernel = request.filter.kernel;
    job.method = std::move(method);
    job.format = request.format;
    job.size = request.size;
    job.radius = request.radius;
    job.memory_type = source_texture(workspace, request.format, request.size)->memory_type;
    job.minimum_bytes = 2 * count(request.size) * traits_of(request.format).bytes;
    return job;
}

const char* suffix(Sampling sampling) {
    switch (sampling) {
        case Sampling::exact:
            return "";
        case Sampling::approximate:
            return ", approximate";
        case Sampling::midway:
            return ", approximate, midway";
    }
    return "";
}

/// Two roundings to bytes would be too many.
Format scratch_format(Format format) { return format == Format::rgba8 ? Format::rgba16f : format; }

bool has_bilinear(const Context& context, Format format) {
    VkFormatProperties properties = {};
    vkGetPhysicalDeviceFormatProperties(context.device.physical, traits_of(format).format, &properties);
    return properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
}

void require_sampling(const Context& context, Format format, Sampling sampling) {
    if (sampling == Sampling::exact) return;
    for (const Format read : {format, scratch_format(format)})
        if (!has_bilinear(context, read))
            throw Error(fmt::format("{} has no bilinear sampler for {}: the approximate mode needs it",
                                    context.device.traits.properties.deviceName, traits_of(read).name));
}

/// What is lost on the way, for channels of at most 1, in the two directions one after the other.
struct Losses {
    double first = 0;    ///< of a texel that the first direction reads
    double between = 0;  ///< of the first direction's results
    double second = 0;   ///< of a texel that the second direction reads
};

/// Between two texels a sampler has 256 places.
constexpr double sampler_loss = 1.0 / 256;

double packing_loss(uint32_t precision) {
    return precision == 8 ? 0.5 / 255 : precision == 16 ? std::ldexp(1, -11) : 0;
}

Losses two_pass_losses(Format format, Sampling sampling, uint32_t precision = 32) {
    Losses losses;
    losses.first = losses.second = packing_loss(precision);
    if (scratch_format(format) == Format::rgba16f) losses.between = std::ldexp(1, -11);
    if (sampling != Sampling::exact) {
        // Some samplers interpolate R8G8B8A8 in bytes.
        losses.first += sampler_loss + (format == Format::rgba8 ? 1.0 / 255 : 0);
        losses.second += sampler_loss;
    }
    return losses;
}

/// What the compute passes of a filter that nobody else computes give.
std::vector<float> direct_result(Workspace& workspace, const SeparableRequest& request, Sampling sampling) {
    const Job job = separable_direct(workspace, request, {"row", row_order({8, 8, 1, 1})}, sampling);
    Context& context = workspace.context;
    vulkan::begin(context.device, context.commands);
    job.record(context.commands.buffer);
    vulkan::submit_and_wait(context.device, context.commands);
    return channels_of(download(context, *result_texture(workspace, request.format, request.size)));
}

void set_check(Workspace& workspace, Job& job, const SeparableRequest& request, Sampling sampling, const Losses& losses,
               const std::shared_ptr<const Texture>& result) {
    const FilterText& filter = request.filter;
    const Taps taps = sampling == Sampling::midway || (sampling == Sampling::approximate && !filter.exact_pairs)
                          ? Taps::midway
                          : Taps::single;
    const std::string key = fmt::format("{} {} {}x{} {} {}", filter.name, traits_of(request.format).name,
                                        request.size.width, request.size.height, request.radius,
                                        filter.reference ? static_cast<int>(taps) : static_cast<int>(sampling));
    // Weights that are computed have errors of their own; those of a sum have one rounding.
    const uint32_t additions = 4 * (2 * request.radius + 1) + (filter.gain > 1 ? 128 : 0);
    const auto lost = [&](const Losses& of) { return filter.gain * (filter.gain * of.first + of.between + of.second); };
    double slack = lost(losses);
    // What stands in for a reference is itself rounded.
    if (!filter.reference)
        slack += tolerance(request.format, 1, additions) + lost(two_pass_losses(request.format, sampling));
    job.check = [&workspace, request, sampling, taps, key, additions, slack, result, work = job.record] {
        const auto reference = [&] {
            return request.filter.reference
                       ? request.filter.reference(*source_texels(workspace, request.format, request.size),
                                                  request.radius, taps)
                       : direct_result(workspace, request, sampling);
        };
        return check_image(workspace, work, result, {key, reference, additions, slack});
    };
}

/// `Pass`: ComputePass or DrawPass. `textures` are what they work on.
template <typename Pass>
std::function<void(VkCommandBuffer)> two_passes(std::shared_ptr<const Pass> first, std::shared_ptr<const Pass> second,
                                                std::vector<std::shared_ptr<const Texture>> textures) {
    return [first, second, kept = std::move(textures)](VkCommandBuffer commands) {
        record(commands, *first);
        vulkan::full_barrier(commands);
        record(commands, *second);
    };
}

}  // namespace

Job separable_direct(Workspace& workspace, const SeparableRequest& request, const Order& order, Sampling sampling) {
    require_sampling(workspace.context, request.format, sampling);
    Job job = separable_job(workspace, request, fmt::format("direct{}", suffix(sampling)));
    job.order = order.name;
    job.shape = order.remap.shape;
    job.invocations = 1u << order.remap.columns.size();
    const auto source = source_texture(workspace, request.format, request.size);
    const auto result = result_texture(workspace, request.format, request.size);
    const auto scratch = scratch_texture(workspace, scratch_format(request.format), request.size);

    ComputePassInputs inputs;
    inputs.constants = order_constants(order.remap);
    inputs.push = {request.size.width, request.size.height};
    inputs.groups = groups_over(request.size, shape_of(order.remap));
    const auto pass = [&](const Texture& from, const Texture& to, Direction direction) {
        inputs.images = {to.view.handle};
        inputs.textures = {from.view.handle};
        inputs.bilinear = sampling != Sampling::exact;
        return std::make_shared<const ComputePass>(create_compute_pass(
            workspace.context, direct_variant(request.filter, to.format, request.radius, direction, sampling), inputs));
    };
    const auto down = pass(*source, *scratch, Direction::y), along = pass(*scratch, *result, Direction::x);
    job.record = two_passes(down, along, {source, scratch, result});
    set_check(workspace, job, request, sampling, two_pass_losses(request.format, sampling), result);
    return job;
}

Job separable_fragment(Workspace& workspace, const SeparableRequest& request, Sampling sampling) {
    require_sampling(workspace.context, request.format, sampling);
    Job job = separable_job(workspace, request, fmt::format("fragment{}", suffix(sampling)));
    const auto source = source_texture(workspace, request.format, request.size);
    const auto result = target_texture(workspace, request.format, request.size, 0);
    const auto scratch = target_texture(workspace, scratch_format(request.format), request.size, 1);

    const auto pass = [&](const Texture& from, const Texture& to, Direction direction) {
        DrawPassInputs inputs;
        inputs.textures = {from.view.handle};
        inputs.bilinear = sampling != Sampling::exact;
        inputs.push = {request.size.width, request.size.height};
        const Variant fragment = fragment_variant(request.filter, request.radius, direction, sampling);
        return std::make_shared<const DrawPass>(
            create_draw_pass(workspace.context, {"full_screen.vert"}, fragment, inputs, to));
    };
    const auto down = pass(*source, *scratch, Direction::y), along = pass(*scratch, *result, Direction::x);
    job.record = two_passes(down, along, {source, scratch, result});
    set_check(workspace, job, request, sampling, two_pass_losses(request.format, sampling), result);
    return job;
}

namespace {

/// Refuses what the device cannot do, and what is no precision.
void require_workgroup(const Context& context, uint32_t invocations, uint64_t shared_texels, uint32_t precision) {
    if (precision != 8 && precision != 16 && precision != 32)
        throw UsageError(fmt::format("shared memory has 8, 16 or 32 bits a channel, not {}", precision));
    const char* device = context.device.traits.properties.deviceName;
    if (invocations == 0 || invocations > context.max_invocations)
        throw UsageError(fmt::format("{} has workgroups of 1 to {} invocations, not {}", device,
                                     context.max_invocations, invocations));
    const uint64_t bytes = shared_texels * precision / 2;
    if (bytes > context.shared_bytes)
        throw UsageError(
            fmt::format("{} has {} bytes of shared memory for a workgroup, not {}: take a smaller shape "
                        "or a smaller precision",
                        device, context.shared_bytes, bytes));
}

}  // namespace

Job separable_shared(Workspace& workspace, const SeparableRequest& request, const SharedShape& shape,
                     Sampling sampling) {
    if (shape.lines == 0 || shape.results == 0 || shape.invocations % shape.lines != 0)
        throw UsageError(fmt::format("{} invocations cannot share {} lines, {} results each", shape.invocations,
                                     shape.lines, shape.results));
    // Shared memory has one sample between each two texels.
    if (sampling == Sampling::approximate) sampling = Sampling::midway;
    require_sampling(workspace.context, request.format, sampling);
    const uint32_t run = shape.invocations / shape.lines * shape.results;
    require_workgroup(workspace.context, shape.invocations, uint64_t{shape.lines} * ((run + 2 * request.radius) | 1),
                      shape.precision);
    Job job = separable_job(workspace, request,
                            fmt::format("shared, {} lines, {} results, {} bit{}", shape.lines, shape.results,
                                        shape.precision, suffix(sampling)));
    job.shape = {run, shape.lines, 1, 1};
    job.invocations = shape.invocations;
    const auto source = source_texture(workspace, request.format, request.size);
    const auto result = result_texture(workspace, request.format, request.size);
    const auto scratch = scratch_texture(workspace, scratch_format(request.format), request.size);

    const auto pass = [&](const Texture& from, const Texture& to, Direction direction) {
        ComputePassInputs inputs;
        inputs.images = {to.view.handle};
        inputs.textures = {from.view.handle};
        inputs.bilinear = sampling != Sampling::exact;
        inputs.push = {request.size.width, request.size.height};
        inputs.groups =
            groups_over(request.size, direction == Direction::x ? Size{run, shape.lines} : Size{shape.lines, run});
        return std::make_shared<const ComputePass>(create_compute_pass(
            workspace.context, shared_variant(request.filter, to.format, request.radius, direction, shape, sampling),
            inputs));
    };
    const auto down = pass(*source, *scratch, Direction::y), along = pass(*scratch, *result, Direction::x);
    job.record = two_passes(down, along, {source, scratch, result});
    set_check(workspace, job, request, sampling, two_pass_losses(request.format, sampling, shape.precision), result);
    return job;
}

FusedShape fused_shape(const Context& context, uint32_t radius) {
    const uint32_t around = 2 * std::min(radius, max_filter_radius);
    FusedShape shape;
    const auto fit = [&](uint32_t rows) {
        shape.rows = shape.results = rows;
        // A column for each invocation; as many results of rows as there are of columns.
        shape.width = (shape.invocations / shape.strips - around) / rows * rows;
        return rows * shape.strips * ((shape.width + around) | 1) * 16 <= context.shared_bytes;
    };
    // Where few rows are read for each one that is computed, small pieces keep more of them in flight.
    shape.strips = radius < 4 ? 4 : 1;
    for (uint32_t rows = radius < 4 ? 4 : 8; rows > 1 && !fit(rows);) rows /= 2;
    return shape;
}

Job separable_fused(Workspace& workspace, const SeparableRequest& request, const FusedShape& shape) {
    if (shape.rows == 0 || shape.strips == 0 || shape.results == 0 || shape.width == 0 ||
        shape.width % shape.results != 0)
        throw UsageError(fmt::format("no shape of a fused filter: {} columns, {} rows, {} strips, {} results",
                                     shape.width, shape.rows, shape.strips, shape.results));
    const uint32_t height = shape.rows * shape.strips;
    require_workgroup(workspace.context, shape.invocations, uint64_t{height} * ((shape.width + 2 * request.radius) | 1),
                      shape.precision);
    Job job = separable_job(
        workspace, request,
        fmt::format("fused, {} rows, {} strips, {} results, {} bit{}", shape.rows, shape.strips, shape.results,
                    shape.precision,
                    fmt::format("{}{}", shape.load ? ", imageLoad" : "", shape.optimize ? ", optimized" : "")));
    job.shape = {shape.width, height, 1, 1};
    job.invocations = shape.invocations;
    const auto source = source_texture(workspace, request.format, request.size);
    const auto result = result_texture(workspace, request.format, request.size);
    ComputePassInputs inputs;
    inputs.images = {result->view.handle};
    (shape.load ? inputs.images : inputs.textures).push_back(source->view.handle);
    inputs.push = {request.size.width, request.size.height};
    inputs.groups = groups_over(request.size, {shape.width, height});
    const auto stage = std::make_shared<const ComputePass>(create_compute_pass(
        workspace.context, fused_variant(request.filter, request.format, request.radius, shape), inputs));
    job.record = [stage, source, result](VkCommandBuffer commands) { record(commands, *stage); };
    set_check(workspace, job, request, Sampling::exact, {0, packing_loss(shape.precision), 0}, result);
    return job;
}

std::vector<Job> separable_jobs(Workspace& workspace, const FilterText& filter, Format format, Size size,
                                uint32_t radius, const std::vector<Order>& orders) {
    const SeparableRequest request = {filter, format, size, radius};
    std::vector<Job> jobs;
    for (const Sampling sampling : {Sampling::exact, Sampling::approximate}) {
        if (sampling != Sampling::exact &&
            (!has_bilinear(workspace.context, format) || !has_bilinear(workspace.context, scratch_format(format))))
            continue;
        for (const Order& order : orders) jobs.push_back(separable_direct(workspace, request, order, sampling));
        if (workspace.context.graphics) jobs.push_back(separable_fragment(workspace, request, sampling));
        for (const uint32_t precision : {32u, 16u, 8u})
            jobs.push_back(separable_shared(workspace, request, {128, 2, 4, precision}, sampling));
    }
    jobs.push_back(separable_fused(workspace, request, fused_shape(workspace.context, radius)));
    return jobs;
}

}  // namespace tilewise::kernels
