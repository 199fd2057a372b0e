// The scene that a user describes, by options or as JSON: sizes, formats, contents, passes. What the user leaves out is
// derived from the shaders if that is certain; the user is asked for everything else.
#pragma once
#include "kernels/try/rewrite.h"
#include "kernels/try/scene.h"
#include "tools/runs/try/shader_source.h"
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

}  // namespace tilewise
