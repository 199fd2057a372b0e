#include "probe/vulkan/graphics.h"
#include <vector>

namespace tilewise::vulkan {

namespace {

void create_pass(const Device& device, const Attachment& target, Graphics& graphics) {
    VkAttachmentDescription attachment = {};
    attachment.format = target.format;
    attachment.samples = static_cast<VkSampleCountFlagBits>(target.samples);
    attachment.loadOp = target.clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    attachment.stencilLoadOp = attachment.loadOp;
    attachment.storeOp = attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.initialLayout = attachment.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass = {};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    if (target.aspect == VK_IMAGE_ASPECT_COLOR_BIT) {
        subpass.colorAttachmentCount = 1;
        subpass.pColorAttachments = &reference;
    } else {
        subpass.pDepthStencilAttachment = &reference;
    }
    VkRenderPassCreateInfo pass = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    pass.attachmentCount = 1;
    pass.pAttachments = &attachment;
    pass.subpassCount = 1;
    pass.pSubpasses = &subpass;
    VkRenderPass pass_handle = VK_NULL_HANDLE;
    check(vkCreateRenderPass(device.handle, &pass, nullptr, &pass_handle), "vkCreateRenderPass");
    graphics.pass = {device.handle, pass_handle};

    VkFramebufferCreateInfo framebuffer = {VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    framebuffer.renderPass = pass_handle;
    framebuffer.attachmentCount = 1;
    framebuffer.pAttachments = &target.view;
    framebuffer.width = target.extent.width;
    framebuffer.height = target.extent.height;
    framebuffer.layers = 1;
    VkFramebuffer framebuffer_handle = VK_NULL_HANDLE;
    check(vkCreateFramebuffer(device.handle, &framebuffer, nullptr, &framebuffer_handle), "vkCreateFramebuffer");
    graphics.framebuffer = {device.handle, framebuffer_handle};
    graphics.extent = target.extent;
}

VkPipelineColorBlendAttachmentState blending(bool add) {
    VkPipelineColorBlendAttachmentState blend = {};
    blend.blendEnable = add;
    blend.srcColorBlendFactor = blend.dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
    blend.srcAlphaBlendFactor = blend.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    blend.colorBlendOp = blend.alphaBlendOp = VK_BLEND_OP_ADD;
    blend.colorWriteMask =
        VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
    return blend;
}

VkPipelineDepthStencilStateCreateInfo tests_of(VkImageAspectFlags aspect) {
    VkPipelineDepthStencilStateCreateInfo tests = {VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    tests.depthTestEnable = tests.depthWriteEnable = aspect == VK_IMAGE_ASPECT_DEPTH_BIT;
    tests.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    tests.stencilTestEnable = aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
    tests.front.passOp = VK_STENCIL_OP_REPLACE;
    tests.front.compareOp = VK_COMPARE_OP_ALWAYS;
    tests.front.compareMask = tests.front.reference = 0xff;
    tests.back = tests.front;
    return tests;
}

VkPipelineShaderStageCreateInfo shader_stage(VkShaderStageFlagBits stage, VkShaderModule module,
                                             const VkSpecializationInfo& constants) {
    VkPipelineShaderStageCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage = stage;
    info.module = module;
    info.pName = "main";
    info.pSpecializationInfo = &constants;
    return info;
}

}  // namespace

void create_graphics(const Device& device, const Attachment& target, const GraphicsState& state, Graphics& graphics) {
    create_pass(device, target, graphics);
    const OwnedShaderModule vertex = create_shader_module(device, state.vertex);
    const OwnedShaderModule fragment = create_shader_module(device, state.fragment);
    std::vector<VkSpecializationMapEntry> entries(state.constants.size());
    for (uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
    const VkSpecializationInfo constants = {static_cast<uint32_t>(entries.size()), entries.data(),
                                            state.constants.size_bytes(), state.constants.data()};
    const std::array stages = {shader_stage(VK_SHADER_STAGE_VERTEX_BIT, vertex.handle, constants),
                               shader_stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment.handle, constants)};

    const VkPipelineVertexInputStateCreateInfo no_vertices = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = state.topology;
    const VkViewport area = {0, 0, static_cast<float>(target.extent.width), static_cast<float>(target.extent.height),
                             0, 1};
    const VkRect2D all = {{0, 0}, target.extent};
    VkPipelineViewportStateCreateInfo viewport = {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    viewport.pViewports = &area;
    viewport.pScissors = &all;
    VkPipelineRasterizationStateCreateInfo raster = {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples = {VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = static_cast<VkSampleCountFlagBits>(target.samples);
    const VkPipelineDepthStencilStateCreateInfo tests = tests_of(target.aspect);
    const VkPipelineColorBlendAttachmentState blend = blending(state.add);
    VkPipelineColorBlendStateCreateInfo blends = {VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blends.attachmentCount = target.aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    blends.pAttachments = &blend;
    const VkDynamicState write_mask = VK_DYNAMIC_STATE_STENCIL_WRITE_MASK;
    VkPipelineDynamicStateCreateInfo dynamic = {VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = target.aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
    dynamic.pDynamicStates = &write_mask;

    VkGraphicsPipelineCreateInfo pipeline = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    pipeline.stageCount = static_cast<uint32_t>(stages.size());
    pipeline.pStages = stages.data();
    pipeline.pVertexInputState = &no_vertices;
    pipeline.pInputAssemblyState = &assembly;
    pipeline.pViewportState = &viewport;
    pipeline.pRasterizationState = &raster;
    pipeline.pMultisampleState = &samples;
    pipeline.pDepthStencilState = &tests;
    pipeline.pColorBlendState = &blends;
    pipeline.pDynamicState = &dynamic;
    pipeline.layout = graphics.bindings.layout.handle;
    pipeline.renderPass = graphics.pass.handle;
    VkPipeline handle = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &pipeline, nullptr, &handle),
          "vkCreateGraphicsPipelines");
    graphics.pipeline = {device.handle, handle};
}

void begin_drawing(VkCommandBuffer commands, const Graphics& graphics) {
    const VkClearValue zero = {};
    VkRenderPassBeginInfo begin = {VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    begin.renderPass = graphics.pass.handle;
    begin.framebuffer = graphics.framebuffer.handle;
    begin.renderArea = {{0, 0}, graphics.extent};
    begin.clearValueCount = 1;
    begin.pClearValues = &zero;
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline.handle);
}

}  // namespace tilewise::vulkan
