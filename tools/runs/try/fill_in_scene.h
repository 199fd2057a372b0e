// What a scene leaves out and its shaders tell: formats, sizes, contents.
#pragma once
#include "tools/runs/try/scene_text.h"
#include <vector>

namespace tilewise {

/// Adds what follows from the shaders; there is one for each pass. Throws UsageError for a name that no shader has.
void fill_in(SceneText& scene, const std::vector<TriedShader>& shaders);

}  // namespace tilewise
