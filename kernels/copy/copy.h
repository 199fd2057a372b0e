// Copies the source texel by texel: no kernel that reads and writes an image can be faster.
#pragma once
#include "kernels/image/check.h"

namespace tilewise::kernels {

/// Reading and writing, only reading, only writing.
enum class Traffic { copy, fetch, store };
/// The name in Job::method; `texels` as below.
std::string copy_name(uint32_t texels, Traffic traffic);

/// Each invocation takes `texels` texels, one above the other and one box of the order apart: with more than one, the
/// rate at which workgroups start does not matter.
Job texel_copy(ImagePool& pool, const References& references, Format format, Size size, const Order& order,
               uint32_t texels = 1, Traffic traffic = Traffic::copy);

}  // namespace tilewise::kernels
