#include "kernels/copy.h"
#include "kernels/stage.h"
#include <algorithm>

namespace tilewise::kernels {

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
    job.floor_bytes = (traffic == Traffic::copy ? 2 : 1) * count(size) * traits_of(format).bytes;

    Variant variant = {"copy.comp", {{"FORMAT", traits_of(format).qualifier}, {"TEXELS", std::to_string(texels)}}};
    if (traffic != Traffic::copy) variant.defines.emplace_back(traffic == Traffic::fetch ? "FETCH" : "STORE", "");
    StageInputs inputs;
    inputs.images = {result->view.handle};
    inputs.textures = {source->view.handle};
    inputs.constants = order_constants(order.remap);
    inputs.push = {size.width, size.height};
    inputs.groups = groups_over(size, {shape.width, shape.height * texels});
    const auto stage = std::make_shared<const Stage>(create_stage(workspace.context, variant, inputs));
    job.record = [stage, source, result](VkCommandBuffer commands) { record(commands, *stage); };
    job.check = [&context = workspace.context, work = job.record, result, traffic,
                 from = source_texels(workspace, format, size)] {
        std::vector<float> expected = channels_of(*from);
        if (traffic != Traffic::copy) std::ranges::fill(expected, traffic == Traffic::store ? 0.5F : 0.0F);
        return check_image(context, work, *result, expected, 1);
    };
    return job;
}

}  // namespace tilewise::kernels
