// The units of layers and images, and how they are aligned.
#include "patterns/model/bits.h"
#include "patterns/rules/learn/learner.h"
#include <algorithm>

namespace tilewise {

namespace {

constexpr uint64_t largest_unit = 1 << 21;

}  // namespace

/// By mode: the alignment of most images whose level 0 has that mode.
std::vector<uint64_t> Learner::alignments() const {
    std::vector<uint64_t> found;
    for (size_t m = 0; m < rule.modes.size(); m++) {
        found.push_back(rule.modes[m].alignment);
        std::vector<size_t> mine;
        for (const bool strict : {true, false}) {
            for (size_t i = 0; i < images.size(); i++)
                if (strict ? levels_of(i)[0].only(m) : levels_of(i)[0].can(m)) mine.push_back(i);
            if (!mine.empty()) break;
        }
        if (mine.empty()) continue;
        std::map<uint64_t, size_t> counts;
        for (size_t i : mine) counts[images[i].alignment]++;
        found.back() = std::ranges::max_element(counts, {}, [](const auto& a) { return a.second; })->first;
    }
    return found;
}

/// The rule with the units of layers and images. If several units explain equally many images of a mode, the one that
/// explains the most images of all modes is taken: a few images of a mode may well be multiples of more, or less, by
/// chance.
Rule Learner::with_units(Rule tried) const {
    std::vector<PlacedImage> placed;
    for (const ImageLayout& image : images) placed.push_back(place(tried, image));
    std::vector<BlockMode>& modes = tried.modes;
    std::vector<std::vector<size_t>> mine(modes.size()), several(modes.size());
    std::vector<std::optional<uint64_t>> strides(images.size());
    for (size_t i = 0; i < images.size(); i++) {
        if (!placed[i].why_not.empty()) continue;
        const uint32_t m = placed[i].levels.front().mode;
        mine[m].push_back(i);
        strides[i] = outer_stride(i, m);
        if (strides[i]) several[m].push_back(i);
    }
    const auto stride_of = [&](size_t i, uint64_t unit) {
        return placed[i].outer > 1 ? round_up(placed[i].outer_bytes, unit) : placed[i].outer_bytes;
    };
    const auto fit = [&](uint64_t BlockMode::*unit_of, const std::vector<std::vector<size_t>>& mine_of,
                         const auto& explains) {
        const auto count = [&](size_t m, uint64_t unit) {
            return static_cast<size_t>(
                std::ranges::count_if(mine_of[m], [&](size_t i) { return explains(modes[m], i, unit); }));
        };
        struct Option {
            /// One of these is not 0.
            uint64_t blocks, alignments, bytes;
            size_t explained = 0;
            uint64_t in(const BlockMode& mode) const {
                return blocks * mode.pattern.tile_bytes + alignments * mode.alignment + bytes;
            }
        };
        // The likely ones come first.
        std::vector<Option> options = {{1, 0, 0}, {0, 1, 0}};
        for (uint64_t bytes = 1; bytes <= largest_unit; bytes *= 2) options.push_back({0, 0, bytes});
        for (Option& option : options)
            for (size_t m = 0; m < modes.size(); m++) option.explained += count(m, option.in(modes[m]));
        std::ranges::stable_sort(options, std::greater(), &Option::explained);
        for (size_t m = 0; m < modes.size(); m++) {
            modes[m].*unit_of = modes[m].alignment;
            if (mine_of[m].empty()) continue;
            modes[m].*unit_of = best_of(options, mine_of[m].size(), [&](const Option& option) {
                                    return count(m, option.in(modes[m]));
                                }).in(modes[m]);
        }
    };
    fit(&BlockMode::layer_unit, several, [&](const BlockMode& mode, size_t i, uint64_t unit) {
        const uint64_t within =
            (hypothesis.tail || hypothesis.turned_layers) && images[i].layers > 1 ? mode.alignment : 1;
        return stride_of(i, unit) == *strides[i] / within * within;
    });
    fit(&BlockMode::image_unit, mine, [&](const BlockMode& mode, size_t i, uint64_t unit) {
        return round_up(stride_of(i, mode.layer_unit) * placed[i].outer, unit) == bytes_of(i);
    });
    return tried;
}

}  // namespace tilewise
