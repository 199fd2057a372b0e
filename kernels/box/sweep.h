// The direct box blur in very many orders, made and checked so quickly that a thousand of them can be tried.
#pragma once
#include "kernels/box/box.h"
#include <optional>
#include <span>

namespace tilewise::kernels {

/// box_direct for each order; their pipelines are made on all cores. The first one is checked here and now: throws Error
/// where it is wrong, so that not all of them are compared with the reference in vain. `progress(n)`: so many are made.
std::vector<Job> box_sweep(ImagePool& pool, const References& references, const BoxRequest& request,
                           std::span<const Order> orders, const std::function<void(size_t)>& progress = {});

/// The registers that the driver's compiler gives an invocation of box_direct in each order; none where it does not tell.
/// Pipelines are made to ask: throws Error where they cannot be.
std::vector<std::optional<uint32_t>> box_registers(ImagePool& pool, const BoxRequest& request,
                                                   std::span<const Order> orders);

}  // namespace tilewise::kernels
