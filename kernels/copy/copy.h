// The source, texel by texel: what no kernel that reads and writes an image can be faster than.
#pragma once
#include "kernels/image/check.h"

namespace tilewise::kernels {

/// Both ways, only reading, only writing.
enum class Traffic { copy, fetch, store };
/// As Job::method has it; `texels` as below.
std::string copy_name(uint32_t texels, Traffic traffic);

/// `texels` of each invocation, below one another a box of the order apart: with more than one, the rate at which
/// workgroups start does not count.
Job texel_copy(ImagePool& pool, const References& references, Format format, Size size, const Order& order,
               uint32_t texels = 1, Traffic traffic = Traffic::copy);

}  // namespace tilewise::kernels
