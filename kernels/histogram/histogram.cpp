#include "kernels/histogram/histogram.h"
#include "kernels/shader/compute_pass.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <cstring>

namespace tilewise::kernels {

namespace {

static_assert(sizeof(Histogram) == (histogram_bins + 2) * sizeof(uint32_t));
constexpr VkDeviceSize bins_bytes = (histogram_bins + 1) * sizeof(uint32_t);

std::shared_ptr<DeviceBuffer> bins_of(ImagePool& pool) { return pooled_buffer(pool, "histogram's bins", bins_bytes); }
std::shared_ptr<DeviceBuffer> result_of(ImagePool& pool) { return pooled_buffer(pool, "histogram", sizeof(Histogram)); }

Job histogram_job(ImagePool& pool, std::string method, Format format, Size size, const Workgroup& workgroup,
                  std::vector<ComputePass> passes) {
    const Task task = {"histogram", format, size, 0, count(size) * traits_of(format).bytes + sizeof(Histogram)};
    const auto source = pooled_image(pool, ImageUse::source, format, size);
    const auto bins = bins_of(pool), result = result_of(pool);
    ResultCheck check;
    check.poison = [&context = pool.context, result] { fill(context, *result, sizeof(Histogram), ~0u); };
    check.compare = [&context = pool.context, result, texels = source_texels(pool, format, size)] {
        Histogram histogram;
        std::memcpy(&histogram, download(context, *result, sizeof histogram).data(), sizeof histogram);
        return wrong_histogram(*texels, histogram);
    };
    return make_job(pool, task, std::move(method), workgroup, record_passes(std::move(passes), {source, bins, result}),
                    std::move(check));
}

ComputePassInputs inputs_of(ImagePool& pool, Format format, Size size, const Order& order) {
    ComputePassInputs inputs;
    inputs.buffers = {bins_of(pool)->handle.handle, result_of(pool)->handle.handle};
    inputs.textures = {pooled_image(pool, ImageUse::source, format, size)->view.handle};
    inputs.constants = order_constants(order.remap);
    inputs.push = {size.width, size.height, 0, 0, 0, 0};
    return inputs;
}

Variant of_format(Format format, std::vector<std::pair<std::string, std::string>> defines) {
    if (format == Format::rgba8) defines.emplace_back("LINEAR", "");
    return {"histogram.comp", std::move(defines)};
}

ComputePass exposure_pass(ImagePool& pool, Format format, Size size, const Order& order) {
    ComputePassInputs inputs = inputs_of(pool, format, size, order);
    inputs.textures.clear();
    return create_compute_pass(pool.context, exposure_variant(format), inputs);
}

Job by_steps(ImagePool& pool, const char* method, Format format, Size size, const Order& order,
             const HistogramSteps& steps, bool last_group) {
    if (steps.workgroups == 0 || steps.along_y == 0 || steps.copies == 0)
        throw UsageError(fmt::format("a histogram cannot be taken by {} workgroups of {} boxes with {} copies",
                                     steps.workgroups, steps.along_y, steps.copies));
    const Workgroup workgroup = in_order({order.name, order.remap}, {1, steps.along_y});
    const auto cover = groups_over(size, {workgroup.shape[axis_x], workgroup.shape[axis_y]});
    const uint32_t groups = std::min(steps.workgroups, cover[0] * cover[1]);
    ComputePassInputs inputs = inputs_of(pool, format, size, order);
    inputs.groups = {groups, 1, 1};
    inputs.push = {size.width, size.height, cover[0], cover[1], groups % cover[0], groups / cover[0]};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(pool.context, histogram_variant(format, steps, last_group), inputs));
    if (!last_group) passes.push_back(exposure_pass(pool, format, size, order));
    const std::string copies = steps.copies > 1 ? fmt::format(", {} copies", steps.copies) : "";
    return histogram_job(pool, method + copies, format, size, workgroup, std::move(passes));
}

}  // namespace

Variant histogram_variant(Format format, const HistogramSteps& steps, bool last_group) {
    Variant variant =
        of_format(format, {{"ALONG_Y", std::to_string(steps.along_y)}, {"COPIES", std::to_string(steps.copies)}});
    if (last_group) variant.defines.emplace_back("LAST_GROUP", "");
    return variant;
}

Variant exposure_variant(Format format) { return of_format(format, {{"EXPOSURE", ""}}); }

Job histogram_global(ImagePool& pool, Format format, Size size, const Order& order) {
    ComputePassInputs inputs = inputs_of(pool, format, size, order);
    inputs.groups = groups_over(size, shape_of(order.remap));
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(pool.context, of_format(format, {{"GLOBAL", ""}}), inputs));
    passes.push_back(exposure_pass(pool, format, size, order));
    return histogram_job(pool, "in memory, two dispatches", format, size, in_order({order.name, order.remap}),
                         std::move(passes));
}

Job histogram_two(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps) {
    return by_steps(pool, histogram_two_name, format, size, order, steps, false);
}

Job histogram_one(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps) {
    return by_steps(pool, histogram_one_name, format, size, order, steps, true);
}

std::vector<Job> histogram_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders,
                                const std::vector<Order>& one_of_each) {
    std::vector<Job> jobs;
    constexpr HistogramSteps four_copies = {.copies = 4};
    for (const Order& order : orders) jobs.push_back(histogram_one(pool, format, size, order));
    for (const Order& order : one_of_each) {
        jobs.push_back(histogram_one(pool, format, size, order, four_copies));
        jobs.push_back(histogram_two(pool, format, size, order));
    }
    if (!orders.empty()) jobs.push_back(histogram_global(pool, format, size, orders.front()));
    return jobs;
}

}  // namespace tilewise::kernels
