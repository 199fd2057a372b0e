// What game engines and graphics libraries call formats: Unity's "ARGBHalf", Unreal's "PF_FloatRGBA", Godot's "FORMAT_RGBAH".
#pragma once
#include <string_view>

namespace tilewise::probe {

/// Vulkan's name for the format by an engine's, in upper case and without the prefix of the enumeration; else empty.
/// Names that two engines have for two formats are not among them.
std::string_view engine_format_name(std::string_view upper_name);

/// Of such a name by which two engines mean two formats: which, and what to ask for; else empty.
std::string_view why_engine_format_is_open(std::string_view upper_name);

}  // namespace tilewise::probe
