#include "kernels/image/pool.h"

namespace tilewise::kernels {

std::shared_ptr<const Texels> source_texels(ImagePool& pool, Format format, Size size) {
    const std::lock_guard lock(pool.mutex);
    auto& texels = pool.texels[{format, size}];
    if (!texels) texels = std::make_shared<const Texels>(random_texels(format, size, 1));
    return texels;
}

std::shared_ptr<Texture> pooled_image(ImagePool& pool, ImageUse use, Format format, Size size) {
    const std::lock_guard lock(pool.mutex);
    auto& image = pool.images[{use, format, size}];
    if (image) return image;
    TextureOptions options;
    options.packed = use == ImageUse::source && format == Format::rgba8;
    options.attachment = use == ImageUse::target || use == ImageUse::target_scratch;
    if (use == ImageUse::levels || use == ImageUse::levels_up) options.levels = all_levels(size);
    auto created = std::make_shared<Texture>();
    create_texture(pool.context, format, size, options, *created);
    if (use == ImageUse::source) upload(pool.context, *created, *source_texels(pool, format, size));
    return image = created;
}

std::shared_ptr<DeviceBuffer> pooled_buffer(ImagePool& pool, const std::string& use, VkDeviceSize bytes) {
    const std::lock_guard lock(pool.mutex);
    auto& buffer = pool.buffers[{use, bytes}];
    if (!buffer) buffer = std::make_shared<DeviceBuffer>(create_device_buffer(pool.context, bytes));
    return buffer;
}

std::shared_ptr<const DigestPass> pooled_digest(ImagePool& pool, const std::shared_ptr<const Texture>& texture) {
    const std::lock_guard lock(pool.mutex);
    auto& pass = pool.digests[texture.get()];
    if (!pass) {
        const auto sums = pooled_buffer(pool, "digest", digest_bytes);
        pass = std::make_shared<const DigestPass>(create_digest_pass(pool.context, texture, sums));
    }
    return pass;
}

}  // namespace tilewise::kernels
