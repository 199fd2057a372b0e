#include "tools/answers/image/assembled_image.h"
#include "patterns/model/bits.h"
#include "probe/formats/names.h"
#include "tools/answers/add_once.h"
#include "tools/answers/image/observed_image.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// Up to the end of the last tile of the extent; throws Error as dense_layout() does.
uint64_t end_of_whole_tiles(const Layout& layout, const Coord& extent) {
    return tiled_bytes(layout, whole_tiles(layout.pattern, extent));
}

uint64_t checked_round_up(uint64_t value, uint64_t multiple) {
    return round_up(checked_sum(value, multiple - 1) - (multiple - 1), multiple);
}

}  // namespace

FoundImage assembled_image(const KnownImages& known, const std::optional<GivenLayout>& given) {
    const ImageQuestion& question = known.question;
    const ImageShape& asked = known.asked;
    FoundImage found;
    ImageLayout& image = found.image;
    image.source = given ? LayoutSource::given : LayoutSource::probed;
    // Where a format has several aspects, given texels are taken as a whole.
    const std::vector<Aspect> aspects = aspects_of_format(format_name_of(question.about.format));
    const Aspect aspect = aspects.size() == 1 ? aspects.front() : Aspect::color;
    uint64_t end = 0;  // of what lies before, in whole tiles
    uint64_t layer_stride = question.layer_stride.value_or(0);
    for (uint32_t layer = 0; layer < asked.layers; layer++)
        for (uint32_t level = 0; level < asked.levels; level++) {
            Subresource part = {aspect, level, layer, 1, 0, level_extent_px(asked.extent_px, level), {}};
            const auto elements = [&](const Pattern& pattern) {
                return elements_of(part.extent_px, pattern.element, asked.samples);
            };
            const db::ObservationRow* row = given ? nullptr : observed(known, level, layer);
            if (row) {
                part.layout = *row->fact.layout;
                if (level == 0 && layer == 0) image.evidence = fmt::format("as seen on {}", row->device.name);
            } else if (layer > 0) {
                part.layout = image.subresources[level].layout;
                part.layout.base = checked_sum(part.layout.base, layer_stride * layer);
                if (!question.layer_stride)
                    add_once(found.assumed, fmt::format("layers are {} bytes apart", layer_stride));
            } else if (given && level == 0) {
                part.layout = given->layout;
                image.evidence = "as given";
                if (!given->assumed.empty() &&
                    !strides_are_given(question, part.layout.pattern, elements(part.layout.pattern)))
                    found.assumed.push_back(given->assumed);
            } else {
                NearestLayout nearest;
                if (given)
                    nearest.layout = dense_layout(given->layout.pattern, elements(given->layout.pattern));
                else
                    nearest = nearest_layout(known, level);
                part.layout = nearest.layout;
                part.layout.base = checked_round_up(end, part.layout.pattern.tile_bytes);
                if (level > 0)
                    add_once(found.assumed,
                             "levels follow one another, each at a multiple of its own tile, laid out like the "
                             "observed images nearest to them in size");
                if (!given && level == 0 &&
                    !(strides_are_given(question, part.layout.pattern, elements(part.layout.pattern)) &&
                      !question.pattern.empty()))
                    add_once(found.assumed, fmt::format("{} is laid out like {}", nearest.image, nearest.like));
                if (level == 0) image.evidence = fmt::format("like {}", nearest.like);
            }
            const Coord extent = elements(part.layout.pattern);
            if (asked.levels == 1) apply_strides(question, part.layout, extent);
            end = std::max(end, end_of_whole_tiles(part.layout, extent));
            image.subresources.push_back(std::move(part));
            if (layer == 0 && level + 1 == asked.levels && !question.layer_stride)
                layer_stride = checked_round_up(end, image.subresources[0].layout.pattern.tile_bytes);
        }
    return found;
}

uint64_t checked_sum(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw Error("the image reaches beyond 64 bits of address");
    return sum;
}

}  // namespace tilewise
