#include "kernels/box.h"
#include "kernels/stage.h"

namespace tilewise::kernels {

namespace {

Job box_job(Workspace& workspace, const BoxRequest& request) {
    if (request.radius < 1 || request.radius > most_box_radius)
        throw UsageError(fmt::format("a box blur has a radius of 1 to {}, not {}", most_box_radius, request.radius));
    Job job;
    job.kernel = "box";
    job.format = request.format;
    job.size = request.size;
    job.radius = request.radius;
    job.memory_type = source_texture(workspace, request.format, request.size)->memory_type;
    job.floor_bytes = 2 * count(request.size) * traits_of(request.format).bytes;
    return job;
}

void set_work(Workspace& workspace, Job& job, std::shared_ptr<const Stage> stage) {
    const auto source = source_texture(workspace, job.format, job.size);
    const auto result = result_texture(workspace, job.format, job.size);
    job.record = [stage, source, result](VkCommandBuffer commands) { record(commands, *stage); };
    job.check = [&context = workspace.context, work = job.record, result, radius = job.radius,
                 texels = source_texels(workspace, job.format, job.size)] {
        const uint32_t texels_of_box = (2 * radius + 1) * (2 * radius + 1);
        return check_image(context, work, *result, box_reference(*texels, radius), texels_of_box);
    };
}

}  // namespace

Job box_direct(Workspace& workspace, const BoxRequest& request, const Order& order, Access access,
               bool run_time_radius) {
    Job job = box_job(workspace, request);
    job.method = access == Access::load ? "direct imageLoad" : "direct";
    if (run_time_radius) job.method += ", radius at run time";
    job.order = order.name;
    job.shape = order.remap.shape;
    job.invocations = 1u << order.remap.columns.size();

    Variant variant = {"box_direct.comp", {{"FORMAT", traits_of(request.format).qualifier}}};
    if (access == Access::load) variant.defines.emplace_back("LOAD", "");
    if (run_time_radius) variant.defines.emplace_back("RUN_TIME", "");
    const auto source = source_texture(workspace, request.format, request.size);
    StageInputs inputs;
    inputs.images = {result_texture(workspace, request.format, request.size)->view.handle};
    (access == Access::load ? inputs.images : inputs.textures).push_back(source->view.handle);
    inputs.constants = order_constants(order.remap);
    inputs.constants.push_back(request.radius);
    inputs.push = {request.size.width, request.size.height, request.radius};
    inputs.groups = groups_over(request.size, shape_of(order.remap));
    set_work(workspace, job, std::make_shared<const Stage>(create_stage(workspace.context, variant, inputs)));
    return job;
}

}  // namespace tilewise::kernels
