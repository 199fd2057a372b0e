// An OPTIMAL-tiled image on the device, and the way of its texels there and back.
#pragma once
#include "kernels/context.h"
#include "kernels/image/texels.h"
#include "probe/vulkan/compute.h"
#include "probe/vulkan/memory.h"

namespace tilewise::kernels {

/// In the layout GENERAL from its creation on. SAMPLED, STORAGE and both TRANSFER usages.
struct Texture {
    vulkan::OwnedImage image;
    vulkan::Memory memory;
    vulkan::OwnedImageView view;
    vulkan::OwnedImageView packed;  ///< where it was asked for: R8G8B8A8's bits as R32_UINT
    vulkan::OwnedImageView last;    ///< the smallest level alone
    Format format = Format::rgba8;
    Size size;
    uint32_t levels = 1;
    uint32_t memory_type = 0;
};

struct TextureOptions {
    uint32_t levels = 1;
    bool attachment = false;  ///< COLOR_ATTACHMENT usage
    bool packed = false;      ///< of R8G8B8A8: with Texture::packed, for which the image's format must be mutable
};

/// Throws Error where the device cannot have such an image: which limit.
void create_texture(Context& context, Format format, Size size, const TextureOptions& options, Texture& texture);

void upload(Context& context, const Texture& texture, const Texels& texels);  ///< level 0
Texels download(Context& context, const Texture& texture, uint32_t level = 0);
void clear(Context& context, const Texture& texture, const std::array<float, 4>& to);  ///< all levels

}  // namespace tilewise::kernels
