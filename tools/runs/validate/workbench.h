// Opens the device that kernels are measured on, in this process, and chooses the orders to measure there.
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

/// Once it exists, Vulkan runs in this process: any probing must be finished before.
struct Workbench {
    probe::DeviceInfo info;
    db::DeviceFact device;
    db::DriverFact driver;
    vulkan::Instance instance;
    kernels::Context context;
};

/// The device with that number or name; for "" the first one that is not a CPU, or else the first. Throws Error if
/// there is none.
probe::DeviceInfo choose_device(const std::string& wanted);

/// Opens that device. Throws Error if it has no queue for compute shaders or no timestamps.
std::unique_ptr<Workbench> open_workbench(const std::string& wanted);

/// What is known about how this device and driver lay out images of a format.
struct LearnedPattern {
    std::string id;  ///< of the pattern
    Pattern pattern;
    KnownDevice device;   ///< how the device runs workgroups
    bool is_row = false;  ///< linear: row order is memory order
};
/// Whether learned_pattern() would find one; `format` is Vulkan's name without VK_FORMAT_.
bool is_pattern_known(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
                      const std::string& format);
/// The pattern of the largest image of any format; none if nothing is known.
std::optional<LearnedPattern> find_learned_pattern(const db::Database& database, const probe::DeviceInfo& device,
                                                   const std::string& format);
/// The pattern of the largest image. Throws Error if nothing is known: the user can find it out with tilewise probe.
LearnedPattern learned_pattern(const db::Database& database, const Workbench& bench, kernels::Format format);

/// The workgroup that choose_workgroup() chooses for a kernel whose registers are not known.
kernels::Order derived_order(const LearnedPattern& learned, const WorkgroupQuestion& question);

/// Returns the registers of a kernel in each remap; none if the driver does not report them.
using AskRegisters = std::function<kernels::RegisterCounts(std::span<const Remap>)>;
/// The workgroup that choose_workgroup() chooses for a kernel whose registers can be asked for.
WorkgroupChoice choose_by_registers(const LearnedPattern& learned, WorkgroupQuestion question, const AskRegisters& ask);

struct DerivedOrder {
    kernels::Order order;
    std::vector<std::string> assumptions = {};  ///< lines
};
/// The question for a method of the cell's kernel: its radius, what it reads, the image, and whether its workgroups may
/// be dispatched in blocks.
WorkgroupQuestion question_of(const KernelCell& cell, const OrderedMethod& method);
/// The derived order for a method of a kernel. If its registers matter, pipelines are created to ask for them.
DerivedOrder derived_for_method(kernels::ImagePool& images, const LearnedPattern& learned, const KernelCell& cell,
                                const OrderedMethod& method);

/// Memory order in a box of that shape.
kernels::Order learned_order(const LearnedPattern& learned, const Coord& shape);

constexpr std::array<std::string_view, 4> order_names = {"row", "morton", "rdna", "learned"};

/// The orders `names` (from order_names): in 16x16 (rdna: 8x8), in the default shapes of each, and in those of
/// `derived`, as far as the device can run them. `learned` and `derived` may be missing if "learned" is not named, or
/// is row order.
std::vector<kernels::Order> orders_to_measure(const Workbench& bench, const std::vector<std::string>& names,
                                              const LearnedPattern* learned,
                                              const std::vector<kernels::Order>& derived);

}  // namespace tilewise
