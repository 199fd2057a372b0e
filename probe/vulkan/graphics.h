// Drawing into one attachment, without vertex buffers: a render pass, its framebuffer, and the pipeline of a vertex and
// a fragment shader.
#pragma once
#include "probe/vulkan/bindings.h"

namespace tilewise::vulkan {

/// What is drawn to: in the layout GENERAL before, during and after.
struct Attachment {
    VkImageView view = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;  ///< or depth, or stencil: replaced, whatever was there
    uint32_t samples = 1;
    VkExtent2D extent = {};
    bool clear = false;  ///< to zeros, before; else what was there is lost
};

struct GraphicsState {
    std::span<const uint32_t> vertex, fragment;  ///< SPIR-V
    std::span<const uint32_t> constants = {};    ///< specialization constants 0, 1, 2 .. of both
    VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    bool add = false;  ///< to the color, which is there; else it is replaced
};

/// What one draw needs. The write mask of a stencil is set as commands are recorded.
struct Graphics {
    Bindings bindings;
    Owned<VkRenderPass, &vkDestroyRenderPass> pass;
    Owned<VkFramebuffer, &vkDestroyFramebuffer> framebuffer;
    OwnedPipeline pipeline;
    VkExtent2D extent = {};
};

/// Its bindings are there already.
void create_graphics(const Device& device, const Attachment& attachment, const GraphicsState& state,
                     Graphics& graphics);

/// Until vkCmdEndRenderPass(); use_bindings() and vkCmdDraw() come between.
void begin_drawing(VkCommandBuffer commands, const Graphics& graphics);

}  // namespace tilewise::vulkan
