// Names of formats in game engines and graphics libraries: Unity's "ARGBHalf", Unreal's "PF_FloatRGBA", Godot's
// "FORMAT_RGBAH".
#pragma once
#include <string_view>

namespace tilewise::probe {

/// Vulkan's name for a format, from an engine's name in upper case without the prefix of the enumeration; empty if
/// there is none. Names that two engines use for different formats are excluded.
std::string_view engine_format_name(std::string_view upper_name);

/// For a name that two engines use for different formats: which formats these are, and what to ask for instead;
/// otherwise empty.
std::string_view why_engine_format_is_open(std::string_view upper_name);

}  // namespace tilewise::probe
