#include "tools/validate/kernel_list.h"
#include "kernels/average/average.h"
#include "kernels/box/box.h"
#include "kernels/brightest/brightest.h"
#include "kernels/separable/separable.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

using namespace kernels;

namespace {

std::vector<Job> box_jobs(ImagePool& images, const References& references, const KernelCell& cell,
                          const std::vector<Order>& orders) {
    std::vector<Job> jobs;
    const BoxRequest request = {cell.format, cell.size, cell.radius};
    jobs.reserve(orders.size());
    for (const Order& order : orders) jobs.push_back(box_direct(images, references, request, order));
    // What the order is worth where texels are read in another way, or the compiler does not know the radius.
    const Size default_size = {16, 16};
    for (const Order& order : orders)
        if (shape_of(order.remap) == default_size && (order.name == "row" || order.name == "learned")) {
            jobs.push_back(box_direct(images, references, request, order, Access::load));
            jobs.push_back(box_direct(images, references, request, order, Access::fetch, true));
        }
    jobs.push_back(box_running(images, references, request, running_shape(images.context, request)));
    return jobs;
}

std::vector<Job> gaussian_jobs(ImagePool& images, const References& references, const KernelCell& cell,
                               const std::vector<Order>& orders) {
    return separable_jobs(images, references, gaussian_filter(), cell.format, cell.size, cell.radius, orders);
}

std::vector<Job> bilateral_jobs(ImagePool& images, const References& references, const KernelCell& cell,
                                const std::vector<Order>& orders) {
    return separable_jobs(images, references, bilateral_filter(), cell.format, cell.size, cell.radius, orders);
}

std::vector<Job> jobs_of_average(ImagePool& images, const References&, const KernelCell& cell,
                                 const std::vector<Order>& orders) {
    return average_jobs(images, cell.format, cell.size, orders);
}

std::vector<Job> jobs_of_brightest(ImagePool& images, const References&, const KernelCell& cell,
                                   const std::vector<Order>& orders) {
    return brightest_jobs(images, cell.format, cell.size, one_of_each(orders));
}

constexpr KernelFamily families[] = {
    {"box", true, box_jobs},
    {"gaussian", true, gaussian_jobs},
    {"bilateral", true, bilateral_jobs},
    {"average", false, jobs_of_average},
    {"brightest", false, jobs_of_brightest},
};

}  // namespace

std::string cell_text(const KernelCell& cell) {
    const std::string text = fmt::format("{} {}", cell.kernel, traits_of(cell.format).name);
    return cell.radius == 0 ? text : fmt::format("{} radius {}", text, cell.radius);
}

std::span<const KernelFamily> kernel_families() { return families; }

const KernelFamily& family_named(const std::string& name) {
    std::string names;
    for (const KernelFamily& family : families) {
        if (name == family.name) return family;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", family.name);
    }
    throw UsageError(fmt::format("no kernel \"{}\"; there are: {}, all", name, names));
}

std::vector<Order> one_of_each(const std::vector<Order>& orders) {
    std::vector<Order> first;
    for (const Order& order : orders)
        if (std::ranges::count(first, order.name, &Order::name) == 0) first.push_back(order);
    return first;
}

std::vector<Job> jobs_of(ImagePool& images, const References& references, const KernelCell& cell,
                         const std::vector<Order>& orders) {
    if (cell.filter)
        return separable_jobs(images, references, *cell.filter, cell.format, cell.size, cell.radius, orders);
    return family_named(cell.kernel).jobs(images, references, cell, orders);
}

}  // namespace tilewise
