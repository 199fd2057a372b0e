// The kernels by name, each with all its methods.
#pragma once
#include "kernels/image/check.h"
#include "kernels/separable/filter.h"
#include "kernels/shader/registers.h"
#include "patterns/remap/policy.h"
#include <memory>
#include <span>

namespace tilewise {

/// What is compared in one run: the same result, computed in different ways.
struct KernelCell {
    /// It is one of kernel_families(), or the name of a user's filter.
    std::string kernel;
    kernels::Format format = kernels::Format::rgba8;
    kernels::Size size;
    uint32_t radius = 0;
    /// The cell has it where the kernel is a user's filter.
    std::shared_ptr<const kernels::FilterText> filter = {};
};
/// It reads like "box R8G8B8A8_UNORM radius 3".
std::string cell_text(const KernelCell& cell);

/// A way to compute a kernel that can run in any order.
struct OrderedMethod {
    /// It is called as in Job::method.
    const char* name;
    /// The order is one of 8x8 texels; else of a box of any shape.
    bool in_squares = false;
    /// Order::groups may be another than linear.
    bool groups_in_any_order = false;
    /// It is null where the method runs on every device.
    bool (*runs_on)(const kernels::Context&) = nullptr;
    kernels::Job (*job)(kernels::ImagePool&, const kernels::References&, const KernelCell&, const kernels::Order&);
    /// It reads these within the cell's radius.
    Neighbourhood reads = Neighbourhood::square;
    /// Counts the kernel's registers in each order; null where they do not matter.
    kernels::RegisterCounts (*registers)(kernels::ImagePool&, const KernelCell&,
                                         std::span<const kernels::Order>) = nullptr;
};

struct KernelFamily {
    const char* name;
    bool has_radius;
    std::span<const OrderedMethod> ordered;
    std::vector<kernels::Job> (*jobs)(kernels::ImagePool&, const kernels::References&, const KernelCell&,
                                      const std::vector<kernels::Order>&);
    /// It reads some, though it has no radius.
    bool reads_neighbours = has_radius;
    bool writes_image = true;  ///< else numbers, of any image that a sampler reads
};
std::span<const KernelFamily> kernel_families();
/// Throws UsageError naming those that there are.
const KernelFamily& family_named(const std::string& name);

/// Whether a kernel's method has squares of its own, within which the order is (OrderedMethod::in_squares).
bool is_in_squares(const std::string& kernel, const std::string& method);

/// Methods whose results are rounded otherwise than the kernel's definition over images of the format (Vulkan's name):
/// by samplers, or by shared memory of fewer bits a channel than halves, or than float32 where channels are float32.
bool is_approximate(const std::string& method, std::string_view format);

/// What a kernel reads within its radius; a name that no family has is that of a user's filter.
Neighbourhood read_by(const std::string& kernel);

/// Those of the cell's kernel, or of its filter, that the device can run.
std::vector<OrderedMethod> ordered_methods(const kernels::Context& context, const KernelCell& cell);

/// The first of each name: one shape is enough where methods have boxes of their own.
std::vector<kernels::Order> one_of_each(const std::vector<kernels::Order>& orders);

/// Every method, in every order that it can run in.
std::vector<kernels::Job> jobs_of(kernels::ImagePool& images, const kernels::References& references,
                                  const KernelCell& cell, const std::vector<kernels::Order>& orders);

}  // namespace tilewise
