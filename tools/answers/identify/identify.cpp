#include "tools/answers/identify/identify.h"
#include <algorithm>
#include <map>

namespace tilewise {

namespace {

using Begin = std::function<Advance(const char*)>;

// A reading is broken if at some border at least this share of the pairs across it is rougher than the pairs beside
// them: between a half and all.
constexpr double most_rough = 0.6;

TiledPicture picture_by(const Dump& dump, const Reading& reading) {
    return {dump.bytes, dump.extent, dump.channels, reading.layout()};
}

uint64_t hash_of_offsets(const Layout& layout, const Coord& extent) {
    const AxisTables tables(layout, extent);
    std::vector<uint64_t> row(extent[axis_x]);
    uint64_t hash = 0;
    for (uint32_t z = 0; z < extent[axis_z]; z++)
        for (uint32_t y = 0; y < extent[axis_y]; y++) {
            tables.row(y, z, 0, row.data());
            for (const uint64_t offset : row) hash = (hash ^ offset) * 0x9e3779b97f4a7c15 + (hash >> 29);
        }
    return hash;
}

/// The readings by roughness, the smoothest first.
std::vector<Reading> ranked_readings(const Dump& dump, std::vector<PossibleLayout> choices, const Begin& begin) {
    const Advance layouts = begin("layouts");
    std::map<uint64_t, Reading> readings;
    for (size_t i = 0; i < choices.size(); i++) {
        PossibleLayout& choice = choices[i];
        readings[hash_of_offsets(choice.layout, dump.extent)].choices.push_back(std::move(choice));
        tell(layouts, i + 1, choices.size());
    }
    const Advance pictures = begin("pictures");
    std::vector<Reading> ranked;
    for (auto& [hash, reading] : readings) {
        reading.noise = contrast_with_noise(picture_by(dump, reading));
        ranked.push_back(std::move(reading));
        tell(pictures, ranked.size(), readings.size());
    }
    std::ranges::stable_sort(ranked, {}, &Reading::roughness);
    return ranked;
}

/// The contrast of the first reading with each of the others, in their order. One that shows none of the first one's
/// texels, but padding or noise from elsewhere in the dump, is no better than noise.
std::vector<Contrast> contrasts_of_first(const Dump& dump, const std::vector<Reading>& ranking, const Begin& begin) {
    const Advance advance = begin("comparisons");
    std::vector<Contrast> result;
    for (size_t i = 1; i < ranking.size(); i++) {
        result.push_back(contrast(picture_by(dump, ranking[0]), picture_by(dump, ranking[i])));
        if (result.back().shared == 0 && ranking[i].noise.gain() < min_confidence) result.back() = ranking[0].noise;
        tell(advance, i, ranking.size() - 1);
    }
    return result;
}

/// Moves the reading that no other beats to the front, if there is one. Roughness alone would not be fair: a wrong
/// reading may show padding in place of a part of the picture. Then says how far the first reading stands out.
Verdict verdict_of(const Dump& dump, std::vector<Reading>& ranking, const Begin& begin) {
    const auto errors = &Contrast::standard_errors;
    std::vector<Contrast> rivals = contrasts_of_first(dump, ranking, begin);
    for (size_t turns = 0; turns < ranking.size() && !rivals.empty(); turns++) {
        const auto stronger = std::ranges::min_element(rivals, {}, errors);
        if (stronger->standard_errors > -min_standard_errors) break;
        const auto best = ranking.begin() + 1 + (stronger - rivals.begin());
        std::rotate(ranking.begin(), best, best + 1);
        rivals = contrasts_of_first(dump, ranking, begin);
    }
    const Contrast& noise = ranking.front().noise;
    Verdict verdict = {noise, {}, noise.gain(), noise.standard_errors, {}, false};
    if (!rivals.empty()) {
        verdict.rival = *std::ranges::min_element(rivals, {}, &Contrast::gain);
        verdict.confidence = std::min(verdict.confidence, verdict.rival->gain());
        verdict.standard_errors =
            std::min(verdict.standard_errors, std::ranges::min_element(rivals, {}, errors)->standard_errors);
    }
    const Border border = roughest_border(picture_by(dump, ranking.front()), min_standard_errors);
    if (border.rough >= most_rough) verdict.broken = border;
    verdict.found =
        verdict.confidence >= min_confidence && verdict.standard_errors >= min_standard_errors && !verdict.broken;
    return verdict;
}

}  // namespace

Identified identify_dump(const Dump& dump, std::vector<PossibleLayout> choices, const Begin& begin) {
    Identified identified;
    identified.ranking = ranked_readings(dump, std::move(choices), begin);
    identified.verdict = verdict_of(dump, identified.ranking, begin);
    return identified;
}

}  // namespace tilewise
