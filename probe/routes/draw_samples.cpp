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

struct DrawPush {
    std::array<uint32_t, 2> extent;
    uint32_t first_word, sample, bit;
};

/// The integer that represents the depth 1; 0 for floats.
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

std::span<const uint32_t> fragment_of(uint32_t aspect) {
    if (aspect == VK_IMAGE_ASPECT_DEPTH_BIT) return depth_spv;
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) return stencil_spv;
    return color_spv;
}

}  // namespace

void create_sample_draw(const Device& device, const Case& target, VkImageView view, VkBuffer texels, SampleDraw& draw) {
    const Image& image = target.image;
    draw = {};
    draw.samples = image.samples;
    draw.bits = target.aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? 8 : 1;
    create_bindings(device, {.buffers = 1, .push_bytes = sizeof(DrawPush), .stages = VK_SHADER_STAGE_FRAGMENT_BIT},
                    draw.graphics.bindings);
    bind_buffers(device, draw.graphics.bindings, std::array{texels});
    const std::array constants = {element_of(target).bytes, max_depth(image.format)};
    create_graphics(device,
                    {view,
                     static_cast<VkFormat>(image.format),
                     target.aspect,
                     image.samples,
                     {image.extent_px[0], image.extent_px[1]},
                     true},
                    {vertex_spv, fragment_of(target.aspect), constants}, draw.graphics);
}

void record_sample_draw(VkCommandBuffer commands, const SampleDraw& draw, uint32_t first_word) {
    const VkExtent2D extent = draw.graphics.extent;
    begin_drawing(commands, draw.graphics);
    for (uint32_t sample = 0; sample < draw.samples; ++sample)
        for (uint32_t bit = 0; bit < draw.bits; ++bit) {
            const DrawPush push = {{extent.width, extent.height}, first_word, sample, bit};
            use_bindings(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw.graphics.bindings,
                         std::as_bytes(std::span(&push, 1)));
            if (draw.bits > 1) vkCmdSetStencilWriteMask(commands, VK_STENCIL_FACE_FRONT_AND_BACK, 1u << bit);
            vkCmdDraw(commands, 3, 1, 0, 0);
        }
    vkCmdEndRenderPass(commands);
}

}  // namespace tilewise::probe
