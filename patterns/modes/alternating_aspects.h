// Depth and stencil of one image that share each KiB of its memory.
#pragma once
#include "patterns/model/image_layout.h"
#include <optional>

namespace tilewise {

/// NVIDIA's D32_SFLOAT_S8_UINT, as an H200 showed it. The image's GOBs lie where those of a color image with elements
/// of 8 bytes do, 8x8 texels in 512 bytes each. Two that follow one another in memory share a KiB: the 64 depths of the
/// first, those of the second, the 64 stencils of the first, 192 bytes that nothing uses, those of the second, and 192
/// bytes more. Within a GOB both are in the order x0 x1 y0 y1 y2 x2. `kind`: the image; `wide`: one of its shape, of
/// color elements of 8 bytes. None where no layout of whole tiles says that: where a level is two GOBs high, each in a
/// row of its own, and a row is an odd number of them. Elements may end behind the image's bytes: the stencils of an
/// image of one GOB do, as it was read.
std::optional<ImageLayout> alternate(const ImageKind& kind, const ImageLayout& wide);

}  // namespace tilewise
