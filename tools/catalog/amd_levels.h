// Levels of images on AMD's GPUs before Vega.
#pragma once
#include "patterns/rules/rule.h"
#include <optional>

namespace tilewise {

/// A rule of 2D images of one level, extended to several as AMD's address library lays them out (Mesa's
/// src/amd/addrlib, core/addrlib1.cpp and r800/siaddrlib.cpp) when RADV calls it with pow2Pad:
///   - the width of level 0 is rounded up to a power of two, and then halved for each level; a level's own height is
///     rounded up to a power of two (PadDimensions, SiLib::HwlComputeMipLevel);
///   - a level has large blocks if both are at least as long as one, otherwise tiles of 8x8
///     (ComputeSurfaceMipLevelTileMode);
///   - images of one or two rows, more than 8 texels wide, have rows instead (RADV asks for them), and of narrower images
///     of one row level 0 has (OptimizeTileMode); rows grow until a slice is a multiple of 256 bytes and of 64 elements
///     (HwlGetSizeAdjustmentLinear);
///   - a level has room for a power of two of layers (PadDimensions).
/// An image of one level has large blocks if they take at most half more than its elements (DegradeTo1D).
/// None if the rule has other modes than large blocks, tiles of 8x8 and rows. The caller has to check it.
std::optional<Rule> with_amd_levels(const Rule& one_level);

}  // namespace tilewise
