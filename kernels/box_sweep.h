// The direct box blur in very many orders, made and checked so quickly that a thousand of them can be tried.
#pragma once
#include "kernels/box.h"
#include <span>

namespace tilewise::kernels {

/// box_direct for each order; their pipelines are made on all cores. The first one is checked against the reference here
/// and now: throws Error where it is wrong. check() of the others compares with that result on the device, bit by bit, and
/// asks the reference only where they differ. `progress(n)`: so many are made.
std::vector<Job> box_sweep(Workspace& workspace, const BoxRequest& request, std::span<const Order> orders,
                           const std::function<void(size_t)>& progress = {});

}  // namespace tilewise::kernels
