// Slices of 3D images that stay as large as the level before has them.
#include "patterns/rules/learn/learner.h"
#include <algorithm>

namespace tilewise {

/// The bytes from a slice to the next, or of a level that has one.
std::optional<uint64_t> Learner::slice_shown(const SeenLevel& level) const {
    if (const uint64_t stride = level.layout->stride[axis_z]; stride != 0 && level.layout->pattern.tile[axis_z] == 1)
        return stride;
    return level.extent[axis_z] == 1 ? level.bytes : std::nullopt;
}

/// Whether a level has fewer rows than the one before, is stored alike, and has slices as large.
bool Learner::shows_kept_slices(const SeenLevel& before, const SeenLevel& level) const {
    const uint64_t row = level.layout->stride[axis_y];
    const auto slice = slice_shown(level);
    return row != 0 && row == before.layout->stride[axis_y] && level.layout->pattern == before.layout->pattern &&
           slice && slice == slice_shown(before) && before.extent[axis_y] >= level.extent[axis_y] * 2 &&
           *slice >= before.extent[axis_y] / level.layout->pattern.tile[axis_y] * row;
}

bool Learner::may_keep_slices() {
    if (out.rule.image_type != "3D" || !out.rule.layers_inside) return false;
    constexpr size_t enough = 5;
    size_t found = 0;
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        for (size_t l = 1; l < of_image.size(); l++) found += shows_kept_slices(of_image[l - 1], of_image[l]);
    }
    return found >= enough;
}

/// What parts levels that are kept, as far as they show it, from those whose slices are smaller than the ones before.
void Learner::keep_slices() {
    if (!hypothesis.kept_slices) return;
    constexpr uint64_t max_row = 4096, max_rows = 64;
    std::vector<KeptSlices> options;
    for (uint32_t after = 0; after < 3; after++)
        for (uint64_t row = out.rule.element.bytes; row <= max_row; row *= 2)
            for (uint64_t rows = 1; rows <= max_rows; rows *= 2) options.push_back({after, row, rows});
    const auto for_levels = [&](const KeptSlices& kept, const auto& look) {
        for (size_t i = 0; i < images.size(); i++) {
            const auto of_image = levels_of(i);
            bool ended = false;
            for (size_t l = 1; l < of_image.size(); l++) {
                ended = ended || ends_halving(kept, of_image[l - 1].shape);
                look(of_image[l - 1], of_image[l], ended);
            }
        }
    };
    out.rule.kept_slices = best_of(options, SIZE_MAX, [&](const KeptSlices& kept) {
        size_t right = 0;
        for_levels(kept, [&](const SeenLevel& before, const SeenLevel& level, bool ended) {
            const auto slice = slice_shown(level), larger = slice_shown(before);
            right += ended ? shows_kept_slices(before, level) : slice && larger && *slice < *larger;
        });
        return right;
    });
    for_levels(*out.rule.kept_slices, [&](const SeenLevel& before, SeenLevel& level, bool ended) {
        if (const auto slice = slice_shown(before); ended && slice) level.shape.kept_slice = *slice;
    });
}

}  // namespace tilewise
