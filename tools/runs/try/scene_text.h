// The scene that a user describes, by options or as JSON: sizes, formats, contents, passes. What the user leaves out is
// derived from the shaders if that is certain; the user is asked for everything else.
#pragma once
#include "kernels/try/rewrite.h"
#include "kernels/try/scene.h"
#include "tools/runs/try/shader_source.h"
#include <functional>
#include <nlohmann/json.hpp>

namespace tilewise {

struct ImageText {
    /// Vulkan's name without VK_FORMAT_; empty: not known.
    std::string format;
    /// Zeros: the scene's size.
    std::array<uint32_t, 3> size = {0, 0, 0};
    uint32_t layers = 1, levels = 1;
    /// "noise", "gradient", "zero", "poison", or a file: .png, or texels in rows.
    std::string contents;
};

struct BufferText {
    uint64_t bytes = 0;
    /// "zero", "noise", "poison", "values:1,width,0.5", or a file.
    std::string contents;
};

struct PassText {
    std::string shader, entry;
    /// Zeros: as many as are needed to cover `over`.
    std::array<uint32_t, 3> groups = {0, 0, 0};
    /// The name of an image; empty: the scene's size.
    std::string over;
    /// Numbers, or width, height, 1/width, 1/height of the scene.
    std::vector<std::string> push;
    /// By name or by number.
    std::map<std::string, std::string> constants;
    /// By the name in the shader: names of images and buffers, "NAME@2" for level 2 of an image. A resource that is not
    /// listed is bound to the image or buffer with its own name.
    std::map<std::string, std::vector<std::string>> bindings;
    Defines defines;
};

struct SceneText {
    /// Zeros: not given.
    std::array<uint32_t, 2> size = {0, 0};
    std::map<std::string, ImageText> images;
    std::map<std::string, BufferText> buffers;
    std::vector<PassText> passes;
    /// The index of the pass that is varied, from 0.
    size_t varied = 0;
    /// The filter of all samplers: "linear" or "nearest".
    std::string sampler = "linear";
};

constexpr size_t max_scene_passes = 64;

/// Throws Error that names the member if the text is no scene.
SceneText scene_from_json(const std::string& text);
nlohmann::ordered_json to_json(const SceneText& scene);

/// Adds what follows from the shaders; there is one for each pass. Throws UsageError for a name that no shader has.
void fill_in(SceneText& scene, const std::vector<TriedShader>& shaders);

/// Returns the whole contents of a file; throws Error that names it.
using ReadFile = std::function<std::string(const std::string& path)>;

/// Creates the whole scene. `size` replaces the scene's own size: images shrink with it, in proportion. Throws
/// UsageError that names what is missing and the option for it, Error for a scene that is too large.
kernels::Scene make_scene(const SceneText& scene, const std::vector<TriedShader>& shaders, std::array<uint32_t, 2> size,
                          const ReadFile& read_file);

/// A size that has no factors in common with workgroup sizes, for a second check.
std::array<uint32_t, 2> odd_size(std::array<uint32_t, 2> size);

/// The grid and workgroup size that the varied pass is launched with.
kernels::ShaderGrid grid_of(const kernels::Scene& scene, const SceneText& text,
                            const std::vector<TriedShader>& shaders);

}  // namespace tilewise
