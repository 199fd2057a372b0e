// Writes elements in rows as a PNG file.
#pragma once
#include "patterns/model/layout.h"
#include "tools/answers/identify/channels.h"
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tilewise {

/// One pixel per element, slices of a 3D image one below the other, 8 bits per channel: gray for one channel, else the
/// first of R, G and B (for depth and unknown channels, the first three). Scaled and floating-point channels are
/// clamped to 0..1, other integers stretched from their minimum to their maximum. There is no alpha: it would hide
/// colors. Throws Error that names the file.
void write_png(const std::string& path, std::span<const std::byte> rows, const Element& element, const Coord& extent,
               const std::vector<Channel>& channels);

}  // namespace tilewise
