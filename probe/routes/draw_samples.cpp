#include "probe/routes/draw_samples.h"
#include "probe/image.h"

namespace tilewise::probe {

using namespace vulkan;

namespace {

constexpr uint32_t vertex_spv[] = {
#include "probe/routes/full_area.inc"
};
constexpr uint32_t color_spv[] = {
#include "probe/routes/draw_color.inc"
};
constexpr uint32_t depth_spv[] = {
#include "probe/routes/draw_depth.inc"
};
constexpr uint32_t stencil_spv[] = {
#include "probe/routes/draw_stencil.inc"
};

struct Push {
    std::array<uint32_t, 2> extent;
    uint32_t first_word, sample, bit;
};

/// What stands for the depth 1; 0 for floats.
uint32_t max_depth(uint32_t format) {
    switch (format) {
        case VK_FORMAT_D16_UNORM:
        case VK_FORMAT_D16_UNORM_S8_UINT:
            return 0xffff;
        case VK_FORMAT_X8_D24_UNORM_PACK32:
        case VK_FORMAT_D24_UNORM_S8_UINT:
            return 0xffffff;
        default:
            return 0;
    }
}

/// The attachment is in the layout GENERAL before, during and after.
void create_pass(const Device& device, const Case& target, VkImageView view, SampleDraw& draw) {
    VkAttachmentDescription attachment = {};
    attachment.format = static_cast<VkFormat>(target.image.format);
    attachment.samples = static_cast<VkSampleCountFlagBits>(target.image.samples);
    attachment.loadOp = attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.initialLayout = attachment.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass = {};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    if (target.aspect == color_aspect) {
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
    draw.pass = {device.handle, pass_handle};

    VkFramebufferCreateInfo framebuffer = {VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    framebuffer.renderPass = pass_handle;
    framebuffer.attachmentCount = 1;
    framebuffer.pAttachments = &view;
    framebuffer.width = draw.extent.width;
    framebuffer.height = draw.extent.height;
    framebuffer.layers = 1;
    VkFramebuffer framebuffer_handle = VK_NULL_HANDLE;
    check(vkCreateFramebuffer(device.handle, &framebuffer, nullptr, &framebuffer_handle), "vkCreateFramebuffer");
    draw.framebuffer = {device.handle, framebuffer_handle};
}

/// Depth and stencil are replaced, whatever was there.
VkPipelineDepthStencilStateCreateInfo tests_of(uint32_t aspect) {
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

std::span<const uint32_t> fragment_of(uint32_t aspect) {
    if (aspect == VK_IMAGE_ASPECT_DEPTH_BIT) return depth_spv;
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) return stencil_spv;
    return color_spv;
}

void create_pipeline(const Device& device, const Case& target, SampleDraw& draw) {
    const OwnedShaderModule vertex = create_shader_module(device, vertex_spv);
    const OwnedShaderModule fragment = create_shader_module(device, fragment_of(target.aspect));
    const std::array constants = {element_of(target).bytes, max_depth(target.image.format)};
    const std::array<VkSpecializationMapEntry, 2> entries = {{{0, 0, 4}, {1, 4, 4}}};
    const VkSpecializationInfo specialization = {static_cast<uint32_t>(entries.size()), entries.data(),
                                                 sizeof constants, constants.data()};
    std::array<VkPipelineShaderStageCreateInfo, 2> stages = {};
    for (VkPipelineShaderStageCreateInfo& stage : stages) {
        stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        stage.pName = "main";
    }
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[0].module = vertex.handle;
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    stages[1].module = fragment.handle;
    stages[1].pSpecializationInfo = &specialization;

    const VkPipelineVertexInputStateCreateInfo no_vertices = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    const VkViewport area = {0, 0, static_cast<float>(draw.extent.width), static_cast<float>(draw.extent.height), 0, 1};
    const VkRect2D all = {{0, 0}, {draw.extent.width, draw.extent.height}};
    VkPipelineViewportStateCreateInfo viewport = {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    viewport.pViewports = &area;
    viewport.pScissors = &all;
    VkPipelineRasterizationStateCreateInfo raster = {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples = {VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = static_cast<VkSampleCountFlagBits>(draw.samples);
    const VkPipelineDepthStencilStateCreateInfo tests = tests_of(target.aspect);
    VkPipelineColorBlendAttachmentState blend = {};
    blend.colorWriteMask =
        VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
    VkPipelineColorBlendStateCreateInfo blends = {VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blends.attachmentCount = target.aspect == color_aspect;
    blends.pAttachments = &blend;
    const VkDynamicState write_mask = VK_DYNAMIC_STATE_STENCIL_WRITE_MASK;
    VkPipelineDynamicStateCreateInfo dynamic = {VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 1;
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
    pipeline.layout = draw.bindings.layout.handle;
    pipeline.renderPass = draw.pass.handle;
    VkPipeline handle = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &pipeline, nullptr, &handle),
          "vkCreateGraphicsPipelines");
    draw.pipeline = {device.handle, handle};
}

}  // namespace

void create_sample_draw(const Device& device, const Case& target, VkImageView view, VkBuffer texels, SampleDraw& draw) {
    draw = {};
    draw.extent = target.image.extent;
    draw.samples = target.image.samples;
    draw.bits = target.aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? 8 : 1;
    create_bindings(device, {.buffers = 1, .push_bytes = sizeof(Push), .stages = VK_SHADER_STAGE_FRAGMENT_BIT},
                    draw.bindings);
    bind_buffers(device, draw.bindings, std::array{texels});
    create_pass(device, target, view, draw);
    create_pipeline(device, target, draw);
}

void record_sample_draw(VkCommandBuffer commands, const SampleDraw& draw, uint32_t first_word) {
    const VkClearValue zero = {};
    VkRenderPassBeginInfo begin = {VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    begin.renderPass = draw.pass.handle;
    begin.framebuffer = draw.framebuffer.handle;
    begin.renderArea = {{0, 0}, {draw.extent.width, draw.extent.height}};
    begin.clearValueCount = 1;
    begin.pClearValues = &zero;
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw.pipeline.handle);
    for (uint32_t sample = 0; sample < draw.samples; ++sample)
        for (uint32_t bit = 0; bit < draw.bits; ++bit) {
            const Push push = {{draw.extent.width, draw.extent.height}, first_word, sample, bit};
            use_bindings(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw.bindings, std::as_bytes(std::span(&push, 1)));
            vkCmdSetStencilWriteMask(commands, VK_STENCIL_FACE_FRONT_AND_BACK, 1u << bit);
            vkCmdDraw(commands, 3, 1, 0, 0);
        }
    vkCmdEndRenderPass(commands);
}

}  // namespace tilewise::probe
