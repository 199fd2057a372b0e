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

/// Of workgroups of 256, 128 and 64 in the order that `order` gives for each, the largest for which the compiler takes no
/// more registers than for the next smaller one: more registers mean fewer invocations at a time. 256, or as many as the
/// device allows, where it does not tell.
uint32_t box_invocations(Workspace& workspace, const BoxRequest& request,
                         const std::function<Order(uint32_t invocations)>& order);

}  // namespace tilewise::kernels
