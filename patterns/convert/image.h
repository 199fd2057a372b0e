// A whole image as rows: its subresources one after another without a gap, layer by layer, within a layer aspect by
// aspect, within an aspect from the largest level down.
#pragma once
#include "patterns/convert/convert.h"
#include "patterns/model/image_layout.h"
#include <vector>

namespace tilewise {

/// One subresource of one layer.
struct ImagePart {
    Aspect aspect = Aspect::color;
    uint32_t level = 0, layer = 0;
    Coord extent = unit_extent;  ///< elements
    Layout layout;
    uint64_t rows_at_B = 0;  ///< from the start of the rows of the image
};

/// The parts in the order of the rows. Throws Error if rows or tiles reach beyond 64 bits, or for a disjoint image,
/// whose planes lie in separate memory: see only_aspect().
/// Example:
///     const std::vector<ImagePart> parts = parts_of(image);
///     assert(parts.size() == 1 && parts[0].rows_at_B == 0 && (parts[0].extent == Coord{256, 256, 1, 1}));
std::vector<ImagePart> parts_of(const ImageLayout& image);

/// The image reduced to one aspect, such as a plane of a disjoint image. Throws UsageError if the image has no such
/// aspect.
/// Example:
///     assert(only_aspect(image, Aspect::color).subresources.size() == 1);
ImageLayout only_aspect(const ImageLayout& image, Aspect aspect);

/// Bytes of all rows together, and of the memory that the image takes.
/// Example:
///     const std::vector<ImagePart> parts = parts_of(image);
///     assert(rows_bytes(parts) == 256 * 256 * 4 && tiled_bytes(parts) == 262140 + 4);
///     assert(whole_tiles_bytes(parts) == 4 * 65536);
uint64_t rows_bytes(const std::vector<ImagePart>& parts);
uint64_t tiled_bytes(const std::vector<ImagePart>& parts);        ///< to the last byte of any element
uint64_t whole_tiles_bytes(const std::vector<ImagePart>& parts);  ///< to the end of the last tile, as in memory

}  // namespace tilewise
