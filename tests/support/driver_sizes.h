// What drivers behind tools/with-driver ask for, by Vulkan alone: tests/support/image_bytes.cpp asks them.
#pragma once
#include "patterns/model/image_kind.h"
#include "patterns/model/usage_sizes.h"
#include <span>
#include <string>
#include <vector>

namespace tilewise {

/// Of each image, both 0 where the driver does not offer it. Fails the test where the driver does not start.
std::vector<ImageSize> driver_sizes(const std::string& driver, std::span<const ImageKind> images);

}  // namespace tilewise
