// The kernels by name, each with all its methods.
#pragma once
#include "kernels/image/check.h"
#include "kernels/separable/filter.h"
#include "kernels/shader/registers.h"
#include "patterns/remap/policy.h"
#include <memory>
#include <span>

namespace tilewise {

/// What one run compares: the same result, computed in different ways.
struct KernelCell {
    /// One of kernel_families(), or the name of a user's filter.
    std::string kernel;
    kernels::Format format = kernels::Format::rgba8;
    kernels::Size size;
    uint32_t radius = 0;
    /// Set if the kernel is a user's filter.
    std::shared_ptr<const kernels::FilterText> filter = {};
};
/// For example "box R8G8B8A8_UNORM radius 3".
std::string cell_text(const KernelCell& cell);

/// A way to compute a kernel that can run in any order.
struct OrderedMethod {
    /// The name in Job::method.
    const char* name;
    /// The order is an order of 8x8 texels; otherwise, of a box of any shape.
    bool in_squares = false;
    /// Order::groups may be other than linear.
    bool groups_in_any_order = false;
    /// Null if the method runs on every device.
    bool (*runs_on)(const kernels::Context&) = nullptr;
    kernels::Job (*job)(kernels::ImagePool&, const kernels::References&, const KernelCell&, const kernels::Order&);
    /// The texels that it reads within the cell's radius.
    Neighbourhood reads = Neighbourhood::square;
    /// Counts the kernel's registers in each order; null if they do not matter.
    kernels::RegisterCounts (*registers)(kernels::ImagePool&, const KernelCell&,
                                         std::span<const kernels::Order>) = nullptr;
};

struct KernelFamily {
    const char* name;
    bool has_radius;
    std::span<const OrderedMethod> ordered;
    std::vector<kernels::Job> (*jobs)(kernels::ImagePool&, const kernels::References&, const KernelCell&,
                                      const std::vector<kernels::Order>&);
    /// May be true even without a radius.
    bool reads_neighbours = has_radius;
    bool writes_image = true;  ///< otherwise numbers, computed from any image that a sampler can read
};
std::span<const KernelFamily> kernel_families();
/// Throws UsageError naming the existing families.
const KernelFamily& family_named(const std::string& name);

/// Whether a kernel's method has squares of its own, so that orders apply within these (OrderedMethod::in_squares).
bool is_in_squares(const std::string& kernel, const std::string& method);

/// Whether the method rounds its results over images of the format (Vulkan's name) differently from the kernel's
/// definition: by samplers, or by shared memory with fewer bits per channel than halves, or than float32 if channels
/// are float32.
bool is_approximate(const std::string& method, std::string_view format);

/// What a kernel reads within its radius; a name that belongs to no family is that of a user's filter.
Neighbourhood read_by(const std::string& kernel);

/// The methods of the cell's kernel, or of its filter, that the device can run.
std::vector<OrderedMethod> ordered_methods(const kernels::Context& context, const KernelCell& cell);

/// The first order of each name: one shape is enough for methods with boxes of their own.
std::vector<kernels::Order> one_of_each(const std::vector<kernels::Order>& orders);

/// Every method, in every order that it can run in.
std::vector<kernels::Job> jobs_of(kernels::ImagePool& images, const kernels::References& references,
                                  const KernelCell& cell, const std::vector<kernels::Order>& orders);

}  // namespace tilewise
