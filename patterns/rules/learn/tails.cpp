// Tails: the small levels that share a block; and how the layer changes the place within a block.
#include "patterns/rules/learn/learner.h"
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <iterator>

namespace tilewise {

namespace {

/// The columns of a linear map that gives each of the layers times `factor` its value; one more, which is 0, if the
/// values do not depend on the highest bits. None if there is no such map. Columns that are left open are 0.
std::optional<std::vector<uint64_t>> columns_through(const std::map<uint32_t, uint64_t>& values, uint64_t factor) {
    struct Equation {
        uint64_t bits, sum;
    };
    std::vector<Equation> solved;
    for (const auto& [layer, value] : values) {
        Equation next = {layer * factor, value};
        for (const Equation& other : solved)
            if ((next.bits & std::bit_floor(other.bits)) != 0) next = {next.bits ^ other.bits, next.sum ^ other.sum};
        if (next.bits == 0 && next.sum != 0) return std::nullopt;
        if (next.bits == 0) continue;
        solved.push_back(next);
        std::ranges::sort(solved, std::greater(), &Equation::bits);
    }
    std::vector<uint64_t> columns;
    std::ranges::reverse(solved);
    for (const Equation& equation : solved) {
        const uint64_t top = std::bit_floor(equation.bits);
        columns.resize(static_cast<size_t>(std::bit_width(top)));
        columns.back() = equation.sum ^ gf2::apply(columns, equation.bits ^ top);
    }
    size_t used = columns.size();
    while (used > 0 && columns[used - 1] == 0) used--;
    columns.resize(std::min(used + 1, columns.size()));
    return columns;
}

}  // namespace

/// How the layer's index changes the place within a block, for each mode that the rule chooses.
std::vector<std::vector<uint64_t>> Learner::layer_xors() const {
    std::vector<std::vector<uint64_t>> xors(rule.modes.size());
    for (size_t i = 0; i < images.size(); i++) {
        if (images[i].layers == 1) continue;
        const auto modes = modes_of(rule, images[i]);
        if (!modes || !is_block(rule.modes[modes->front()].pattern)) continue;
        std::vector<uint64_t>& changes = xors[modes->front()];
        for (uint32_t bit = 0; (1U << bit) < images[i].layers; bit++) {
            const uint32_t layer = 1U << bit;
            const Subresource& part = *find_subresource(images[i], rule.aspect, 0, layer);
            const uint64_t there = offset_of(layout_of_layer(part, layer), {});
            if (changes.size() <= bit) changes.resize(bit + 1);
            changes[bit] = (there ^ levels_of(i)[0].first) % images[i].alignment;
        }
    }
    for (std::vector<uint64_t>& changes : xors)
        if (std::ranges::count(changes, 0) == std::ssize(changes)) changes.clear();
    return xors;
}

/// Whether the layers of an image lie in their blocks in different ways.
bool Learner::layers_turn() const {
    return std::ranges::any_of(images, [&](const ImageLayout& image) {
        if (image.layers == 1) return false;
        const Subresource &first = *find_subresource(image, rule.aspect, 0, 0),
                          &second = *find_subresource(image, rule.aspect, 0, 1);
        return layout_of_layer(second, 1).constant != first.layout.constant;
    });
}

/// Finds how the layer's index changes the place within the mode's block: by its bits, or by those of a multiple.
void Learner::turn_layers(BlockMode& mode, size_t m) const {
    constexpr uint32_t most_layers = 64;
    std::map<uint32_t, uint64_t> changes;
    for (size_t i = 0; i < images.size(); i++) {
        const SeenLevel& first = levels_of(i)[0];
        if (images[i].layers == 1 || !first.only(m) || !is_block(mode.pattern)) continue;
        for (uint32_t layer = 1; layer < std::min(images[i].layers, most_layers); layer++) {
            const Subresource& part = *find_subresource(images[i], rule.aspect, 0, layer);
            const uint64_t there = offset_of(layout_of_layer(part, layer), {});
            changes[layer] = (there ^ first.first) % mode.pattern.tile_bytes;
        }
    }
    if (std::ranges::all_of(changes, [](const auto& change) { return change.second == 0; })) return;
    for (const uint64_t factor : {1U, 3U, 5U, 7U}) {
        const auto columns = columns_through(changes, factor);
        if (!columns) continue;
        mode.layer_xor = *columns;
        mode.layer_factor = factor;
        return;
    }
}

/// Marks the last levels as tails if they share a block or are displaced within it.
void Learner::mark_tails() {
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

using LabelledLevels = std::vector<LabelledLevel>;

uint64_t longest_inside(const LabelledLevels& labelled, Feature feature, const BlockMode& mode) {
    uint64_t max = 0;
    for (const LabelledLevel& l : labelled)
        if (l.inside) max = std::max(max, feature_of(feature, *l.shape, mode));
    return max;
}

bool holds_outside(const std::vector<Bound>& bounds, const LabelledLevels& labelled, const BlockMode& mode) {
    return std::ranges::any_of(labelled,
                               [&](const LabelledLevel& l) { return !l.inside && holds(bounds, *l.shape, mode); });
}

/// The first box that contains the levels in tails and no others; empty if there is none. Its sides are powers of two
/// unless such a box contains a level that lies elsewhere. A limit on the number of levels in a block is also possible,
/// and more likely than a side that is not a power of two: a box gets such a side only where images that would show
/// more are missing.
std::vector<Bound> box_around(const LabelledLevels& labelled, const BlockMode& mode) {
    for (const bool rounded : {true, false})
        for (const bool counted : {false, true})
            for (const auto& features : tail_features) {
                std::vector<Bound> box;
                for (const Feature feature : features) {
                    const uint64_t max = longest_inside(labelled, feature, mode);
                    box.push_back({feature, 0, rounded ? std::bit_ceil(max) : max});
                }
                if (counted)
                    box.push_back({Feature::levels_below, 0, longest_inside(labelled, Feature::levels_below, mode)});
                if (!holds_outside(box, labelled, mode)) return box;
            }
    return {};
}

/// Whether deeper images than those seen to share a block could have more levels in it than were seen.
bool may_hold_more(const Tail& tail) {
    uint64_t deepest = 0;
    for (const Bound& side : tail.bounds) {
        if (side.feature == Feature::levels_below) return false;
        if (std::ranges::any_of(tail_features, [&](const auto& measures) { return side.feature == measures[2]; }))
            deepest = side.max;
    }
    return static_cast<size_t>(std::bit_width(deepest)) > tail.constants.size();
}

/// The range of values in which each side of the tail could lie.
std::vector<Learned::Gap> gaps_of(const Tail& tail, const LabelledLevels& labelled, const BlockMode& mode) {
    std::vector<Learned::Gap> gaps;
    for (const Bound& side : tail.bounds) {
        uint64_t seen = 0, beyond = UINT64_MAX;
        for (const LabelledLevel& l : labelled) {
            const uint64_t value = feature_of(side.feature, *l.shape, mode);
            const bool within_others = std::ranges::all_of(tail.bounds, [&](const Bound& other) {
                return other.feature == side.feature || holds({other}, *l.shape, mode);
            });
            if (l.inside) seen = std::max(seen, value);
            if (!l.inside && within_others) beyond = std::min(beyond, value);
        }
        if (beyond != UINT64_MAX) gaps.push_back({side.feature, seen, beyond});
    }
    return gaps;
}

}  // namespace

FoundTails Learner::tails() const {
    FoundTails found = {std::vector<std::optional<Tail>>(rule.modes.size()), {}};
    for (size_t m = 0; m < rule.modes.size(); m++) {
        const BlockMode& mode = rule.modes[m];
        Tail tail;
        LabelledLevels labelled;
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
        std::erase_if(labelled, [](const LabelledLevel& l) { return !l.inside && l.shape->levels == 1; });
        tail.bounds = box_around(labelled, mode);
        if (tail.bounds.empty()) continue;
        const bool is_deep =
            std::ranges::any_of(labelled, [](const LabelledLevel& l) { return l.shape->extent0_px[2] > 1; });
        std::vector<Bound> any_depth = tail.bounds;
        std::erase(any_depth, tail.bounds[2]);
        if (hypothesis.flat_tails && is_deep && !holds_outside(any_depth, labelled, mode)) tail.bounds = any_depth;
        // As many levels as were seen share a block. Deeper images have more levels that are as narrow: these lie
        // elsewhere.
        if (is_deep && may_hold_more(tail))
            tail.bounds.push_back({Feature::levels_below, 0, tail.constants.size() - 1});
        std::ranges::move(gaps_of(tail, labelled, mode), std::back_inserter(found.gaps));
        tail.bounds.push_back({Feature::levels, 2, UINT64_MAX});
        found.of_mode[m] = std::move(tail);
    }
    return found;
}

}  // namespace tilewise
