// What layers and images are multiples of, and how they are aligned.
#include "patterns/model/bits.h"
#include "patterns/rules/learn/learner.h"
#include <algorithm>

namespace tilewise {

namespace {

constexpr uint64_t max_unit = 1 << 21;

}  // namespace

/// Of images by the mode of their level 0.
void Learner::fit_alignments() {
    for (size_t m = 0; m < out.rule.modes.size(); m++) {
        BlockMode& mode = out.rule.modes[m];
        std::vector<size_t> mine;
        for (const bool strict : {true, false}) {
            for (size_t i = 0; i < images.size(); i++)
                if (strict ? levels_of(i)[0].only(m) : levels_of(i)[0].can(m)) mine.push_back(i);
            if (!mine.empty()) break;
        }
        if (mine.empty()) continue;
        std::map<uint64_t, size_t> alignments;
        for (size_t i : mine) alignments[images[i].alignment]++;
        mode.alignment = std::ranges::max_element(alignments, {}, [](const auto& a) { return a.second; })->first;
    }
}

void Learner::fit_units() {
    std::vector<PlacedImage> placed;
    for (const ImageLayout& image : images) placed.push_back(place(out.rule, image));
    for (size_t m = 0; m < out.rule.modes.size(); m++) {
        BlockMode& mode = out.rule.modes[m];
        std::vector<uint64_t> units = {mode.pattern.tile_bytes, mode.alignment};  // the likely ones first
        for (uint64_t u = 1; u <= max_unit; u *= 2) units.push_back(u);
        std::vector<size_t> mine, several;
        for (size_t i = 0; i < images.size(); i++) {
            if (!placed[i].why_not.empty() || placed[i].levels.front().mode != m) continue;
            mine.push_back(i);
            if (outer_stride(i)) several.push_back(i);
        }
        mode.layer_unit = mode.image_unit = mode.alignment;
        const auto stride_of = [&](size_t i, uint64_t unit) {
            return placed[i].outer > 1 ? round_up(placed[i].outer_bytes, unit) : placed[i].outer_bytes;
        };
        const auto matches = [](const std::vector<size_t>& some, const auto& is_right) {
            return static_cast<size_t>(std::ranges::count_if(some, is_right));
        };
        if (!several.empty())
            mode.layer_unit = best_of(units, several.size(), [&](uint64_t unit) {
                return matches(several, [&](size_t i) {
                    const uint64_t within = hypothesis.tail && images[i].layers > 1 ? mode.alignment : 1;
                    return stride_of(i, unit) == *outer_stride(i) / within * within;
                });
            });
        if (!mine.empty())
            mode.image_unit = best_of(units, mine.size(), [&](uint64_t unit) {
                return matches(mine, [&](size_t i) {
                    return round_up(stride_of(i, mode.layer_unit) * placed[i].outer, unit) == images[i].bytes;
                });
            });
    }
}

}  // namespace tilewise
