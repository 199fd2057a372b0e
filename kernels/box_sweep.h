// The direct box blur in very many orders, made and checked so quickly that a thousand of them can be tried.
#pragma once
#include "kernels/box.h"
#include <optional>
#include <span>

namespace tilewise::kernels {

/// box_direct for each order; their pipelines are made on all cores. The first one is checked here and now: throws Error
/// where it is wrong, so that not all of them are compared with the reference in vain. `progress(n)`: so many are made.
std::vector<Job> box_sweep(Workspace& workspace, const BoxRequest& request, std::span<const Order> orders,
                           const std::function<void(size_t)>& progress = {});

/// The registers that the driver's compiler gives an invocation of box_direct in each order; none where it does not tell.
std::vector<std::optional<uint32_t>> box_registers(Workspace& workspace, const BoxRequest& request,
                                                   std::span<const Order> orders);

/// From `most` invocations of a workgroup down to 64, by halves: the largest for which the compiler takes no more registers
/// than for half as many. More registers mean fewer invocations at a time. `most` where nothing is known of registers.
uint32_t invocations_by_registers(uint32_t most,
                                  const std::function<std::optional<uint32_t>(uint32_t invocations)>& registers);

/// The same for box_direct, from 256 or as many as the device allows, in the order that `order` gives for each number:
/// pipelines are made to ask the driver. Throws Error where they cannot be.
uint32_t box_invocations(Workspace& workspace, const BoxRequest& request,
                         const std::function<Order(uint32_t invocations)>& order);

}  // namespace tilewise::kernels
