// A pattern that a question says outright: a mode that a published text defines, by its name or its DRM modifier; an
// equation; or one that the user kept under a name. No GPU is asked, and what is answered says whose word it is.
#pragma once
#include "db/facts/kept_pattern.h"
#include "patterns/model/image_layout.h"
#include "patterns/modes/defined_modes.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace tilewise {

struct SaidPattern {
    std::variant<ModeRequest, Layout> is;  ///< a layout is of no particular extent, but for the one below
    LayoutSource source = LayoutSource::given;
    std::string evidence;                                   ///< "as drm_fourcc.h defines block_linear, gobs=16"
    std::optional<std::array<uint64_t, 3>> extent_el = {};  ///< the layout's strides are those of that image
};

/// Likewise, where the modifier's number is known: by the mode that it stands for. Throws Error where it stands for
/// none that a text defines.
SaidPattern pattern_of_modifier(uint64_t modifier);

/// A mode by its definition. Throws UsageError where there is none.
SaidPattern pattern_of_mode(const ModeRequest& request);

/// An equation that was typed. Throws UsageError that names the bit that is wrong.
SaidPattern pattern_of_equation(const std::string& equation, const Element& element);

/// One that the user kept under a name.
SaidPattern pattern_kept(const db::KeptPattern& kept);

/// The layout of one level, of that many elements.
Layout said_layout(const SaidPattern& said, const Element& element, const Coord& extent);

/// The pattern alone.
Layout said_layout(const SaidPattern& said, const Element& element);

/// Throws UsageError for a pitch that is no multiple of what the mode's tiles are wide.
void check_pitch(const SaidPattern& said, const Element& element, uint64_t pitch);

}  // namespace tilewise
