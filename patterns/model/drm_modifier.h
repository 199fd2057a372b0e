// The number of a DRM format modifier, as drm_fourcc.h puts it together: the vendor in the top 8 bits, and what the
// vendor says in the others.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewise {

/// The number of a modifier as Mode has it: "NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)", "I915_FORMAT_MOD_4_TILED". None
/// where there is no modifier, and where a field is not known: a block as high as its image has another height in
/// each.
std::optional<uint64_t> drm_modifier_number(std::string_view modifier);

/// "0x0300000000606014", or empty.
std::string drm_modifier_text(std::string_view modifier);
std::string drm_modifier_text(uint64_t number);

}  // namespace tilewise
