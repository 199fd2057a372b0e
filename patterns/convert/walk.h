// A plan, carried out.
#pragma once
#include "patterns/convert/plan.h"

namespace tilewise {

/// Converts a box without checking sizes: one side begins where offsets count from, the other holds the box's rows.
/// `conversion.to` is filled in.
void convert_box(Conversion conversion, const std::byte* from, std::byte* to);

}  // namespace tilewise
