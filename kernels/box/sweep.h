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

constexpr uint32_t default_invocations = 256;  ///< of a workgroup

/// Of these numbers of invocations the one for which the compiler takes the fewest registers (registers[i] for preferred[i]),
/// as fewer registers mean that more invocations run at a time; of equal ones the first. The first of all where its registers
/// are not known.
uint32_t invocations_by_registers(std::span<const uint32_t> preferred,
                                  std::span<const std::optional<uint32_t>> registers);

/// The same for box_direct, in the order that `order` gives for each number: 256, 128, 64, and where the texels of a quad
/// take more than one sector of 32 bytes 512 and 1024, as far as the device allows. Pipelines are made to ask the driver:
/// throws Error where they cannot be.
uint32_t box_invocations(ImagePool& pool, const BoxRequest& request,
                         const std::function<Order(uint32_t invocations)>& order);

}  // namespace tilewise::kernels
