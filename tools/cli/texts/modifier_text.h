// What a DRM format modifier says, as lines.
#pragma once
#include "patterns/model/drm_modifier.h"

namespace tilewise {

/// Prints number, vendor, names and layout, a line each, and a table of its fields.
void print_modifier(const DrmModifier& modifier);

}  // namespace tilewise
