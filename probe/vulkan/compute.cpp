#include "probe/vulkan/compute.h"

namespace tilewise::vulkan {

void create_compute(const Device& device, const ComputeShader& shader, Compute& compute) {
    compute = {};
    create_bindings(device, {shader.buffers, shader.images, shader.textures, shader.push_bytes}, compute.bindings);
    const OwnedShaderModule module = create_shader_module(device, shader.spirv);

    std::vector<VkSpecializationMapEntry> entries(shader.constants.size());
    for (uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
    VkSpecializationInfo constants = {};
    constants.mapEntryCount = static_cast<uint32_t>(entries.size());
    constants.pMapEntries = entries.data();
    constants.dataSize = shader.constants.size_bytes();
    constants.pData = shader.constants.data();

    VkComputePipelineCreateInfo pipeline = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.module = module.handle;
    pipeline.stage.pName = shader.entry;
    pipeline.stage.pSpecializationInfo = &constants;
    pipeline.layout = compute.bindings.layout.handle;
    VkPipeline handle = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &pipeline, nullptr, &handle),
          "vkCreateComputePipelines");
    compute.pipeline = {device.handle, handle};
}

void dispatch(VkCommandBuffer commands, const Compute& compute, std::array<uint32_t, 3> groups,
              std::span<const std::byte> push) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline.handle);
    use_bindings(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.bindings, push);
    vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
}

void run_compute(const Device& device, const Commands& commands, const Compute& compute, std::array<uint32_t, 3> groups,
                 std::span<const std::byte> push) {
    begin(device, commands);
    dispatch(commands.buffer, compute, groups, push);
    host_barrier(commands.buffer);
    submit_and_wait(device, commands);
}

}  // namespace tilewise::vulkan
