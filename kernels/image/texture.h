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
    /// It shows R8G8B8A8's bits as R32_UINT, where it was asked for.
    vulkan::OwnedImageView packed;
    /// Each shows one level alone.
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
    /// An R8G8B8A8 image gets Texture::packed, for which its format must be mutable.
    bool packed = false;
};

/// Whether images of the format in OPTIMAL tiling have all of these features.
bool has_features(const Context& context, Format format, VkFormatFeatureFlags needed);

/// So many levels lead from an image down to one texel, its own included.
uint32_t all_levels(Size size);
/// As Vulkan has it: each side is halved for each level and rounded down, but at least 1.
Size level_size(Size size, uint32_t level);

/// Throws Error where the device cannot have such an image: which limit.
void create_texture(Context& context, Format format, Size size, const TextureOptions& options, Texture& texture);

/// Writes level 0.
void upload(Context& context, const Texture& texture, const Texels& texels);
Texels download(Context& context, const Texture& texture, uint32_t level = 0);
/// Clears all levels.
void clear(Context& context, const Texture& texture, const std::array<float, 4>& to);

}  // namespace tilewise::kernels
