// The layouts that a dump of unknown origin may have.
#pragma once
#include "db/sqlite/database.h"
#include "patterns/model/layout.h"
#include "patterns/modes/defined_modes.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

struct PossibleLayout {
    Layout layout;
    std::string pattern;               ///< id, or the name of a kept pattern; "" for linear rows
    std::string placed;                ///< where the strides come from: "as seen on NVIDIA H200", "without gaps", ..
    std::vector<std::string> devices;  ///< that were seen with the pattern
    /// The mode that defines the pattern; empty if the pattern is from the database, or for linear rows.
    std::optional<ModeRequest> mode = {};
};

struct PossibleLayouts {
    std::vector<PossibleLayout> fitting;  ///< each layout once
    uint64_t too_large = 0;               ///< the number of layouts that need more bytes than there are
};

/// Every known and every kept pattern with such elements, and the modes that texts define. Each is tried with the strides that were
/// observed at this extent (in elements), with tiles without gaps, with rows of tiles padded to multiples of 2, 4 and
/// 8, and with rows that fill the bytes. Linear rows are tried with the common pitches. All layouts begin at `base`.
PossibleLayouts possible_layouts(const db::Database& database, const Element& element, const Coord& extent,
                                 uint64_t base, uint64_t bytes);

}  // namespace tilewise
