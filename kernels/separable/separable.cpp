#include "kernels/separable/separable.h"
#include "kernels/reference.h"
#include "kernels/shader/draw_pass.h"
#include <algorithm>
#include <cmath>

namespace tilewise::kernels {

namespace {

Task separable_task(const SeparableRequest& request) {
    const uint64_t image_bytes = count(request.size) * traits_of(request.format).bytes;
    return {request.filter.kernel, request.format, request.size, request.radius, 2 * image_bytes};
}

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

/// The losses along the way, for channels of at most 1, in the two directions one after the other.
struct Losses {
    /// What a texel that the first direction reads loses.
    double first = 0;
    /// What the first direction's results lose.
    double between = 0;
    /// What a texel that the second direction reads loses.
    double second = 0;
};

/// A sampler distinguishes 256 positions between two texels.
constexpr double sampler_loss = 1.0 / 256;

double packing_loss(uint32_t precision) {
    return precision == 8 ? 0.5 / 255 : precision == 16 ? std::ldexp(1, -11) : 0;
}

Losses two_pass_losses(Format format, Sampling sampling, uint32_t precision = 32) {
    Losses losses;
    losses.first = losses.second = packing_loss(precision);
    if (scratch_format(format) == Format::rgba16f) losses.between = std::ldexp(1, -11);
    if (sampling != Sampling::exact) {
        // Some samplers interpolate R8G8B8A8 with the precision of bytes.
        losses.first += sampler_loss + (format == Format::rgba8 ? 1.0 / 255 : 0);
        losses.second += sampler_loss;
    }
    return losses;
}

// Create: the images of two passes, and the passes of the direct method, which also serves as a reference.

struct TwoPassImages {
    std::shared_ptr<const Texture> source, scratch, result;
};

TwoPassImages compute_images(ImagePool& pool, const SeparableRequest& request) {
    return {pooled_image(pool, ImageUse::source, request.format, request.size),
            pooled_image(pool, ImageUse::scratch, scratch_format(request.format), request.size),
            pooled_image(pool, ImageUse::result, request.format, request.size)};
}

TwoPassImages draw_images(ImagePool& pool, const SeparableRequest& request) {
    return {pooled_image(pool, ImageUse::source, request.format, request.size),
            pooled_image(pool, ImageUse::target_scratch, scratch_format(request.format), request.size),
            pooled_image(pool, ImageUse::target, request.format, request.size)};
}

/// pass(from, to, direction): down the columns, then along the rows.
template <typename CreatePass>
auto create_two_passes(const TwoPassImages& images, const CreatePass& pass) {
    std::vector<decltype(pass(*images.source, *images.scratch, Direction::y))> passes;
    passes.push_back(pass(*images.source, *images.scratch, Direction::y));
    passes.push_back(pass(*images.scratch, *images.result, Direction::x));
    return passes;
}

ComputePassInputs direct_inputs(const SeparableRequest& request, const Order& order, Sampling sampling,
                                const Texture& from, const Texture& to) {
    ComputePassInputs inputs;
    inputs.constants = order_constants(order.remap, order.groups);
    inputs.push = {request.size.width, request.size.height};
    inputs.groups = dispatched_groups(order.groups, order.remap.shape, {request.size.width, request.size.height});
    inputs.bilinear = sampling != Sampling::exact;
    inputs.images = {to.view.handle};
    inputs.textures = {from.view.handle};
    return inputs;
}

std::vector<ComputePass> create_direct_passes(Context& context, const SeparableRequest& request, const Order& order,
                                              Sampling sampling, const TwoPassImages& images) {
    return create_two_passes(images, [&](const Texture& from, const Texture& to, Direction direction) {
        return create_compute_pass(context,
                                   direct_variant(request.filter, to.format, request.radius, direction, sampling),
                                   direct_inputs(request, order, sampling, from, to));
    });
}

// Record: one pass after the other.

template <typename Pass>
Record record_two_passes(std::vector<Pass> passes, const TwoPassImages& images) {
    return record_passes(std::move(passes), {images.source, images.scratch, images.result});
}

// Check: against the filter's reference or, for a filter without one, against the direct method.

std::vector<float> direct_result(Context& context, const SeparableRequest& request, Sampling sampling,
                                 const TwoPassImages& images) {
    const Order order = {"row", row_order({8, 8, 1, 1})};
    const Record work = record_two_passes(create_direct_passes(context, request, order, sampling, images), images);
    vulkan::run_commands(context.device, context.commands, work);
    return channels_of(download(context, *images.result));
}

ResultCheck filter_check(ImagePool& pool, const References& references, const SeparableRequest& request,
                         Sampling sampling, const Losses& losses, const std::shared_ptr<const Texture>& result) {
    const FilterText& filter = request.filter;
    const Taps taps = sampling == Sampling::midway || (sampling == Sampling::approximate && !filter.exact_pairs)
                          ? Taps::midway
                          : Taps::single;
    const std::string key = fmt::format(
        "{} {} {} {}x{} {} {}", filter.name, filter.sigma, traits_of(request.format).name, request.size.width,
        request.size.height, request.radius, filter.reference ? static_cast<int>(taps) : static_cast<int>(sampling));
    // Computed weights have errors of their own; those of a sum have one rounding.
    const uint32_t additions = 4 * (2 * request.radius + 1) + (filter.gain > 1 ? 128 : 0);
    const auto lost = [&](const Losses& of) { return filter.gain * (filter.gain * of.first + of.between + of.second); };
    if (filter.reference) {
        const auto reference = [request, taps, texels = source_texels(pool, request.format, request.size)] {
            return request.filter.reference(*texels, request.radius, taps);
        };
        return image_check(pool, references, result, {key, reference, additions, lost(losses)});
    }
    const auto stand_in = [&context = pool.context, request, sampling, images = compute_images(pool, request)] {
        return direct_result(context, request, sampling, images);
    };
    // The direct method that serves as a reference is itself rounded.
    const double slack =
        lost(losses) + tolerance(request.format, 1, additions) + lost(two_pass_losses(request.format, sampling));
    return image_check(pool, references, result, {key, stand_in, additions, slack});
}

}  // namespace

Job separable_direct(ImagePool& pool, const References& references, const SeparableRequest& request, const Order& order,
                     Sampling sampling) {
    require_sampling(pool.context, request.format, sampling);
    const TwoPassImages images = compute_images(pool, request);
    std::vector<ComputePass> passes = create_direct_passes(pool.context, request, order, sampling, images);
    return make_job(
        pool, separable_task(request), method_name(DirectMethod{sampling}), in_order(order),
        record_two_passes(std::move(passes), images),
        filter_check(pool, references, request, sampling, two_pass_losses(request.format, sampling), images.result));
}

RegisterCounts separable_direct_registers(ImagePool& pool, const SeparableRequest& request,
                                          std::span<const Order> orders) {
    const TwoPassImages images = compute_images(pool, request);
    const auto of_passes = create_two_passes(images, [&](const Texture& from, const Texture& to, Direction direction) {
        std::vector<ComputePassInputs> inputs;
        inputs.reserve(orders.size());
        for (const Order& order : orders) inputs.push_back(direct_inputs(request, order, Sampling::exact, from, to));
        return registers_of(pool.context,
                            direct_variant(request.filter, to.format, request.radius, direction, Sampling::exact),
                            std::move(inputs));
    });
    RegisterCounts more = of_passes.front();
    for (size_t i = 0; i < more.size(); ++i) more[i] = std::max(more[i], of_passes.back()[i]);
    return more;
}

Job separable_fragment(ImagePool& pool, const References& references, const SeparableRequest& request,
                       Sampling sampling) {
    require_sampling(pool.context, request.format, sampling);
    const TwoPassImages images = draw_images(pool, request);
    std::vector<DrawPass> passes =
        create_two_passes(images, [&](const Texture& from, const Texture& to, Direction direction) {
            DrawPassInputs inputs;
            inputs.textures = {from.view.handle};
            inputs.bilinear = sampling != Sampling::exact;
            inputs.push = {request.size.width, request.size.height};
            const Variant fragment = fragment_variant(request.filter, request.radius, direction, sampling);
            return create_draw_pass(pool.context, {"full_screen.vert"}, fragment, inputs, to);
        });
    return make_job(
        pool, separable_task(request), method_name(FragmentMethod{sampling}), {},
        record_two_passes(std::move(passes), images),
        filter_check(pool, references, request, sampling, two_pass_losses(request.format, sampling), images.result));
}

namespace {

/// Refuses what the device cannot do, and invalid precisions.
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

Job separable_shared(ImagePool& pool, const References& references, const SeparableRequest& request,
                     const SharedShape& shape, Sampling sampling) {
    if (shape.lines == 0 || shape.results == 0 || shape.invocations % shape.lines != 0)
        throw UsageError(fmt::format("{} invocations cannot share {} lines, {} results each", shape.invocations,
                                     shape.lines, shape.results));
    // Shared memory has one sample between each two texels.
    if (sampling == Sampling::approximate) sampling = Sampling::midway;
    require_sampling(pool.context, request.format, sampling);
    const Size box = box_of(shape);
    require_workgroup(pool.context, shape.invocations, uint64_t{shape.lines} * ((box.width + 2 * request.radius) | 1),
                      shape.precision);

    // Create
    const TwoPassImages images = compute_images(pool, request);
    std::vector<ComputePass> passes =
        create_two_passes(images, [&](const Texture& from, const Texture& to, Direction direction) {
            ComputePassInputs inputs;
            inputs.images = {to.view.handle};
            inputs.textures = {from.view.handle};
            inputs.bilinear = sampling != Sampling::exact;
            inputs.push = {request.size.width, request.size.height};
            inputs.groups = groups_over(request.size, direction == Direction::x ? box : Size{box.height, box.width});
            return create_compute_pass(
                pool.context, shared_variant(request.filter, to.format, request.radius, direction, shape, sampling),
                inputs);
        });

    // Record, check
    return make_job(pool, separable_task(request), method_name(SharedMethod{shape, sampling}),
                    {"", {box.width, box.height, 1, 1}, shape.invocations},
                    record_two_passes(std::move(passes), images),
                    filter_check(pool, references, request, sampling,
                                 two_pass_losses(request.format, sampling, shape.precision), images.result));
}

uint32_t shared_bytes_of(const FusedShape& shape, uint32_t radius) {
    const Size box = box_of(shape);
    return box.height * ((box.width + 2 * radius) | 1) * shape.precision / 2;
}

FusedShape fused_shape(const WorkgroupLimits& limits, Format format, uint32_t radius) {
    const uint32_t around = 2 * std::min(radius, max_filter_radius);
    FusedShape shape;
    // If few rows are read for each computed one, small pieces keep more of them in flight. If many columns lie around
    // the results, a wider workgroup filters fewer columns that its neighbours filter, too.
    const bool small_pieces = radius < 3, wide = radius >= 10 && limits.max_invocations >= 192;
    if (wide) shape.invocations = 192;
    shape.strips = small_pieces ? 4 : 1;
    const bool few_results = wide ? radius >= 16 && format != Format::rgba32f : small_pieces || radius >= 8;
    shape.results = few_results ? 4 : wide ? 7 : 8;
    const uint32_t columns = small_pieces ? shape.invocations / shape.strips : shape.invocations - 1;
    shape.width = (columns - around) / shape.results * shape.results;
    const auto fits = [&](uint32_t rows) {
        return rows * shape.strips * ((shape.width + around) | 1) * 16 <= limits.shared_bytes;
    };
    shape.rows = small_pieces ? 4 : 8;
    while (shape.rows > 1 && !fits(shape.rows)) shape.rows /= 2;
    return shape;
}

Job separable_fused(ImagePool& pool, const References& references, const SeparableRequest& request,
                    const FusedShape& shape) {
    if (shape.rows == 0 || shape.strips == 0 || shape.results == 0 || shape.width == 0 ||
        shape.width % shape.results != 0)
        throw UsageError(fmt::format("no shape of a fused filter: {} columns, {} rows, {} strips, {} results",
                                     shape.width, shape.rows, shape.strips, shape.results));
    const Size box = box_of(shape);
    require_workgroup(pool.context, shape.invocations, uint64_t{box.height} * ((box.width + 2 * request.radius) | 1),
                      shape.precision);

    // Create
    const TwoPassImages images = compute_images(pool, request);
    ComputePassInputs inputs;
    inputs.images = {images.result->view.handle};
    (shape.load ? inputs.images : inputs.textures).push_back(images.source->view.handle);
    inputs.push = {request.size.width, request.size.height};
    inputs.groups = groups_over(request.size, box);
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(pool.context,
                                         fused_variant(request.filter, request.format, request.radius, shape), inputs));

