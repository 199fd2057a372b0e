#include "kernels/copy/copy.h"
#include "kernels/image/check.h"
#include "kernels/shader/compute_pass.h"
#include <algorithm>
#include <array>
#include <bit>

namespace tilewise::kernels {

namespace {

/// What each invocation of `Traffic::fetch` has read, as a mean where its first texel is; zero elsewhere.
std::vector<float> means_of_fetched(const Texels& from, Size shape, uint32_t texels) {
    const std::vector<float> channels = channels_of(from);
    std::vector<float> means(channels.size(), 0.0F);
    for (uint32_t y = 0; y < from.size.height; ++y)
        if (y % (shape.height * texels) < shape.height)
            for (uint32_t i = 0; i < texels; ++i) {
                const size_t pitch = size_t{from.size.width} * 4;
                const size_t row = std::min(y + i * shape.height, from.size.height - 1);
                for (size_t k = 0; k < pitch; ++k)
                    means[y * pitch + k] += channels[row * pitch + k] / static_cast<float>(texels);
            }
    return means;
}

}  // namespace

Job texel_copy(Workspace& workspace, Format format, Size size, const Order& order, uint32_t texels, Traffic traffic) {
    constexpr const char* methods[] = {"direct", "fetch alone", "store alone"};
    const auto source = source_texture(workspace, format, size);
    const auto result = result_texture(workspace, format, size);
    const Size shape = shape_of(order.remap);
    Job job;
    job.kernel = "copy";
    job.method = methods[static_cast<size_t>(traffic)];
    if (texels > 1) job.method += fmt::format(", {} texels", texels);
    job.order = order.name;
    job.shape = {shape.width, shape.height * texels, 1, 1};
    job.invocations = 1u << order.remap.columns.size();
    job.format = format;
    job.size = size;
    job.memory_type = source->memory_type;
    job.minimum_bytes = (traffic == Traffic::copy ? 2 : 1) * count(size) * traits_of(format).bytes;

    Variant variant = {"copy.comp", {{"FORMAT", traits_of(format).qualifier}, {"TEXELS", std::to_string(texels)}}};
    if (traffic != Traffic::copy) variant.defines.emplace_back(traffic == Traffic::fetch ? "FETCH" : "STORE", "");
    ComputePassInputs inputs;
    inputs.images = {result->view.handle};
    inputs.textures = {source->view.handle};
    inputs.constants = order_constants(order.remap);
    inputs.push = {size.width, size.height, std::bit_cast<uint32_t>(0.0F)};
    inputs.groups = groups_over(size, {shape.width, shape.height * texels});
    const auto stage = std::make_shared<const ComputePass>(create_compute_pass(workspace.context, variant, inputs));
    job.record = [stage, source, result](VkCommandBuffer commands) { record(commands, *stage); };
    const auto reference = [traffic, shape, texels, from = source_texels(workspace, format, size)] {
        if (traffic == Traffic::copy) return channels_of(*from);
        if (traffic == Traffic::store) return std::vector<float>(count(from->size) * 4, 0.5F);
        return means_of_fetched(*from, shape, texels);
    };
    const std::string fetched =
        traffic == Traffic::fetch ? fmt::format(" {}x{} {}", shape.width, shape.height, texels) : "";
    const std::string key = fmt::format("{} {} {}x{}{}", methods[static_cast<size_t>(traffic)], traits_of(format).name,
                                        size.width, size.height, fetched);
    job.check = [&workspace, stage, result, size, texels, expectation = Expectation{key, reference, 2 * texels + 1}] {
        // No sum reaches this.
        const auto above_all = std::bit_cast<uint32_t>(static_cast<float>(texels) * 2);
        const std::array push = {size.width, size.height, above_all};
        const auto work = [&](VkCommandBuffer commands) {
            vulkan::dispatch(commands, stage->compute, stage->groups, std::as_bytes(std::span(push)));
        };
        return check_image(workspace, work, result, expectation);
    };
    return job;
}

}  // namespace tilewise::kernels
