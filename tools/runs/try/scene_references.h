// Which image or buffer of a scene each resource of a shader is bound to.
#pragma once
#include "tools/runs/try/scene_text.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

struct ResourceReference {
    std::string name;  ///< of an image or a buffer
    std::optional<uint32_t> level;
};

/// Reads NAME or NAME@LEVEL. Throws UsageError for another level than 0 to 15.
ResourceReference reference_in(const std::string& text);

/// The name of element `i` of the resource: an array stands for several images or buffers, each with its own name.
std::string element_name(const kernels::ShaderResource& resource, uint32_t i);

/// What the resource is bound to in the pass, one reference for each of its elements. Throws UsageError if the scene
/// binds another number.
std::vector<ResourceReference> references_of(const PassText& pass, const kernels::ShaderResource& resource);

/// Calls visit(pass, resource, reference) for every resource of every pass but samplers, with what it is bound to.
template <typename Visit>
void each_use(const SceneText& scene, const std::vector<TriedShader>& shaders, const Visit& visit) {
    for (size_t pass = 0; pass < shaders.size(); ++pass)
        for (const kernels::ShaderResource& resource : shaders[pass].reflection.resources) {
            if (resource.kind == kernels::ResourceKind::sampler) continue;
            for (const ResourceReference& reference : references_of(scene.passes[pass], resource))
                visit(pass, resource, reference);
        }
}

}  // namespace tilewise
