// The sizes that drivers run by tools/with-driver ask for, through Vulkan alone: tests/support/image_bytes.cpp asks
// them.
#pragma once
#include "patterns/model/image_kind.h"
#include "patterns/model/usage_sizes.h"
#include <span>
#include <string>
#include <vector>

namespace tilewise {

/// The size of each image; 0 bytes and alignment 0 if the driver does not offer it. Fails the test if the driver does
/// not start.
std::vector<ImageSize> driver_sizes(const std::string& driver, std::span<const ImageKind> images);

}  // namespace tilewise
