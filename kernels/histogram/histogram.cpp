#include "kernels/histogram/histogram.h"
#include "kernels/shader/compute_pass.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <cstring>

namespace tilewise::kernels {

namespace {

static_assert(sizeof(Histogram) == (histogram_bins + 2) * sizeof(uint32_t));

std::shared_ptr<DeviceBuffer> bins_of(ImagePool& pool, const HistogramSteps& steps) {
    return pooled_buffer(pool, "histogram's bins", histogram_bytes(steps));
}
std::shared_ptr<DeviceBuffer> result_of(ImagePool& pool) { return pooled_buffer(pool, "histogram", sizeof(Histogram)); }

Job histogram_job(ImagePool& pool, std::string method, Format format, Size size, const Workgroup& workgroup,
                  const HistogramSteps& steps, std::vector<ComputePass> passes) {
    const Task task = {"histogram", format, size, 0, count(size) * traits_of(format).bytes + sizeof(Histogram)};
    const auto source = pooled_image(pool, ImageUse::source, format, size);
    const auto bins = bins_of(pool, steps), result = result_of(pool);
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

ComputePassInputs inputs_of(ImagePool& pool, Format format, Size size, const Order& order,
                            const HistogramSteps& steps) {
    ComputePassInputs inputs;
    inputs.buffers = {bins_of(pool, steps)->handle.handle, result_of(pool)->handle.handle};
    inputs.textures = {pooled_image(pool, ImageUse::source, format, size)->view.handle};
    inputs.constants = order_constants(order.remap);
    return inputs;
}

Variant of_format(Format format, std::vector<std::pair<std::string, std::string>> defines) {
    if (format == Format::rgba8) defines.emplace_back("LINEAR", "");
    return {"histogram.comp", std::move(defines)};
}

Job by_steps(ImagePool& pool, const char* method, Format format, Size size, const Order& order,
             const HistogramSteps& steps, bool last_group) {
    if (steps.invocations == 0 || steps.along_y == 0 || steps.sets == 0)
        throw UsageError(fmt::format("a histogram cannot be taken by {} invocations of {} boxes, in {} sets of bins",
                                     steps.invocations, steps.along_y, steps.sets));
    const Workgroup workgroup = in_order({order.name, order.remap}, {1, steps.along_y});
    const auto cover = groups_over(size, {workgroup.shape[axis_x], workgroup.shape[axis_y]});
    const uint32_t groups = std::min(histogram_workgroups(steps, workgroup.invocations), cover[0] * cover[1]);
    ComputePassInputs inputs = inputs_of(pool, format, size, order, steps);
    inputs.groups = {groups, 1, 1};
    inputs.push = {size.width, size.height, cover[0], cover[1], groups % cover[0], groups / cover[0]};
    std::vector<ComputePass> passes;
    passes.push_back(create_compute_pass(pool.context, histogram_variant(format, steps, last_group), inputs));
    if (!last_group) {
        inputs.textures.clear();
        inputs.groups = {1, 1, 1};
        passes.push_back(create_compute_pass(pool.context, exposure_variant(format, steps), inputs));
    }
    return histogram_job(pool, method, format, size, workgroup, steps, std::move(passes));
}

}  // namespace

Variant histogram_variant(Format format, const HistogramSteps& steps, bool last_group) {
    Variant variant =
        of_format(format, {{"ALONG_Y", std::to_string(steps.along_y)}, {"SETS", std::to_string(steps.sets)}});
    if (last_group) variant.defines.emplace_back("LAST_GROUP", "");
    return variant;
}

Variant exposure_variant(Format format, const HistogramSteps& steps) {
    return of_format(format, {{"SETS", std::to_string(steps.sets)}, {"EXPOSURE", ""}});
}

uint32_t histogram_workgroups(const HistogramSteps& steps, uint32_t invocations) {
    return std::max(steps.invocations / invocations, 1u);
}

VkDeviceSize histogram_bytes(const HistogramSteps& steps) {
    return (VkDeviceSize{histogram_bins} * steps.sets + 1) * sizeof(uint32_t);
}

Job histogram_two(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps) {
    return by_steps(pool, histogram_two_name, format, size, order, steps, false);
}

Job histogram_one(ImagePool& pool, Format format, Size size, const Order& order, const HistogramSteps& steps) {
    return by_steps(pool, histogram_one_name, format, size, order, steps, true);
}

std::vector<Job> histogram_jobs(ImagePool& pool, Format format, Size size, const std::vector<Order>& orders) {
    std::vector<Job> jobs;
    jobs.reserve(orders.size() + 1);
    for (const Order& order : orders) jobs.push_back(histogram_one(pool, format, size, order));
    if (!orders.empty()) jobs.push_back(histogram_two(pool, format, size, orders.front()));
    return jobs;
}

}  // namespace tilewise::kernels
