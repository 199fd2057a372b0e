// The established name of a pattern, after drm_fourcc.h, AMD's address library and Mesa's drivers. It follows from the
// equation alone, never from a device's name.
#pragma once
#include "patterns/model/layout.h"
#include <string>
#include <string_view>

namespace tilewise {

/// A family of patterns that differ in one size: the bytes of an element, or the height of a block.
struct Mode {
    std::string name;  ///< "NVIDIA block-linear (Turing and later)"; empty if no name is known
    std::string size;  ///< which of the mode's patterns: "16 GOBs high"; empty if there is one per element size
    /// The name in drm_fourcc.h, with its fields: "NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)"; empty if there is none.
    std::string modifier;
    bool operator==(const Mode&) const = default;
};

/// The name for a corner that several modes have in common; small images show only such a corner.
inline constexpr std::string_view corner_mode = "corner of a block";

/// The mode of a pattern. A small image cannot tell apart modes that begin alike; `name` then lists all their names.
/// Example:
///     assert(mode_of(layout.pattern).name.find("64KB_R_X") != std::string::npos);
Mode mode_of(const Pattern& pattern);

/// "NVIDIA block-linear (Turing and later), 16 GOBs high: NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)".
/// Example:
///     assert(full_name(mode_of(layout.pattern)) == pattern_name(layout.pattern));
std::string full_name(const Mode& mode);
std::string pattern_name(const Pattern& pattern);  ///< the full name of its mode

/// A text that changes whenever the code of mode_of() does: modes stored under any other text may be out of date.
/// Example:
///     assert(naming_version().find_first_not_of("0123456789abcdef") == std::string_view::npos);
///     assert(naming_version().size() == 16);
std::string_view naming_version();

/// The mode of AMD's GFX9 and later with this equation, "64KB_R_X"; names.cpp knows the other modes.
/// Example:
///     assert(amd_mode(layout.pattern).name == "AMD 64KB_R_X");
///     assert(amd_mode(Pattern{}).name.empty());
Mode amd_mode(const Pattern& pattern);

/// Whether this is the equation of a small image in one of these modes.
/// Example:
///     assert(begins_amd_block(layout.pattern));
bool begins_amd_block(const Pattern& pattern);

/// Whether these rows of an equation, from the lowest up, are those of a corner of the block: each row is the same, or
/// 0 where the image ends before it.
/// Example:
///     assert(is_corner_of("x0 x1 0 y0", "x0 x1 x2 y0 y1"));
bool is_corner_of(std::string_view rows, std::string_view block);

}  // namespace tilewise
