#include "tools/runs/try/fill_in_scene.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "tools/runs/try/scene_references.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tilewise {

using namespace kernels;

namespace {

/// What the scene says about an array holds for each element that it does not mention.
template <typename Text>
void spread_over_elements(std::map<std::string, Text>& texts, const ShaderResource& resource) {
    const auto whole = texts.find(resource.name);
    if (resource.count == 1 || whole == texts.end()) return;
    for (uint32_t i = 0; i < resource.count; ++i) texts.emplace(element_name(resource, i), whole->second);
    texts.erase(whole);
}

std::string names_of(const std::vector<TriedShader>& shaders, bool images) {
    std::vector<std::string> names;
    for (const TriedShader& shader : shaders)
        for (const ShaderResource& resource : shader.reflection.resources)
            if (images ? is_image(resource.kind) : is_buffer(resource.kind))
                names.push_back(printable(resource.name, 100));
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void fill_in(SceneText& scene, const std::vector<TriedShader>& shaders) {
    for (size_t pass = 0; pass < shaders.size(); ++pass)
        for (const ShaderResource& resource : shaders[pass].reflection.resources)
            if (!scene.passes[pass].bindings.contains(resource.name)) {
                if (is_image(resource.kind)) spread_over_elements(scene.images, resource);
                if (is_buffer(resource.kind)) spread_over_elements(scene.buffers, resource);
            }
    std::set<std::string> used, read_first, seen;
    each_use(scene, shaders, [&](size_t pass, const ShaderResource& resource, const ResourceReference& reference) {
        used.insert(reference.name);
        // What a pass reads before any pass has written it must have contents.
        if (seen.insert(reference.name).second && resource.is_read) read_first.insert(reference.name);
        if (is_image(resource.kind)) {
            ImageText& image = scene.images[reference.name];
            if (resource.format != VK_FORMAT_UNDEFINED) {
                const std::string of_shader = probe::format_name(static_cast<uint32_t>(resource.format));
                if (image.format.empty()) image.format = of_shader;
                // A GLSL shader states the format; for HLSL's float4 the compiler chose it.
                if (image.format != of_shader && shaders[pass].language == ShaderLanguage::glsl)
                    throw UsageError(
                        fmt::format("{} is {}: the shader declares {}, and the image must have that format",
                                    printable(reference.name, 100), image.format, of_shader));
            }
            if (reference.level) image.levels = std::max(image.levels, *reference.level + 1);
            return;
        }
        BufferText& buffer = scene.buffers[reference.name];
        if (buffer.bytes == 0 && resource.stride == 0) buffer.bytes = resource.bytes;
    });
    for (const auto& [name, image] : scene.images)
        if (!used.contains(name))
            throw UsageError(
                fmt::format("no shader has an image {}; there are: {}", printable(name, 100), names_of(shaders, true)));
    for (const auto& [name, buffer] : scene.buffers)
        if (!used.contains(name))
            throw UsageError(fmt::format("no shader has a buffer {}; there are: {}", printable(name, 100),
                                         names_of(shaders, false)));
    for (auto& [name, image] : scene.images)
        if (image.contents.empty()) image.contents = read_first.contains(name) ? "noise" : "poison";
    each_use(scene, shaders, [&](size_t, const ShaderResource& resource, const ResourceReference& reference) {
        if (!is_buffer(resource.kind)) return;
        BufferText& buffer = scene.buffers[reference.name];
        if (buffer.contents.empty() && resource.kind == ResourceKind::storage_buffer) {
            if (resource.is_written)
                buffer.contents = read_first.contains(reference.name) ? "zero" : "poison";
            else if (buffer.bytes != 0 && resource.stride != 0)
                buffer.contents = "noise";
        }
    });
}

}  // namespace tilewise
