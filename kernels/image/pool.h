// The images and buffers that jobs share: made where they are first asked for.
#pragma once
#include "kernels/image/digest.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

namespace tilewise::kernels {

enum class ImageUse {
    /// It has random texels; R8G8B8A8 can be read as whole words, too.
    source,
    /// Compute shaders write it.
    result,
    /// It lies between two passes of compute shaders.
    scratch,
    /// It is the `result` of what draws.
    target,
    /// It is the `scratch` of what draws.
    target_scratch,
    /// It has all levels down to one texel.
    levels,
    /// It is another one of these.
    levels_up,
};

/// Each one lives as long as the pool or the last job that has it, whichever is longer: a pool can go as soon as no
/// more jobs are to share what is in it. The context outlives both. Several threads may make jobs of one pool at once.
struct ImagePool {
    Context& context;
    /// They are those of the sources.
    std::map<std::tuple<Format, Size>, std::shared_ptr<const Texels>> texels = {};
    std::map<std::tuple<ImageUse, Format, Size>, std::shared_ptr<Texture>> images = {};
    std::map<std::tuple<std::string, VkDeviceSize>, std::shared_ptr<DeviceBuffer>> buffers = {};
    /// Each keeps its texture.
    std::map<const Texture*, std::shared_ptr<const DigestPass>> digests = {};
    std::recursive_mutex mutex = {};
};

std::shared_ptr<const Texels> source_texels(ImagePool& pool, Format format, Size size);
/// Throws Error where the device cannot have it.
std::shared_ptr<Texture> pooled_image(ImagePool& pool, ImageUse use, Format format, Size size);
/// `use` keeps buffers of one size apart.
std::shared_ptr<DeviceBuffer> pooled_buffer(ImagePool& pool, const std::string& use, VkDeviceSize bytes);
std::shared_ptr<const DigestPass> pooled_digest(ImagePool& pool, const std::shared_ptr<const Texture>& texture);

}  // namespace tilewise::kernels
