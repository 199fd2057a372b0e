#include "kernels/shader/draw_pass.h"
#include "kernels/shader/cache.h"
#include <algorithm>

namespace tilewise::kernels {

using vulkan::check;

namespace {

void require_drawable(const Context& context, Format format, bool add) {
    const char* device = context.device.traits.properties.deviceName;
    if (!context.graphics) throw Error(fmt::format("{} has no queue that computes and draws", device));
    VkFormatProperties properties = {};
    vkGetPhysicalDeviceFormatProperties(context.device.physical, traits_of(format).format, &properties);
    const VkFormatFeatureFlags needed =
        add ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT : VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
    if (!(properties.optimalTilingFeatures & needed))
        throw Error(fmt::format("{} cannot {} {}", device, add ? "blend into" : "draw to", traits_of(format).name));
}

/// The attachment is in the layout GENERAL before, during and after.
void create_render_pass(const Context& context, const Texture& target, bool add, DrawPass& draw) {
    VkAttachmentDescription attachment = {};
    attachment.format = traits_of(target.format).format;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = add ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    attachment.initialLayout = attachment.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass = {};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &reference;
    VkRenderPassCreateInfo pass = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    pass.attachmentCount = 1;
    pass.pAttachments = &attachment;
    pass.subpassCount = 1;
    pass.pSubpasses = &subpass;
    VkRenderPass pass_handle = VK_NULL_HANDLE;
    check(vkCreateRenderPass(context.device.handle, &pass, nullptr, &pass_handle), "vkCreateRenderPass");
    draw.pass = {context.device.handle, pass_handle};

    VkFramebufferCreateInfo framebuffer = {VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    framebuffer.renderPass = pass_handle;
    framebuffer.attachmentCount = 1;
    framebuffer.pAttachments = &target.last.handle;
    framebuffer.width = draw.target.width;
    framebuffer.height = draw.target.height;
    framebuffer.layers = 1;
    VkFramebuffer framebuffer_handle = VK_NULL_HANDLE;
    check(vkCreateFramebuffer(context.device.handle, &framebuffer, nullptr, &framebuffer_handle),
          "vkCreateFramebuffer");
    draw.framebuffer = {context.device.handle, framebuffer_handle};
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

void create_pipeline(const Context& context, const std::array<VkPipelineShaderStageCreateInfo, 2>& stages,
                     const DrawPassInputs& inputs, DrawPass& draw) {
    const VkPipelineVertexInputStateCreateInfo no_vertices = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = inputs.topology;
    const VkViewport area = {0, 0, static_cast<float>(draw.target.width), static_cast<float>(draw.target.height), 0, 1};
    const VkRect2D all = {{0, 0}, {draw.target.width, draw.target.height}};
    VkPipelineViewportStateCreateInfo viewport = {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    viewport.pViewports = &area;
    viewport.pScissors = &all;
    VkPipelineRasterizationStateCreateInfo raster = {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples = {VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    const VkPipelineColorBlendAttachmentState blend = blending(inputs.add);
    VkPipelineColorBlendStateCreateInfo blends = {VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blends.attachmentCount = 1;
    blends.pAttachments = &blend;

    VkGraphicsPipelineCreateInfo pipeline = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    pipeline.stageCount = static_cast<uint32_t>(stages.size());
    pipeline.pStages = stages.data();
    pipeline.pVertexInputState = &no_vertices;
    pipeline.pInputAssemblyState = &assembly;
    pipeline.pViewportState = &viewport;
    pipeline.pRasterizationState = &raster;
    pipeline.pMultisampleState = &samples;
    pipeline.pColorBlendState = &blends;
    pipeline.layout = draw.bindings.layout.handle;
    pipeline.renderPass = draw.pass.handle;
    VkPipeline handle = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(context.device.handle, VK_NULL_HANDLE, 1, &pipeline, nullptr, &handle),
          "vkCreateGraphicsPipelines");
    draw.pipeline = {context.device.handle, handle};
}

void create_bindings(const Context& context, const DrawPassInputs& inputs, vulkan::Bindings& bindings) {
    vulkan::BindingCounts counts;
    counts.buffers = static_cast<uint32_t>(inputs.buffers.size());
    counts.images = static_cast<uint32_t>(inputs.images.size());
    counts.textures = static_cast<uint32_t>(inputs.textures.size());
    counts.push_bytes = static_cast<uint32_t>(inputs.push.size() * sizeof(uint32_t));
    counts.stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    vulkan::create_bindings(context.device, counts, bindings);
    bind(context, inputs, bindings);
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

DrawPass create_draw_pass(Context& context, const Variant& vertex, const Variant& fragment,
                          const DrawPassInputs& inputs, const Texture& target) {
    require_drawable(context, target.format, inputs.add);
    const vulkan::OwnedShaderModule vertex_module =
        vulkan::create_shader_module(context.device, compile(context, vertex));
    const vulkan::OwnedShaderModule fragment_module =
        vulkan::create_shader_module(context.device, compile(context, fragment));
    std::vector<VkSpecializationMapEntry> entries(inputs.constants.size());
    for (uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
    const VkSpecializationInfo constants = {static_cast<uint32_t>(entries.size()), entries.data(),
                                            inputs.constants.size() * sizeof(uint32_t), inputs.constants.data()};

    DrawPass draw;
    draw.target = {std::max(target.size.width >> (target.levels - 1), 1u),
                   std::max(target.size.height >> (target.levels - 1), 1u)};
    draw.vertices = inputs.vertices;
    draw.push = inputs.push;
    create_bindings(context, inputs, draw.bindings);
    create_render_pass(context, target, inputs.add, draw);
    create_pipeline(context,
                    {shader_stage(VK_SHADER_STAGE_VERTEX_BIT, vertex_module.handle, constants),
                     shader_stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment_module.handle, constants)},
                    inputs, draw);
    return draw;
}

void record(VkCommandBuffer commands, const DrawPass& draw) {
    const VkClearValue zero = {};
    VkRenderPassBeginInfo begin = {VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    begin.renderPass = draw.pass.handle;
    begin.framebuffer = draw.framebuffer.handle;
    begin.renderArea = {{0, 0}, {draw.target.width, draw.target.height}};
    begin.clearValueCount = 1;
    begin.pClearValues = &zero;
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw.pipeline.handle);
    vulkan::use_bindings(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw.bindings, std::as_bytes(std::span(draw.push)));
    vkCmdDraw(commands, draw.vertices, 1, 0, 0);
    vkCmdEndRenderPass(commands);
}

}  // namespace tilewise::kernels
