#include "tests/fuzz/targets.h"
#include "tools/runs/try/fill_in_scene.h"
#include "tools/runs/try/make_scene.h"

namespace tilewise::fuzz {

using namespace kernels;

namespace {

/// A shader that reads an image and a block, and writes an image and a buffer, as those of tests/shaders do.
TriedShader shader_named(const std::string& name) {
    TriedShader shader;
    shader.name = name;
    ShaderReflection& reflection = shader.reflection;
    reflection.entry.name = "main";
    reflection.local_size = {8, 8, 1};
    const auto add = [&](const char* of, ResourceKind kind, bool is_read, bool is_written) -> ShaderResource& {
        ShaderResource& resource = reflection.resources.emplace_back();
        resource.name = of;
        resource.binding = static_cast<uint32_t>(reflection.resources.size());
        resource.kind = kind;
        resource.is_read = is_read;
        resource.is_written = is_written;
        return resource;
    };
    add("source", ResourceKind::storage_image, true, false);
    add("result", ResourceKind::storage_image, false, true).format = VK_FORMAT_R16G16B16A16_SFLOAT;
    ShaderResource& camera = add("camera", ResourceKind::uniform_buffer, true, false);
    camera.bytes = 12;
    camera.scalars = {{"a", 0, 'f', 4}, {"b", 4, 'i', 4}, {"c", 8, 'u', 4}};
    ShaderResource& numbers = add("numbers", ResourceKind::storage_buffer, true, true);
    numbers.bytes = 4;
    numbers.stride = 4;
    reflection.push = {{"size.x", 0, 'u', 4}, {"size.y", 4, 'u', 4}};
    reflection.push_bytes = 8;
    reflection.constants = {{3, "depth", {"depth", 0, 'u', 4}, 1}};
    return shader;
}

/// Roughly; what is between the two is left out, since it takes seconds to fill.
double bytes_asked(const SceneText& scene) {
    double bytes = 0;
    for (const auto& [name, image] : scene.images) {
        double texels = image.size[0] == 0 ? static_cast<double>(scene.size[0]) * scene.size[1] : 1;
        if (image.size[0] != 0)
            for (const uint32_t side : image.size) texels *= side;
        bytes += texels * image.layers * 16;
    }
    for (const auto& [name, buffer] : scene.buffers) bytes += static_cast<double>(buffer.bytes);
    return bytes;
}

}  // namespace

void scenes(Input input) {
    accepted([&] {
        const SceneText scene = scene_from_json(std::string(text_of(input)));
        const std::string written = to_json(scene).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
        accepted([&] {
            const std::string again =
                to_json(scene_from_json(written)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
            require(again == written, "a scene that was written is read back");
        });
        if (scene.passes.size() > max_scene_passes) return;
        SceneText filled = scene;
        std::vector<TriedShader> shaders;
        for (const PassText& pass : filled.passes) shaders.push_back(shader_named(pass.shader));
        fill_in(filled, shaders);
        constexpr double small = 1 << 20, large = 1099511627776.0;
        const double bytes = bytes_asked(filled);
        if (bytes > small && bytes < large) return;
        const Scene made = make_scene(filled, shaders, filled.size, [](const std::string&) { return "0123456789"; });
        require(bytes <= small, "a scene of a terabyte is refused");
        for (const SceneBuffer& buffer : made.buffers)
            require(buffer.initial.size() % 4 == 0, "buffers are whole words");
        require(made.passes.size() == filled.passes.size(), "each pass is there");
    });
}

}  // namespace tilewise::fuzz
