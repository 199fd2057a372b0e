#include "probe/vulkan/bindings.h"

namespace tilewise::vulkan {

namespace {

void create_layouts(const Device& device, Bindings& created) {
    const BindingCounts& counts = created.counts;
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    const auto add = [&](VkDescriptorType type, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i)
            bindings.push_back({static_cast<uint32_t>(bindings.size()), type, 1, counts.stages, nullptr});
    };
    add(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts.buffers);
    add(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, counts.images);
    add(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, counts.textures);
    VkDescriptorSetLayoutCreateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.bindingCount = static_cast<uint32_t>(bindings.size());
    set.pBindings = bindings.data();
    VkDescriptorSetLayout set_handle = VK_NULL_HANDLE;
    check(vkCreateDescriptorSetLayout(device.handle, &set, nullptr, &set_handle), "vkCreateDescriptorSetLayout");
    created.set_layout = {device.handle, set_handle};

    const VkPushConstantRange push = {counts.stages, 0, counts.push_bytes};
    VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set_handle;
    layout.pushConstantRangeCount = counts.push_bytes > 0;
    layout.pPushConstantRanges = &push;
    VkPipelineLayout layout_handle = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(device.handle, &layout, nullptr, &layout_handle), "vkCreatePipelineLayout");
    created.layout = {device.handle, layout_handle};
}

void allocate_set(const Device& device, Bindings& bindings) {
    const BindingCounts& counts = bindings.counts;
    std::vector<VkDescriptorPoolSize> sizes;
    if (counts.buffers > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts.buffers});
    if (counts.images > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, counts.images});
    if (counts.textures > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, counts.textures});
    if (sizes.empty()) return;
    VkDescriptorPoolCreateInfo pool = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
    pool.pPoolSizes = sizes.data();
    VkDescriptorPool pool_handle = VK_NULL_HANDLE;
    check(vkCreateDescriptorPool(device.handle, &pool, nullptr, &pool_handle), "vkCreateDescriptorPool");
    bindings.pool = {device.handle, pool_handle};

    VkDescriptorSetAllocateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    set.descriptorPool = pool_handle;
    set.descriptorSetCount = 1;
    set.pSetLayouts = &bindings.set_layout.handle;
    check(vkAllocateDescriptorSets(device.handle, &set, &bindings.set), "vkAllocateDescriptorSets");
}

}  // namespace

void create_bindings(const Device& device, const BindingCounts& counts, Bindings& bindings) {
    bindings = {};
    bindings.counts = counts;
    create_layouts(device, bindings);
    allocate_set(device, bindings);
}

void bind_buffers(const Device& device, const Bindings& bindings, std::span<const VkBuffer> buffers) {
    std::vector<VkDescriptorBufferInfo> infos;
    for (const VkBuffer buffer : buffers) infos.push_back({buffer, 0, VK_WHOLE_SIZE});
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = bindings.set;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    // A single write continues into the following bindings, since these are alike.
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

void bind_images(const Device& device, const Bindings& bindings, std::span<const VkImageView> images) {
    write_images(device, bindings.set, bindings.counts.buffers, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE,
                 images);
}

void bind_textures(const Device& device, const Bindings& bindings, VkSampler sampler,
                   std::span<const VkImageView> textures) {
    write_images(device, bindings.set, bindings.counts.buffers + bindings.counts.images,
                 VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sampler, textures);
}

void use_bindings(VkCommandBuffer commands, VkPipelineBindPoint point, const Bindings& bindings,
                  std::span<const std::byte> push) {
    if (bindings.set) vkCmdBindDescriptorSets(commands, point, bindings.layout.handle, 0, 1, &bindings.set, 0, nullptr);
    if (!push.empty())
        vkCmdPushConstants(commands, bindings.layout.handle, bindings.counts.stages, 0,
                           static_cast<uint32_t>(push.size()), push.data());
}

OwnedShaderModule create_shader_module(const Device& device, std::span<const uint32_t> spirv) {
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = spirv.size_bytes();
    code.pCode = spirv.data();
    VkShaderModule handle = VK_NULL_HANDLE;
    check(vkCreateShaderModule(device.handle, &code, nullptr, &handle), "vkCreateShaderModule");
    return {device.handle, handle};
}

}  // namespace tilewise::vulkan
