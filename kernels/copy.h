// The source, texel by texel: what no kernel that reads and writes an image can be faster than.
#pragma once
#include "kernels/job.h"

namespace tilewise::kernels {

Job texel_copy(Workspace& workspace, Format format, Size size, const Order& order);

}  // namespace tilewise::kernels
