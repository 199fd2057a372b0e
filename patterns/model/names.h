// What the field calls a pattern, after drm_fourcc.h and Mesa's drivers.
#pragma once
#include "patterns/model/layout.h"
#include <string>

namespace tilewise {

/// "NVIDIA block-linear (Turing and later), 16 GOBs high: NVIDIA_BLOCK_LINEAR_2D"; where drm_fourcc.h has a modifier,
/// its name stands last. Empty where the pattern has no name here.
std::string pattern_name(const Pattern& pattern);

}  // namespace tilewise
