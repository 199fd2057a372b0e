// Finds bounds that separate levels from others.
#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <bit>

namespace tilewise {

namespace {

/// The widest possible bound, or one at a power of two. The unit is the texels of a block.
uint64_t round_min(uint64_t low, uint64_t high, uint64_t unit) {
    const uint64_t power = std::bit_floor(high / unit) * unit;
    return power < low || low < 3 || std::has_single_bit(low - 1) ? low : power;
}

uint64_t round_max(uint64_t low, uint64_t high) {
    const uint64_t power = std::bit_ceil(std::min(low, high / 2 + 1));
    return power > high || std::has_single_bit(high + 1) ? high : power;
}

}  // namespace

std::optional<std::vector<Bound>> part(const std::vector<LabelledLevel>& labelled, const BlockMode& mode,
                                       std::span<const Feature> features, size_t max_bounds,
                                       std::vector<Learned::Gap>* gaps) {
    struct Half {
        Feature feature;
        bool is_min;
        uint64_t value;
        std::vector<char> excludes;
    };
    std::vector<const LevelShape*> outsiders;
    for (const LabelledLevel& l : labelled)
        if (!l.inside) outsiders.push_back(l.shape);
    if (outsiders.size() == labelled.size()) return std::nullopt;
    if (outsiders.empty()) return std::vector<Bound>();
    std::vector<Half> halves;
    for (Feature feature : features) {
        uint64_t min = UINT64_MAX, max = 0;
        for (const LabelledLevel& l : labelled)
            if (l.inside) {
                const uint64_t value = feature_of(feature, *l.shape, mode);
                min = std::min(min, value);
                max = std::max(max, value);
            }
        Half low = {feature, true, min, {}}, high = {feature, false, max, {}};
        for (const LevelShape* o : outsiders) {
            const uint64_t value = feature_of(feature, *o, mode);
            low.excludes.push_back(value < min);
            high.excludes.push_back(value > max);
        }
        halves.push_back(std::move(low));
        halves.push_back(std::move(high));
    }
    std::vector<char> excluded(outsiders.size());
    std::vector<size_t> chosen;
    while (std::ranges::count(excluded, 0) > 0) {
        size_t best = halves.size(), best_count = 0;
        for (size_t h = 0; h < halves.size(); h++) {
            size_t count = 0;
            for (size_t o = 0; o < outsiders.size(); o++) count += halves[h].excludes[o] && !excluded[o];
            if (count > best_count) {
                best_count = count;
                best = h;
            }
        }
        if (best == halves.size() || chosen.size() == max_bounds) return std::nullopt;
        chosen.push_back(best);
        for (size_t o = 0; o < outsiders.size(); o++) excluded[o] |= halves[best].excludes[o];
    }
    // Bounds that the others made superfluous are dropped.
    for (size_t c = chosen.size(); c-- > 0;) {
        std::ranges::fill(excluded, 0);
        for (size_t h : chosen)
            for (size_t o = 0; h != chosen[c] && o < outsiders.size(); o++) excluded[o] |= halves[h].excludes[o];
        if (std::ranges::count(excluded, 0) == 0) chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(c));
    }
    // Each bound is made as wide as the levels that it alone excludes allow: levels that could have either mode are no
    // evidence for the next one.
    for (size_t h : chosen) {
        Half& half = halves[h];
        const Element& element = labelled.front().shape->element;
        const uint64_t unit = half.feature == Feature::width_px ? element.width : 1;
        uint64_t nearest = half.is_min ? 0 : UINT64_MAX;
        for (size_t o = 0; o < outsiders.size(); o++) {
            if (std::ranges::any_of(chosen, [&](size_t c) { return c != h && halves[c].excludes[o]; })) continue;
            const uint64_t value = feature_of(half.feature, *outsiders[o], mode);
            nearest = half.is_min ? std::max(nearest, value) : std::min(nearest, value);
        }
        half.value = half.is_min ? round_min(nearest + 1, half.value, unit) : round_max(half.value, nearest - 1);
        for (size_t o = 0; o < outsiders.size(); o++) {
            const uint64_t value = feature_of(half.feature, *outsiders[o], mode);
            half.excludes[o] = half.is_min ? value < half.value : value > half.value;
        }
    }
    std::vector<Bound> bounds;
    for (size_t h : chosen) {
        const Half& half = halves[h];
        if (gaps) {
            uint64_t nearest = half.is_min ? UINT64_MAX : 0;
            for (const LabelledLevel& l : labelled) {
                if (!l.inside) continue;
                const uint64_t value = feature_of(half.feature, *l.shape, mode);
                nearest = half.is_min ? std::min(nearest, value) : std::max(nearest, value);
            }
            gaps->push_back(half.is_min ? Learned::Gap{half.feature, half.value - 1, nearest}
                                        : Learned::Gap{half.feature, nearest, half.value + 1});
        }
        const auto same = std::ranges::find(bounds, half.feature, &Bound::feature);
        Bound& bound = same == bounds.end() ? bounds.emplace_back(Bound{half.feature}) : *same;
        (half.is_min ? bound.min : bound.max) = half.value;
    }
    return bounds;
}

}  // namespace tilewise
