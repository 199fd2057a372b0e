// Prints the meaning of a DRM format modifier.
#pragma once
#include "patterns/model/drm_modifier.h"

namespace tilewise {

/// Prints number, vendor, names and layout, one per line, and a table of the fields.
void print_modifier(const DrmModifier& modifier);

}  // namespace tilewise
