// The registers that a driver's compiler gives the direct box blur.
#pragma once
#include "kernels/box/box.h"
#include <optional>
#include <span>

namespace tilewise::kernels {

/// Of an invocation of box_direct in each order; none where the driver does not tell. Pipelines are made to ask: throws
/// Error where they cannot be.
std::vector<std::optional<uint32_t>> box_registers(ImagePool& pool, const BoxRequest& request,
                                                   std::span<const Order> orders);

}  // namespace tilewise::kernels
