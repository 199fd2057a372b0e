// The device that kernels are measured on, opened in this process, and the orders to measure there.
#pragma once
#include "db/query/query.h"
#include "kernels/image/pool.h"
#include "kernels/kernel_list.h"
#include "patterns/remap/workgroup.h"
#include "probe/probe.h"
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

/// The device with that number or name; for "" the first one that is no CPU, or else the first. Throws Error where there
/// is none.
probe::DeviceInfo choose_device(const std::string& wanted);

/// The same, opened. Throws Error where it has no queue for compute shaders or no timestamps.
std::unique_ptr<Workbench> open_workbench(const std::string& wanted);

/// What is known of how this device and driver lay out images of a format.
struct LearnedPattern {
    std::string id;  ///< of the pattern
    Pattern pattern;
    KnownDevice device;   ///< how it runs workgroups
    bool is_row = false;  ///< linear: row order is memory order
};
/// Whether learned_pattern() has one; `format` is Vulkan's name without VK_FORMAT_.
bool is_pattern_known(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
                      const std::string& format);
/// The pattern of the largest image of any format; none where nothing is known of it.
std::optional<LearnedPattern> find_learned_pattern(const db::Database& database, const probe::DeviceInfo& device,
                                                   const std::string& format);
/// The pattern of the largest image. Throws Error where nothing is known: tilewise probe finds it out.
LearnedPattern learned_pattern(const db::Database& database, const Workbench& bench, kernels::Format format);

/// The workgroup that choose_workgroup gives a kernel whose registers are not known.
kernels::Order derived_order(const LearnedPattern& learned, const WorkgroupQuestion& question);

/// The registers of a kernel in each remap; none where the driver does not tell.
using AskRegisters = std::function<kernels::RegisterCounts(std::span<const Remap>)>;
/// The workgroup that choose_workgroup gives a kernel whose registers can be asked for.
WorkgroupChoice choose_by_registers(const LearnedPattern& learned, WorkgroupQuestion question, const AskRegisters& ask);

struct DerivedOrder {
    kernels::Order order;
    std::vector<std::string> assumptions = {};  ///< lines
};
/// What a method of the cell's kernel asks: its radius, what it reads, the image, and whether its workgroups may be
/// dispatched in blocks.
WorkgroupQuestion question_of(const KernelCell& cell, const OrderedMethod& method);
/// The same for a method of a kernel: pipelines are made to ask, where its registers matter.
DerivedOrder derived_for_method(kernels::ImagePool& images, const LearnedPattern& learned, const KernelCell& cell,
                                const OrderedMethod& method);

/// Memory order in a box of that shape.
kernels::Order learned_order(const LearnedPattern& learned, const Coord& shape);

constexpr std::array<std::string_view, 4> order_names = {"row", "morton", "rdna", "learned"};

/// The orders `names` (of order_names) in 16x16 (rdna: 8x8), in the default shapes of each, and in those of
/// `derived`, as far as the device can run them. `learned` and `derived` may be missing where learned is not named, or
/// is row order.
std::vector<kernels::Order> orders_to_measure(const Workbench& bench, const std::vector<std::string>& names,
                                              const LearnedPattern* learned,
                                              const std::vector<kernels::Order>& derived);

}  // namespace tilewise
