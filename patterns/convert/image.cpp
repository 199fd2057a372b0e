#include "patterns/convert/image.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

std::vector<ImagePart> parts_of(const ImageLayout& image) {
    if (is_disjoint(image))
        throw Error("the planes of a disjoint image lie in memory of their own: convert one aspect at a time");
    const std::vector<Aspect> aspects = aspects_of(image);
    std::vector<ImagePart> parts;
    uint64_t rows_at = 0;
    for (uint32_t layer = 0; layer < image.layers; layer++)
        for (Aspect aspect : aspects)
            for (uint32_t level = 0; level < image.levels; level++) {
                const Subresource* from = find_subresource(image, aspect, level, layer);
                if (!from) throw Error(fmt::format("the image lacks level {} of layer {}", level, layer));
                ImagePart part = {aspect, level, layer, extent_el(image, *from), layout_of_layer(*from, layer),
                                  rows_at};
                const uint64_t bytes = rows_bytes(part.layout.pattern.element, part.extent);
                if (__builtin_add_overflow(rows_at, bytes, &rows_at))
                    throw Error("so many layers of such a size are larger than any memory");
                parts.push_back(std::move(part));
            }
    return parts;
}

ImageLayout only_aspect(const ImageLayout& image, Aspect aspect) {
    ImageLayout only = image;
    std::erase_if(only.subresources, [&](const Subresource& part) { return part.aspect != aspect; });
    if (only.subresources.empty()) throw UsageError(fmt::format("the image has no aspect {}", aspect_name(aspect)));
    only.flags.clear();
    if (is_disjoint(image)) {
        only.bytes = only.subresources.front().bytes;
        only.alignment = only.subresources.front().alignment;
    }
    return only;
}

uint64_t rows_bytes(const std::vector<ImagePart>& parts) {
    if (parts.empty()) return 0;
    const ImagePart& last = parts.back();
    return last.rows_at_B + rows_bytes(last.layout.pattern.element, last.extent);
}

uint64_t tiled_bytes(const std::vector<ImagePart>& parts) {
    uint64_t bytes = 0;
    for (const ImagePart& part : parts) bytes = std::max(bytes, tiled_bytes(part.layout, {{}, part.extent}));
    return bytes;
}

uint64_t whole_tiles_bytes(const std::vector<ImagePart>& parts) {
    uint64_t bytes = 0;
    for (const ImagePart& part : parts) {
        Box box;
        for (Axis a : all_axes)
            box.extent[a] = static_cast<uint32_t>(round_up(part.extent[a], part.layout.pattern.tile[a]));
        bytes = std::max(bytes, tiled_bytes(part.layout, box));
    }
    return bytes;
}

}  // namespace tilewise
