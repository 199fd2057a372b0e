// Drawing into one attachment without vertex buffers: a render pass, its framebuffer, and a pipeline with a vertex and
// a fragment shader.
#pragma once
#include "probe/vulkan/bindings.h"

namespace tilewise::vulkan {

/// The target of drawing: in the layout GENERAL before, during and after.
struct Attachment {
    VkImageView view = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;  ///< or depth, or stencil: its contents are replaced
    uint32_t samples = 1;
    VkExtent2D extent = {};
    bool clear = false;  ///< clear to zeros first; otherwise the old contents are lost
};

struct GraphicsState {
    std::span<const uint32_t> vertex, fragment;  ///< SPIR-V
    std::span<const uint32_t> constants = {};    ///< specialization constants 0, 1, 2 .. for both
    VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    bool add = false;  ///< add to the existing color; otherwise replace it
};

/// What one draw needs. A stencil's write mask is set while recording commands.
struct Graphics {
    Bindings bindings;
    Owned<VkRenderPass, &vkDestroyRenderPass> pass;
    Owned<VkFramebuffer, &vkDestroyFramebuffer> framebuffer;
    OwnedPipeline pipeline;
    VkExtent2D extent = {};
};

/// `graphics.bindings` must already be created.
void create_graphics(const Device& device, const Attachment& attachment, const GraphicsState& state,
                     Graphics& graphics);

/// Begins drawing, which ends with vkCmdEndRenderPass(); call use_bindings() and vkCmdDraw() in between.
void begin_drawing(VkCommandBuffer commands, const Graphics& graphics);

}  // namespace tilewise::vulkan
