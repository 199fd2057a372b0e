// The text of a shader changed to a variant: lines are added at its head and at its end.
#pragma once
#include "kernels/try/rewrite.h"
#include "tools/runs/try/scene_text.h"

namespace tilewise {

/// The GLSL or HLSL text, changed so that it is dispatched as the variant is. Throws Error, with the reason, if the
/// text is not written in a way that can be changed: then only the SPIR-V can be rewritten.
std::string changed_source(const TriedShader& shader, const PassText& pass, const kernels::ShaderGrid& grid,
                           const kernels::ShaderVariant& variant);

}  // namespace tilewise
