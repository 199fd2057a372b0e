// An image with optimal tiling on the device, and the transfer of its texels to and from the host.
#pragma once
#include "kernels/context.h"
#include "kernels/image/texels.h"
#include "probe/vulkan/compute.h"
#include "probe/vulkan/memory.h"

namespace tilewise::kernels {

/// Always in the layout GENERAL. It has SAMPLED, STORAGE and both TRANSFER usages.
struct Texture {
    vulkan::OwnedImage image;
    vulkan::Memory memory;
    vulkan::OwnedImageView view;
    /// R8G8B8A8's bits as R32_UINT, if requested.
    vulkan::OwnedImageView packed;
    /// One view per level.
    std::vector<vulkan::OwnedImageView> each_level;
    Format format = Format::rgba8;
    Size size;
    uint32_t levels = 1;
    uint32_t memory_type = 0;
};

struct TextureOptions {
    uint32_t levels = 1;
    /// The image has COLOR_ATTACHMENT usage.
    bool attachment = false;
    /// An R8G8B8A8 image gets Texture::packed, so its format must be mutable.
    bool packed = false;
};

/// Whether images of the format with optimal tiling have all of these features.
bool has_features(const Context& context, Format format, VkFormatFeatureFlags needed);

/// The number of levels from an image down to one texel, including both.
uint32_t all_levels(Size size);
/// As in Vulkan: each side is halved for each level and rounded down, but is at least 1.
Size level_size(Size size, uint32_t level);

/// Throws Error naming the limit if the device cannot have such an image.
void create_texture(Context& context, Format format, Size size, const TextureOptions& options, Texture& texture);

/// Writes level 0.
void upload(Context& context, const Texture& texture, const Texels& texels);
Texels download(Context& context, const Texture& texture, uint32_t level = 0);
/// Clears all levels.
void clear(Context& context, const Texture& texture, const std::array<float, 4>& to);

}  // namespace tilewise::kernels
