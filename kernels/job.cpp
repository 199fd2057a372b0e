#include "kernels/job.h"

namespace tilewise::kernels {

std::shared_ptr<const Texels> source_texels(Workspace& workspace, Format format, Size size) {
    auto& texels = workspace.texels[{format, size}];
    if (!texels) texels = std::make_shared<const Texels>(random_texels(format, size, 1));
    return texels;
}

namespace {

std::shared_ptr<Texture> texture_of(Workspace& workspace, std::shared_ptr<Texture>& texture, Format format, Size size,
                                    const TextureOptions& options = {}) {
    if (!texture) {
        auto created = std::make_shared<Texture>();
        create_texture(workspace.context, format, size, options, *created);
        texture = std::move(created);
    }
    return texture;
}

}  // namespace

std::shared_ptr<Texture> source_texture(Workspace& workspace, Format format, Size size) {
    auto& texture = workspace.sources[{format, size}];
    if (!texture) {
        TextureOptions options;
        options.packed = format == Format::rgba8;
        texture_of(workspace, texture, format, size, options);
        upload(workspace.context, *texture, *source_texels(workspace, format, size));
    }
    return texture;
}

std::shared_ptr<Texture> result_texture(Workspace& workspace, Format format, Size size) {
    return texture_of(workspace, workspace.results[{format, size}], format, size);
}

std::shared_ptr<Texture> scratch_texture(Workspace& workspace, Format format, Size size) {
    return texture_of(workspace, workspace.scratch[{format, size}], format, size);
}

std::shared_ptr<Texture> target_texture(Workspace& workspace, Format format, Size size, uint32_t which) {
    TextureOptions options;
    options.attachment = true;
    return texture_of(workspace, workspace.targets[{format, size, which}], format, size, options);
}

std::shared_ptr<DeviceBuffer> device_buffer(Workspace& workspace, const std::string& use, VkDeviceSize bytes) {
    auto& buffer = workspace.buffers[{use, bytes}];
    if (!buffer) buffer = std::make_shared<DeviceBuffer>(create_device_buffer(workspace.context, bytes));
    return buffer;
}

void release(Workspace& workspace) {
    workspace.texels.clear();
    workspace.sources.clear();
    workspace.results.clear();
    workspace.scratch.clear();
    workspace.targets.clear();
    workspace.expected.clear();
    workspace.digests.clear();
    workspace.buffers.clear();
}

}  // namespace tilewise::kernels
