#include "kernels/shader/draw_pass.h"
#include "kernels/shader/cache.h"
#include <algorithm>

namespace tilewise::kernels {

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

}  // namespace

DrawPass create_draw_pass(Context& context, const Variant& vertex, const Variant& fragment,
                          const DrawPassInputs& inputs, const Texture& target) {
    require_drawable(context, target.format, inputs.add);
    vulkan::Attachment attachment;
    attachment.view = target.each_level.back().handle;
    attachment.format = traits_of(target.format).format;
    attachment.extent = {std::max(target.size.width >> (target.levels - 1), 1u),
                         std::max(target.size.height >> (target.levels - 1), 1u)};
    attachment.clear = inputs.add;
    const std::vector<uint32_t> vertex_spirv = compile(context, vertex), fragment_spirv = compile(context, fragment);

    DrawPass draw;
    draw.vertices = inputs.vertices;
    draw.push = inputs.push;
    create_bindings(context, inputs, draw.graphics.bindings);
    create_graphics(context.device, attachment,
                    {vertex_spirv, fragment_spirv, inputs.constants, inputs.topology, inputs.add}, draw.graphics);
    return draw;
}

void record(VkCommandBuffer commands, const DrawPass& draw) {
    begin_drawing(commands, draw.graphics);
    vulkan::use_bindings(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw.graphics.bindings,
                         std::as_bytes(std::span(draw.push)));
    vkCmdDraw(commands, draw.vertices, 1, 0, 0);
    vkCmdEndRenderPass(commands);
}

}  // namespace tilewise::kernels
