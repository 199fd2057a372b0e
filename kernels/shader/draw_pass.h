// One draw: a pipeline with a vertex and a fragment shader into one colour attachment, without vertex buffers.
#pragma once
#include "kernels/image/texture.h"
#include "kernels/shader/inputs.h"
#include "kernels/shader/variant.h"
#include "probe/vulkan/graphics.h"

namespace tilewise::kernels {

/// Bindings and constants are the same for both shaders. A shader may only read buffers and images.
struct DrawPassInputs : ShaderInputs {
    VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    uint32_t vertices = 3;
    /// The target's texels start at zero, and what is drawn is added; otherwise it replaces them.
    bool add = false;
};

struct DrawPass {
    vulkan::Graphics graphics;
    uint32_t vertices = 3;
    std::vector<uint32_t> push;
};

/// `target` must be created with TextureOptions::attachment; its last level is drawn to. Throws Error if the device's
/// queue cannot draw, or if the format cannot be drawn to (with `add`: blended).
DrawPass create_draw_pass(Context& context, const Variant& vertex, const Variant& fragment,
                          const DrawPassInputs& inputs, const Texture& target);
void record(VkCommandBuffer commands, const DrawPass& draw);

}  // namespace tilewise::kernels
