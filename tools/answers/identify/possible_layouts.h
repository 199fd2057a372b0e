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
    std::string pattern;               ///< id; "" for rows in scan order
    std::string placed;                ///< where the strides come from: "as seen on NVIDIA H200", "without gaps", ..
    std::vector<std::string> devices;  ///< that were seen with the pattern
    /// The mode that has it by its definition; empty where the pattern is in the database, or rows in scan order.
    std::optional<ModeRequest> mode = {};
};

struct PossibleLayouts {
    std::vector<PossibleLayout> fitting;  ///< each layout once
    uint64_t too_large = 0;               ///< layouts that need more bytes than there are
};

/// Every known pattern of such elements, and the modes that texts define, with the strides that were observed at this
/// extent (elements), those of tiles without gaps, of rows of tiles in multiples of 2, 4 and 8, and those that would
/// fill the bytes; and rows in scan order with the common pitches. All begin at `base`.
PossibleLayouts possible_layouts(const db::Database& database, const Element& element, const Coord& extent,
                                 uint64_t base, uint64_t bytes);

}  // namespace tilewise
