// Depth and stencil of one image, alternating within each KiB of its memory.
#pragma once
#include "patterns/model/image_layout.h"
#include <optional>

namespace tilewise {

/// NVIDIA's D32_SFLOAT_S8_UINT, as observed on an H200. The image's GOBs, 8x8 texels in 512 bytes each, lie where those
/// of a color image with elements of 8 bytes do. Two GOBs that follow one another in memory share a KiB: the 64 depths
/// of the first, the 64 depths of the second, the 64 stencils of the first, 192 unused bytes, the 64 stencils of the
/// second, and 192 more unused bytes. Within a GOB both are in the order x0 x1 y0 y1 y2 x2. `kind` is the image; `wide`
/// is an image of the same shape with color elements of 8 bytes. Returns none if no layout of whole tiles can express
/// this: if a level is two GOBs high, each in a row of its own, and a row is an odd number of GOBs. Elements may end
/// beyond the image's bytes: the stencils of an image of one GOB did when it was read.
std::optional<ImageLayout> alternate(const ImageKind& kind, const ImageLayout& wide);

}  // namespace tilewise
