// Tails: the small levels that share a block; and what the layer changes of the place within one.
#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <array>
#include <bit>

namespace tilewise {

/// What the layer's index changes within a block, by the mode that the rule chooses.
void Learner::find_layers() {
    if (!hypothesis.tail) return;
    for (BlockMode& mode : out.rule.modes) mode.layer_xor.clear();
    for (size_t i = 0; i < images.size(); i++) {
        if (images[i].layers == 1) continue;
        const auto modes = modes_of(out.rule, images[i]);
        if (!modes || !is_block(out.rule.modes[modes->front()].pattern)) continue;
        std::vector<uint64_t>& changes = out.rule.modes[modes->front()].layer_xor;
        for (uint32_t bit = 0; (1U << bit) < images[i].layers; bit++) {
            const uint32_t layer = 1U << bit;
            const Subresource& part = *find_subresource(images[i], out.rule.aspect, 0, layer);
            const uint64_t there = offset_of(layout_of_layer(part, layer), {});
            if (changes.size() <= bit) changes.resize(bit + 1);
            changes[bit] = (there ^ levels_of(i)[0].first) % images[i].alignment;
        }
    }
    for (BlockMode& mode : out.rule.modes)
        if (std::ranges::count(mode.layer_xor, 0) == std::ssize(mode.layer_xor)) mode.layer_xor.clear();
}

/// The last levels, where they share a block or are moved within it.
void Learner::find_tails() {
    if (!hypothesis.tail) return;
    for (size_t i = 0; i < images.size(); i++) {
        const auto of_image = levels_of(i);
        const uint64_t block = images[i].alignment;
        if (of_image.size() < 2 || block == 0) continue;
        const auto moved = [&](const SeenLevel& level) { return level.first % block != 0; };
        for (size_t l = of_image.size(); l-- > 0;) {
            const bool shares = std::ranges::any_of(of_image, [&](const SeenLevel& other) {
                return &other != &of_image[l] && other.first / block == of_image[l].first / block;
            });
            if (!moved(of_image[l]) && !shares) break;
            of_image[l].in_tail = true;
        }
    }
}

namespace {

constexpr std::array<std::array<Feature, 3>, 2> tail_features = {
    {{Feature::ceil_width, Feature::ceil_height, Feature::ceil_depth},
     {Feature::width, Feature::height, Feature::depth}}};

}  // namespace

void Learner::fit_tails() {
    if (!hypothesis.tail) return;
    for (size_t m = 0; m < out.rule.modes.size(); m++) {
        BlockMode& mode = out.rule.modes[m];
        Tail tail;
        std::vector<Labelled> labelled;
        for (size_t i = 0; i < images.size(); i++) {
            const auto of_image = levels_of(i);
            if (!of_image[0].only(m)) continue;
            uint32_t at = 0;
            for (const SeenLevel& level : of_image) {
                labelled.push_back({&level.shape, level.in_tail});
                if (!level.in_tail) continue;
                if (tail.constants.size() <= at) tail.constants.resize(at + 1);
                tail.constants[at++] = level.first % images[i].alignment;
            }
        }
        if (tail.constants.empty()) continue;
        std::erase_if(labelled, [](const Labelled& l) { return !l.inside && l.shape->levels == 1; });
        // A box: powers of two where those hold no level that lies elsewhere. A block may also hold so many levels at most, which is
        // likelier than a side that is no power of two: a box has that side where the images that would show more are missing.
        for (const bool rounded : {true, false})
            for (const bool counted : {false, true})
                for (const auto& features : tail_features) {
                    std::vector<Bound> box;
                    const auto add = [&](Feature feature, bool up) {
                        uint64_t max = 0;
                        for (const Labelled& l : labelled)
                            if (l.inside) max = std::max(max, feature_of(feature, *l.shape, mode));
                        box.push_back({feature, 0, up ? std::bit_ceil(max) : max});
                    };
                    for (const Feature feature : features) add(feature, rounded);
                    if (counted) add(Feature::levels_below, false);
                    const bool parts = std::ranges::none_of(
                        labelled, [&](const Labelled& l) { return !l.inside && holds(box, *l.shape, mode); });
                    if (parts && tail.bounds.empty()) tail.bounds = box;
                }
        if (tail.bounds.empty()) continue;
        const bool is_deep =
            std::ranges::any_of(labelled, [](const Labelled& l) { return l.shape->extent0_px[2] > 1; });
        std::vector<Bound> of_all_depths = tail.bounds;
        std::erase(of_all_depths, tail.bounds[2]);
        if (hypothesis.flat_tails && is_deep && std::ranges::none_of(labelled, [&](const Labelled& l) {
                return !l.inside && holds(of_all_depths, *l.shape, mode);
            }))
            tail.bounds = of_all_depths;
        // As many levels as were seen share a block, though deeper images have more that are as narrow: these lie elsewhere.
        uint64_t deepest = 0;
        for (const Bound& side : tail.bounds)
            if (std::ranges::any_of(tail_features, [&](const auto& measures) { return side.feature == measures[2]; }))
                deepest = side.max;
        const bool is_counted =
            std::ranges::any_of(tail.bounds, [](const Bound& bound) { return bound.feature == Feature::levels_below; });
        if (is_deep && !is_counted && static_cast<size_t>(std::bit_width(deepest)) > tail.constants.size())
            tail.bounds.push_back({Feature::levels_below, 0, tail.constants.size() - 1});
        for (const Bound& side : tail.bounds) {
            uint64_t seen = 0, beyond = UINT64_MAX;
            for (const Labelled& l : labelled) {
                const uint64_t value = feature_of(side.feature, *l.shape, mode);
                const bool within_others = std::ranges::all_of(tail.bounds, [&](const Bound& other) {
                    return other.feature == side.feature || holds({other}, *l.shape, mode);
                });
                if (l.inside) seen = std::max(seen, value);
                if (!l.inside && within_others) beyond = std::min(beyond, value);
            }
            if (beyond != UINT64_MAX) out.gaps.push_back({side.feature, seen, beyond});
        }
        tail.bounds.push_back({Feature::levels, 2, UINT64_MAX});
        mode.tail = tail;
    }
}

}  // namespace tilewise
