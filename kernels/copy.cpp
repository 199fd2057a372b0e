#include "kernels/copy.h"
#include "kernels/stage.h"

namespace tilewise::kernels {

Job texel_copy(Workspace& workspace, Format format, Size size, const Order& order) {
    const auto source = source_texture(workspace, format, size);
    const auto result = result_texture(workspace, format, size);
    Job job;
    job.kernel = "copy";
    job.method = "direct";
    job.order = order.name;
    job.shape = order.remap.shape;
    job.invocations = 1u << order.remap.columns.size();
    job.format = format;
    job.size = size;
    job.memory_type = source->memory_type;
    job.floor_bytes = 2 * count(size) * traits_of(format).bytes;

    StageInputs inputs;
    inputs.images = {result->view.handle};
    inputs.textures = {source->view.handle};
    inputs.constants = order_constants(order.remap);
    constexpr uint32_t radius = 0;
    inputs.constants.push_back(radius);
    inputs.push = {size.width, size.height, radius};
    inputs.groups = groups_over(size, shape_of(order.remap));
    const Variant variant = {"box_direct.comp", {{"FORMAT", traits_of(format).qualifier}}};
    const auto stage = std::make_shared<const Stage>(create_stage(workspace.context, variant, inputs));
    job.record = [stage, source, result](VkCommandBuffer commands) { record(commands, *stage); };
    job.check = [&context = workspace.context, work = job.record, result,
                 texels = source_texels(workspace, format, size)] {
        return check_image(context, work, *result, channels_of(*texels), 1);
    };
    return job;
}

}  // namespace tilewise::kernels
