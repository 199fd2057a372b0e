// Checks whether images created with a DRM format modifier lie as the modifier's name here says: each is created,
// probed and named, and the two modifier numbers are compared.
#pragma once
#include "patterns/model/advance.h"
#include "probe/learn/image_prober.h"
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewise {

enum class ModifierCheck : uint8_t {
    same,     ///< the pattern that was found has this modifier
    differs,  ///< it has another one
    unnamed,  ///< no modifier is known here for the pattern that was found
    unread,   ///< the device creates no such image, or it could not be read
};
const char* modifier_check_name(ModifierCheck check);

struct CheckedModifier {
    std::string format;
    probe::ModifierSupport offered;  ///< the modifier, and what the device reports about it
    ModifierCheck check = ModifierCheck::unread;
    std::optional<Layout> layout;            ///< as found; none if `unread`
    std::optional<uint64_t> found_modifier;  ///< of that layout's pattern
    std::string why_not;                     ///< if `unread`: why, for each route
};

/// Checks every modifier that the device lists for these formats, and skips formats without one; `done` is called with
/// each result.
void check_modifiers(probe::Workers& workers, const probe::DeviceInfo& device, std::span<const uint32_t> formats,
                     unsigned jobs, const std::function<void(const CheckedModifier&)>& done,
                     const Advance& advance = {});

}  // namespace tilewise
