// Which of the possible layouts makes a picture of a dump.
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

/// Possible layouts that put every element at the same place: one picture.
struct Reading {
    std::vector<PossibleLayout> choices;
    Contrast noise;  ///< its neighbours and random pairs

    const Layout& layout() const { return choices.front().layout; }
    double roughness() const { return noise.first; }
};

/// What must be seen before a layout is said to be the one. Of some hundred readings of noise the best is by chance 2
/// or 3 standard errors above the next.
constexpr double min_standard_errors = 6, min_confidence = 0.1;

/// What speaks for the best reading.
struct Verdict {
    Contrast noise;                 ///< with random pairs
    std::optional<Contrast> rival;  ///< with the rival nearest to it
    double confidence = 0;          ///< by how much its own neighbours differ less: 0 not at all, 1 they are equal
    double standard_errors = 0;     ///< that this is above chance, at least
    std::optional<Border> broken;   ///< where it is so rough that blocks must lie at wrong places
    bool found = false;             ///< it stands out from noise and from the others, and is not broken
};

struct Identified {
    std::vector<Reading> ranking;  ///< the best first, the others by roughness
    Verdict verdict;
};

/// The choices are at least one layout, for each of which the dump is large enough. `begin(unit)` is called before
/// each part of the work, and gives what is told how far it is.
Identified identify_dump(const Dump& dump, std::vector<PossibleLayout> choices,
                         const std::function<Advance(const char* unit)>& begin);

}  // namespace tilewise