    // Record, check
    return make_job(
        pool, separable_task(request), method_name(shape), {"", {box.width, box.height, 1, 1}, shape.invocations},
        record_passes(std::move(passes), {images.source, images.result}),
        filter_check(pool, references, request, Sampling::exact, {0, packing_loss(shape.precision), 0}, images.result));
}

std::vector<Job> separable_jobs(ImagePool& pool, const References& references, const FilterText& filter, Format format,
                                Size size, uint32_t radius, const std::vector<Order>& orders) {
    const SeparableRequest request = {filter, format, size, radius};
    std::vector<Job> jobs;
    for (const Sampling sampling : {Sampling::exact, Sampling::approximate}) {
        if (sampling != Sampling::exact &&
            (!has_bilinear(pool.context, format) || !has_bilinear(pool.context, scratch_format(format))))
            continue;
        for (const Order& order : orders) jobs.push_back(separable_direct(pool, references, request, order, sampling));
        if (pool.context.graphics) jobs.push_back(separable_fragment(pool, references, request, sampling));
        for (const SharedShape& shape : timed_shared_shapes)
            jobs.push_back(separable_shared(pool, references, request, shape, sampling));
    }
    jobs.push_back(separable_fused(pool, references, request, fused_shape(pool.context, format, radius)));
    return jobs;
}

}  // namespace tilewise::kernels
