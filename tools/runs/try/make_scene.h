// The scene that runs on the device, made of what its text says.
#pragma once
#include "tools/runs/try/scene_text.h"
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tilewise {

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
