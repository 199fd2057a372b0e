#include "kernels/shader/inputs.h"

namespace tilewise::kernels {

void bind(const Context& context, const ShaderInputs& inputs, const vulkan::Bindings& bindings) {
    if (!inputs.buffers.empty()) vulkan::bind_buffers(context.device, bindings, inputs.buffers);
    if (!inputs.images.empty()) vulkan::bind_images(context.device, bindings, inputs.images);
    if (!inputs.textures.empty())
        vulkan::bind_textures(context.device, bindings, (inputs.bilinear ? context.bilinear : context.nearest).handle,
                              inputs.textures);
}

}  // namespace tilewise::kernels
