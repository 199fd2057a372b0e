// A pattern that a question gives itself: a mode that a published text defines, by its name or its DRM modifier; an
// equation; or a pattern that the user kept under a name. No GPU is asked, and the answer says where the pattern comes
// from.
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
    std::variant<ModeRequest, Layout> is;  ///< a layout is for no particular extent, except for `extent_el`
    LayoutSource source = LayoutSource::given;
    std::string evidence;                                   ///< "as drm_fourcc.h defines block_linear, gobs=16"
    std::optional<std::array<uint64_t, 3>> extent_el = {};  ///< the image that the layout's strides are for
};

/// The pattern of the mode that a modifier's number stands for. Throws Error if it stands for no mode that a text
/// defines.
SaidPattern pattern_of_modifier(uint64_t modifier);

/// A mode by its definition. Throws UsageError if there is no such mode.
SaidPattern pattern_of_mode(const ModeRequest& request);

/// An equation that was typed. Throws UsageError that names the wrong bit.
SaidPattern pattern_of_equation(const std::string& equation, const Element& element);

/// A pattern that the user kept under a name.
SaidPattern pattern_kept(const db::KeptPattern& kept);

/// The layout of one level, of `extent` elements.
Layout said_layout(const SaidPattern& said, const Element& element, const Coord& extent);

/// The pattern's layout without an extent.
Layout said_layout(const SaidPattern& said, const Element& element);

/// Throws UsageError for a pitch that is no multiple of the width of the mode's tiles in bytes.
void check_pitch(const SaidPattern& said, const Element& element, const Coord& extent, uint64_t pitch);

}  // namespace tilewise
