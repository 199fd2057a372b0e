// Slices of 3D images that stay as large as those of the level before.
#include "patterns/rules/learn/learner.h"

namespace tilewise {

/// The bytes from one slice to the next, or the bytes of a level with a single slice.
std::optional<uint64_t> Learner::slice_shown(const SeenLevel& level) const {
    if (const uint64_t stride = level.layout->stride[axis_z]; stride != 0 && level.layout->pattern.tile[axis_z] == 1)
        return stride;
    return level.extent[axis_z] == 1 ? level.bytes : std::nullopt;
}

/// Whether some levels have fewer rows than the level before, are stored alike, and yet have slices as large.
bool Learner::may_keep_slices() const {
    if (rule.image_type != ImageType::three_d || !rule.layers_inside) return false;
    constexpr size_t enough = 5;
    size_t found = 0;
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        for (size_t l = 1; l < of_image.size(); l++) {
            const SeenLevel &before = of_image[l - 1], &level = of_image[l];
            const uint64_t row = level.layout->stride[axis_y];
            const auto slice = slice_shown(level);
            found += row != 0 && row == before.layout->stride[axis_y] &&
                     level.layout->pattern == before.layout->pattern && slice && slice == slice_shown(before) &&
                     before.extent[axis_y] >= level.extent[axis_y] * 2 &&
                     *slice >= before.extent[axis_y] / level.layout->pattern.tile[axis_y] * row;
        }
    }
    return found >= enough;
}

/// Sets the least size of each level's slices, or their common size, as the levels before it show it.
void Learner::keep_slices() {
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        std::optional<uint64_t> before, last;
        bool kept = false;
        for (SeenLevel& level : of_image) {
            kept = kept || (before && last && (*last * 4 != *before || slice_shown(level) == last));
            if (kept) {
                level.shape.kept_slice = *last;
                continue;
            }
            before = last;
            last = slice_shown(level);
            if (before && last && *last * 4 >= *before) level.shape.least_slice = *before / 4;
        }
    }
}

}  // namespace tilewise
