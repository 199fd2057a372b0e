#include "probe/vulkan/compute.h"

namespace tilewise::vulkan {

namespace {

void create_layouts(const Device& device, const ComputeShader& shader, Compute& compute) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    const auto add = [&](VkDescriptorType type, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i)
            bindings.push_back({static_cast<uint32_t>(bindings.size()), type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    };
    add(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, shader.buffers);
    add(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, shader.images);
    add(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, shader.textures);
    VkDescriptorSetLayoutCreateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.bindingCount = static_cast<uint32_t>(bindings.size());
    set.pBindings = bindings.data();
    VkDescriptorSetLayout set_handle = VK_NULL_HANDLE;
    check(vkCreateDescriptorSetLayout(device.handle, &set, nullptr, &set_handle), "vkCreateDescriptorSetLayout");
    compute.set_layout = {device.handle, set_handle};

    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, shader.push_bytes};
    VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set_handle;
    layout.pushConstantRangeCount = shader.push_bytes > 0;
    layout.pPushConstantRanges = &push;
    VkPipelineLayout layout_handle = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(device.handle, &layout, nullptr, &layout_handle), "vkCreatePipelineLayout");
    compute.layout = {device.handle, layout_handle};
}

void allocate_set(const Device& device, const ComputeShader& shader, Compute& compute) {
    std::vector<VkDescriptorPoolSize> sizes;
    if (shader.buffers > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, shader.buffers});
    if (shader.images > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, shader.images});
    if (shader.textures > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, shader.textures});
    if (sizes.empty()) return;
    VkDescriptorPoolCreateInfo pool = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
    pool.pPoolSizes = sizes.data();
    VkDescriptorPool pool_handle = VK_NULL_HANDLE;
    check(vkCreateDescriptorPool(device.handle, &pool, nullptr, &pool_handle), "vkCreateDescriptorPool");
    compute.pool = {device.handle, pool_handle};

    VkDescriptorSetAllocateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    set.descriptorPool = pool_handle;
    set.descriptorSetCount = 1;
    set.pSetLayouts = &compute.set_layout.handle;
    check(vkAllocateDescriptorSets(device.handle, &set, &compute.set), "vkAllocateDescriptorSets");
}

using OwnedShaderModule = Owned<VkShaderModule, &vkDestroyShaderModule>;

void create_pipeline(const Device& device, const ComputeShader& shader, Compute& compute) {
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = shader.spirv.size_bytes();
    code.pCode = shader.spirv.data();
    VkShaderModule module_handle = VK_NULL_HANDLE;
    check(vkCreateShaderModule(device.handle, &code, nullptr, &module_handle), "vkCreateShaderModule");
    const OwnedShaderModule module(device.handle, module_handle);

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
    pipeline.stage.module = module_handle;
    pipeline.stage.pName = shader.entry;
    pipeline.stage.pSpecializationInfo = &constants;
    pipeline.layout = compute.layout.handle;
    VkPipeline handle = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &pipeline, nullptr, &handle),
          "vkCreateComputePipelines");
    compute.pipeline = {device.handle, handle};
}

}  // namespace

void create_compute(const Device& device, const ComputeShader& shader, Compute& compute) {
    compute = {};
    create_layouts(device, shader, compute);
    allocate_set(device, shader, compute);
    compute.first_image = shader.buffers;
    compute.first_texture = shader.buffers + shader.images;
    create_pipeline(device, shader, compute);
}

void bind_buffers(const Device& device, const Compute& compute, std::span<const VkBuffer> buffers) {
    std::vector<VkDescriptorBufferInfo> infos;
    for (const VkBuffer buffer : buffers) infos.push_back({buffer, 0, VK_WHOLE_SIZE});
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = compute.set;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    // One write goes on over the bindings that follow, these being alike.
    write.descriptorCount = static_cast<uint32_t>(infos.size());
    write.pBufferInfo = infos.data();
    vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
}

namespace {

void write_images(const Device& device, VkDescriptorSet set, uint32_t binding, VkDescriptorType type, VkSampler sampler,
                  std::span<const VkImageView> views) {
    std::vector<VkDescriptorImageInfo> infos;
    for (const VkImageView view : views) infos.push_back({sampler, view, VK_IMAGE_LAYOUT_GENERAL});
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = binding;
    write.descriptorType = type;
    write.descriptorCount = static_cast<uint32_t>(infos.size());
    write.pImageInfo = infos.data();
    vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
}

}  // namespace

void bind_images(const Device& device, const Compute& compute, std::span<const VkImageView> images) {
    write_images(device, compute.set, compute.first_image, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE, images);
}

void bind_textures(const Device& device, const Compute& compute, VkSampler sampler,
                   std::span<const VkImageView> textures) {
    write_images(device, compute.set, compute.first_texture, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sampler,
                 textures);
}

void dispatch(VkCommandBuffer commands, const Compute& compute, std::array<uint32_t, 3> groups,
              std::span<const std::byte> push) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline.handle);
    if (compute.set)
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout.handle, 0, 1, &compute.set, 0,
                                nullptr);
    if (!push.empty())
        vkCmdPushConstants(commands, compute.layout.handle, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           static_cast<uint32_t>(push.size()), push.data());
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
