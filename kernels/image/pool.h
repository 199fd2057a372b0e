// The images and buffers that jobs share; each is created when it is first requested.
#pragma once
#include "kernels/image/digest.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

namespace tilewise::kernels {

enum class ImageUse {
    /// Has random texels; R8G8B8A8 can be read as whole words, too.
    source,
    /// Written by compute shaders.
    result,
    /// Between two passes of compute shaders.
    scratch,
    /// The `result` of draws.
    target,
    /// The `scratch` of draws.
    target_scratch,
    /// Has all levels down to one texel.
    levels,
    /// Another image with all levels.
    levels_up,
};

/// Each image and buffer lives as long as the pool or the last job that uses it, whichever is longer: a pool can be
/// destroyed once no more jobs are to share its contents. The context outlives both. Several threads may create jobs
/// from one pool at once.
struct ImagePool {
    Context& context;
    /// The texels of the sources.
    std::map<std::tuple<Format, Size>, std::shared_ptr<const Texels>> texels = {};
    std::map<std::tuple<ImageUse, Format, Size>, std::shared_ptr<Texture>> images = {};
    std::map<std::tuple<std::string, VkDeviceSize>, std::shared_ptr<DeviceBuffer>> buffers = {};
    /// Each pass keeps its texture.
    std::map<const Texture*, std::shared_ptr<const DigestPass>> digests = {};
    std::recursive_mutex mutex = {};
};

std::shared_ptr<const Texels> source_texels(ImagePool& pool, Format format, Size size);
/// Throws Error if the device cannot have such an image.
std::shared_ptr<Texture> pooled_image(ImagePool& pool, ImageUse use, Format format, Size size);
/// `use` distinguishes buffers of equal size.
std::shared_ptr<DeviceBuffer> pooled_buffer(ImagePool& pool, const std::string& use, VkDeviceSize bytes);
std::shared_ptr<const DigestPass> pooled_digest(ImagePool& pool, const std::shared_ptr<const Texture>& texture);

}  // namespace tilewise::kernels
