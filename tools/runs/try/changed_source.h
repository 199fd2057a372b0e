// The text of a shader with a variant in it: lines at its head, others at its end.
#pragma once
#include "kernels/try/rewrite.h"
#include "tools/runs/try/scene_text.h"

namespace tilewise {

/// GLSL or HLSL that is dispatched as the variant is. Throws Error where the text is not
/// written in a way that can be changed, saying which: then the SPIR-V alone is rewritten.
std::string changed_source(const TriedShader& shader, const PassText& pass, const kernels::ShaderGrid& grid,
                           const kernels::ShaderVariant& variant);

}  // namespace tilewise
