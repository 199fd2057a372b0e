#include "kernels/shader/compute_pass.h"
#include "kernels/shader/cache.h"
#include "patterns/model/bits.h"

namespace tilewise::kernels {

ComputePass create_compute_pass(Context& context, std::span<const uint32_t> spirv, const ComputePassInputs& inputs) {
    vulkan::ComputeShader shader;
    shader.spirv = spirv;
    shader.buffers = static_cast<uint32_t>(inputs.buffers.size());
    shader.images = static_cast<uint32_t>(inputs.images.size());
    shader.textures = static_cast<uint32_t>(inputs.textures.size());
    shader.push_bytes = static_cast<uint32_t>(inputs.push.size() * sizeof(uint32_t));
    shader.constants = inputs.constants;
    shader.statistics = inputs.statistics;
    ComputePass stage;
    vulkan::create_compute(context.device, shader, stage.compute);
    bind(context, inputs, stage.compute.bindings);
    stage.groups = inputs.groups;
    stage.push = inputs.push;
    return stage;
}

ComputePass create_compute_pass(Context& context, const Variant& variant, const ComputePassInputs& inputs) {
    return create_compute_pass(context, compile(context, variant), inputs);
}

void record(VkCommandBuffer commands, const ComputePass& stage) {
    vulkan::dispatch(commands, stage.compute, stage.groups, std::as_bytes(std::span(stage.push)));
}

std::array<uint32_t, 3> groups_over(Size size, Size shape) {
    return {ceil_div(size.width, shape.width), ceil_div(size.height, shape.height), 1};
}

}  // namespace tilewise::kernels
