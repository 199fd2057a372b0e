// Execution of a plan.
#pragma once
#include "patterns/convert/plan.h"

namespace tilewise {

/// Converts a box without checking sizes: one side begins at the origin of the offsets, the other holds the box's rows.
/// `conversion.to` is filled in here.
void convert_box(Conversion conversion, const std::byte* from, std::byte* to);

}  // namespace tilewise
