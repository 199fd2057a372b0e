// The device that kernels are measured on, opened in this process, and the orders to measure there.
#pragma once
#include "db/query/query.h"
#include "kernels/box/sweep.h"
#include "probe/probe.h"
#include <memory>
#include <optional>
#include <string_view>

namespace tilewise {

/// Vulkan runs in this process from here on: whatever is to be probed has been before.
struct Workbench {
    probe::DeviceInfo info;
    db::DeviceFact device;
    db::DriverFact driver;
    vulkan::Instance instance;
    kernels::Context context;
};

/// The device with that number or name; for "" the first one that is no CPU, or else the first. Throws Error where it
/// has no queue for compute shaders or no timestamps.
std::unique_ptr<Workbench> open_workbench(const std::string& wanted);

/// What the database knows of how this device and driver lay out images of a format.
struct Learned {
    std::string id;  ///< of the pattern
    Pattern pattern;
    bool is_row = false;  ///< linear: row order is memory order
};
/// The pattern of the largest image. Throws Error where nothing is known: tilewise probe finds it out.
Learned learned_pattern(const db::Database& database, const Workbench& bench, kernels::Format format);

/// The workgroup that derive_remap chooses for this device, with the orders of lanes and of workgroups that are known.
kernels::Order derived_order(const db::Database& database, const Workbench& bench, const Learned& learned,
                             uint32_t radius, uint32_t invocations = kernels::default_invocations);
/// The same for the direct box blur, of as many invocations as suit its registers: more than 256 only for their sake.
kernels::Order derived_box_order(const db::Database& database, const Workbench& bench, kernels::ImagePool& images,
                                 const Learned& learned, const kernels::BoxRequest& request);
/// Memory order in a box of that shape.
kernels::Order learned_order(const db::Database& database, const Workbench& bench, const Learned& learned,
                             const Coord& shape);

constexpr std::array<std::string_view, 4> order_names = {"row", "morton", "rdna", "learned"};

/// The orders `names` (of order_names) in 16x16 (rdna: 8x8), in the shapes that are customary for each, and in those of
/// `derived`, as far as the device can run them. `learned` and `derived` may be missing where learned is not named, or is
/// row order.
std::vector<kernels::Order> orders_to_measure(const db::Database& database, const Workbench& bench,
                                              const std::vector<std::string>& names, const Learned* learned,
                                              const std::vector<kernels::Order>& derived);

}  // namespace tilewise
