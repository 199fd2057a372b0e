// Finds which of the possible layouts turns a dump into a picture.
#pragma once
#include "patterns/model/advance.h"
#include "tools/answers/identify/possible_layouts.h"
#include "tools/answers/identify/smoothness.h"
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tilewise {

/// The memory of an image of `extent` elements.
struct Dump {
    std::span<const std::byte> bytes;
    Coord extent = unit_extent;
    std::vector<Channel> channels;
};

/// Possible layouts that put every element at the same offset: they give one picture.
struct Reading {
    std::vector<PossibleLayout> choices;
    Contrast noise;  ///< between its neighbours and random pairs

    const Layout& layout() const { return choices.front().layout; }
    double roughness() const { return noise.first; }
};

/// The evidence that is needed before a layout counts as found. Among some hundred readings of noise, the best one is 2
/// or 3 standard errors above the next by chance.
constexpr double min_standard_errors = 6, min_confidence = 0.1;

/// The evidence for the best reading.
struct Verdict {
    Contrast noise;                 ///< with random pairs
    std::optional<Contrast> rival;  ///< with the nearest rival
    double confidence = 0;          ///< how much less its own neighbours differ: 0 no less, 1 they are equal
    double standard_errors = 0;     ///< how far this is above chance, at least
    std::optional<Border> broken;   ///< a border so rough that blocks must lie at wrong places
    bool found = false;             ///< it stands out from noise and from the others, and is not broken
};

struct Identified {
    std::vector<Reading> ranking;  ///< the best first, the others by roughness
    Verdict verdict;
};

/// Ranks the choices: at least one layout, each of which fits into the dump. `begin(unit)` is called before each part
/// of the work, and returns the function that its progress is reported to.
Identified identify_dump(const Dump& dump, std::vector<PossibleLayout> choices,
                         const std::function<Advance(const char* unit)>& begin);

}  // namespace tilewise
