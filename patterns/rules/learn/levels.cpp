// What the images show about their levels: where each begins, in which order they lie, and how many bytes each takes.
#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <bit>
#include <random>

namespace tilewise {

namespace {

std::vector<Sample> samples_of(const Layout& layout, const Coord& extent) {
    std::vector<Sample> samples;
    const auto add = [&](const Coord& at) { samples.push_back({at, offset_of(layout, at)}); };
    for (const Axis a : all_axes)
        for (uint64_t step = 1; step < extent[a]; step *= 2) {
            Coord at = {};
            at[a] = static_cast<uint32_t>(step);
            add(at);
        }
    add({extent[0] - 1, extent[1] - 1, extent[2] - 1, extent[3] - 1});
    std::mt19937 random(1);
    for (unsigned i = 0; i < 48; i++) {
        Coord at;
        for (const Axis a : all_axes) at[a] = static_cast<uint32_t>(random() % extent[a]);
        add(at);
    }
    return samples;
}

}  // namespace

void Learner::take_levels() {
    const ImageLayout& one = images.front();
    rule.element = one.subresources.front().layout.pattern.element;
    rule.aspect = one.subresources.front().aspect;
    rule.image_type = one.type;
    rule.usage = one.usage;
    rule.flags = one.flags;
    rule.samples = one.samples;
    const auto rows_of_samples = [&](const ImageLayout& image) {
        return find_subresource(image, rule.aspect, 0, 0)->layout.stride[axis_s] != 0;
    };
    rule.samples_outside = std::ranges::count_if(images, rows_of_samples) * 2 > std::ssize(images);
    for (size_t i = 0; i < images.size(); i++) {
        const ImageLayout& image = images[i];
        first_level.push_back(levels.size());
        for (uint32_t l = 0; l < image.levels; l++) {
            const Subresource& part = *find_subresource(image, rule.aspect, l, 0);
            SeenLevel seen;
            seen.image = i;
            seen.level = l;
            seen.layout = &part.layout;
            seen.extent = extent_el(image, part);
            seen.samples = std::make_shared<const std::vector<Sample>>(samples_of(part.layout, seen.extent));
            seen.shape = shape_of(rule, image, l);
            seen.first = offset_of(part.layout, {});
            seen.begin = image.samples > 1 ? part.layout.base : seen.first;
            levels.push_back(std::move(seen));
        }
    }
    uint64_t all = 0;
    for (size_t i = 0; i < images.size(); i++) all |= bytes_of(i);
    common_unit = all & (~all + 1);
    uint64_t bases = 0;
    for (const SeenLevel& level : levels) bases |= level.begin;
    common_base = bases == 0 ? 1 : std::min<uint64_t>(bases & (~bases + 1), 65536);
    rest_on(rule, images);
}

MemoryOrder Learner::memory_order() const {
    size_t up = 0, down = 0, inside = 0, outside = 0;
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        if (of_image.size() > 1) (of_image[0].first < of_image.back().first ? up : down)++;
    }
    for (size_t i = 0; i < images.size(); i++) {
        const ImageLayout& image = images[i];
        const auto of_image = levels_of(i);
        if (image.levels == 1) continue;
        // The start of the next layer, or slice, of level 0.
        uint64_t next = 0;
        if (image.layers > 1) {
            const Subresource& part = *find_subresource(image, rule.aspect, 0, 1);
            next = offset_of(layout_of_layer(part, 1), {}) - of_image[0].first;
        } else if (image.extent_px[2] > of_image[0].layout->pattern.tile[axis_z]) {
            next = of_image[0].layout->stride[axis_z];
        } else {
            continue;
        }
        const uint64_t low = std::min(of_image[0].first, of_image.back().first),
                       high = std::max(of_image[0].first, of_image.back().first);
        (next > high - low ? outside : inside)++;
    }
    return {down > up, inside > outside};
}

void Learner::measure_levels() {
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        const bool turned = hypothesis.tail || hypothesis.turned_layers;
        const uint64_t block = turned && images[i].alignment > 0 ? images[i].alignment : 1;
        for (size_t l = 0; l < of_image.size(); l++) {
            SeenLevel& level = of_image[l];
            const size_t next = rule.smallest_first ? l - 1 : l + 1;
            if (level.in_tail) continue;
            if (next >= of_image.size()) {
                const auto whole = static_cast<size_t>(std::bit_width(std::ranges::max(images[i].extent_px)));
                if (hypothesis.chain && of_image.size() > 1 && of_image.size() < whole) continue;
                if (hypothesis.bare_end && of_image.size() > 1 && images[i].layers == 1) continue;
                // The last level's rows are rounded, too.
                if (hypothesis.quarter_slices) continue;
                const uint64_t end = outer_stride(i, of_image[0].first_mode()).value_or(bytes_of(i)) / block * block;
                const uint64_t before = level.begin / block * block;
                if ((!rule.layers_inside || images[i].extent_px[2] == 1) && end > before) level.room = end - before;
                continue;
            }
            const uint64_t begin = level.begin / block * block, end = of_image[next].begin / block * block;
            if (end > begin) level.bytes = end - begin;
        }
    }
}

/// The image's bytes, or those of one sample if each sample has all layers.
uint64_t Learner::bytes_of(size_t image) const {
    return images[image].bytes / (rule.samples_outside ? rule.samples : 1);
}

/// The distance from the origin of a layer, or of a slab as deep as the mode's block, to that of the next; none if the
/// image has only one.
std::optional<uint64_t> Learner::outer_stride(size_t i, size_t m) const {
    const SeenLevel& level = levels_of(i)[0];
    if (rule.layers_inside) return std::nullopt;
    if (images[i].layers > 1) {
        const Subresource& part = *find_subresource(images[i], rule.aspect, 0, 1);
        return offset_of(layout_of_layer(part, 1), {}) - level.first;
    }
    if (rule.image_type != ImageType::three_d || m == rule.modes.size()) return std::nullopt;
    const std::optional<uint64_t> stride = stride_shown(level, rule.modes[m].pattern, axis_z);
    return stride == 0 ? std::nullopt : stride;
}

/// The largest unit to which the space after an image's last level may be rounded; after a layer, also a block of level
/// 0.
uint64_t Learner::rounding(const SeenLevel& level) const {
    const ImageLayout& image = images[level.image];
    uint64_t unit = std::max(common_unit, image.alignment);
    if (image.layers > 1)
        for (size_t m = 0; m < rule.modes.size(); m++)
            if (levels[first_level[level.image]].can(m)) unit = std::max(unit, rule.modes[m].pattern.tile_bytes);
    return unit;
}

}  // namespace tilewise
