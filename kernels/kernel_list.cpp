#include "kernels/kernel_list.h"
#include "kernels/average/average.h"
#include "kernels/bloom/bloom.h"
#include "kernels/box/box.h"
#include "kernels/brightest/brightest.h"
#include "kernels/histogram/histogram.h"
#include "kernels/mip_chain/mip_chain.h"
#include "kernels/separable/filter_method.h"
#include "kernels/separable/separable.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
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
    // Shows the value of the order if texels are read in another way, or if the compiler does not know the radius.
    const Size default_size = {16, 16};
    for (const Order& order : orders)
        if (shape_of(order.remap) == default_size && (order.name == "row" || order.name == "learned")) {
            jobs.push_back(box_direct(images, references, request, order, {Access::load}));
            jobs.push_back(box_direct(images, references, request, order, {Access::fetch, true}));
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

std::vector<Job> jobs_of_mip_chain(ImagePool& images, const References&, const KernelCell& cell,
                                   const std::vector<Order>& orders) {
    return mip_chain_jobs(images, cell.format, cell.size, one_of_each(orders));
}

std::vector<Job> jobs_of_histogram(ImagePool& images, const References&, const KernelCell& cell,
                                   const std::vector<Order>& orders) {
    return histogram_jobs(images, cell.format, cell.size, orders);
}

std::vector<Job> jobs_of_bloom(ImagePool& images, const References& references, const KernelCell& cell,
                               const std::vector<Order>& orders) {
    return bloom_jobs(images, references, cell.format, cell.size, orders, one_of_each(orders));
}

Job ordered_bloom(ImagePool& images, const References& references, const KernelCell& cell, const Order& order) {
    return bloom_direct(images, references, cell.format, cell.size, order);
}

Job ordered_box(ImagePool& images, const References& references, const KernelCell& cell, const Order& order) {
    return box_direct(images, references, {cell.format, cell.size, cell.radius}, order);
}

RegisterCounts box_registers(ImagePool& images, const KernelCell& cell, std::span<const Order> orders) {
    return box_direct_registers(images, {cell.format, cell.size, cell.radius}, orders);
}

FilterText own_filter(const KernelCell& cell) { return *cell.filter; }
template <FilterText (*filter)(double)>
FilterText built_in(const KernelCell&) {
    return filter(0);
}

template <FilterText (*filter)(const KernelCell&)>
Job ordered_filter(ImagePool& images, const References& references, const KernelCell& cell, const Order& order) {
    return separable_direct(images, references, {filter(cell), cell.format, cell.size, cell.radius}, order);
}

template <FilterText (*filter)(const KernelCell&)>
RegisterCounts filter_registers(ImagePool& images, const KernelCell& cell, std::span<const Order> orders) {
    return separable_direct_registers(images, {filter(cell), cell.format, cell.size, cell.radius}, orders);
}

template <Job (*method)(ImagePool&, Format, Size, const Order&)>
Job ordered(ImagePool& images, const References&, const KernelCell& cell, const Order& order) {
    return method(images, cell.format, cell.size, order);
}

Job average_in_one_dispatch(ImagePool& images, Format format, Size size, const Order& order) {
    return average_subgroups(images, format, size, order);
}

Job brightest_by_subgroups(ImagePool& images, Format format, Size size, const Order& order) {
    return brightest_subgroups(images, format, size, order);
}

template <size_t shape>
Job mip_chain_in_one_dispatch(ImagePool& images, Format format, Size size, const Order& order) {
    return mip_chain_one(images, format, size, order, mip_shapes[shape]);
}

Job histogram_in_one_dispatch(ImagePool& images, Format format, Size size, const Order& order) {
    return histogram_one(images, format, size, order);
}

bool has_subgroups(const Context& context) { return context.subgroup_size > 0; }

/// A separable filter, each pass of which reads along a line.
template <FilterText (*filter)(const KernelCell&)>
constexpr OrderedMethod direct_filter = {
    direct_name, false, true, nullptr, ordered_filter<filter>, Neighbourhood::lines, filter_registers<filter>};

constexpr OrderedMethod box_methods[] = {
    {direct_name, false, true, nullptr, ordered_box, Neighbourhood::square, box_registers}};
constexpr OrderedMethod gaussian_methods[] = {direct_filter<built_in<gaussian_filter>>};
constexpr OrderedMethod bilateral_methods[] = {direct_filter<built_in<bilateral_filter>>};
constexpr OrderedMethod own_filter_methods[] = {direct_filter<own_filter>};
constexpr OrderedMethod average_methods[] = {
    {"groupshared", false, false, nullptr, ordered<average_shared>},
    {average_subgroups_name, false, false, has_subgroups, ordered<average_in_one_dispatch>}};
constexpr OrderedMethod brightest_methods[] = {
    {"groupshared, one searches", true, false, nullptr, ordered<brightest_one_searches>},
    {"8x8 an invocation", false, false, nullptr, ordered<brightest_whole_square>},
    {"groupshared, tree", true, false, nullptr, ordered<brightest_tree>},
    {"2x2 an invocation, tree", true, false, nullptr, ordered<brightest_quads_tree>},
    {brightest_subgroups_name, true, false, has_brightest_subgroups, ordered<brightest_by_subgroups>}};
constexpr OrderedMethod mip_chain_methods[] = {
    {mip_chain_level_name, false, false, nullptr, ordered<mip_chain_by_level>},
    {"one dispatch, a tile each", true, false, nullptr, ordered<mip_chain_in_one_dispatch<0>>},
    {"one dispatch, 264 workgroups", true, false, nullptr, ordered<mip_chain_in_one_dispatch<1>>},
    {"one dispatch by the sampler, a tile each", true, false, nullptr, ordered<mip_chain_in_one_dispatch<2>>},
    {"one dispatch by the sampler, 396 workgroups", true, false, nullptr, ordered<mip_chain_in_one_dispatch<3>>}};
constexpr OrderedMethod histogram_methods[] = {
    {histogram_one_name, false, false, nullptr, ordered<histogram_in_one_dispatch>}};
constexpr OrderedMethod bloom_methods[] = {{direct_name, false, true, nullptr, ordered_bloom}};

constexpr KernelFamily families[] = {
    {"box", true, box_methods, box_jobs},
    {"gaussian", true, gaussian_methods, gaussian_jobs},
    {"bilateral", true, bilateral_methods, bilateral_jobs},
    {"average", false, average_methods, jobs_of_average, false, false},
    {"brightest", false, brightest_methods, jobs_of_brightest, false, false},
    {"mip-chain", false, mip_chain_methods, jobs_of_mip_chain},
    {"histogram", false, histogram_methods, jobs_of_histogram, false, false},
    {"bloom", false, bloom_methods, jobs_of_bloom, true},
};

}  // namespace

std::string cell_text(const KernelCell& cell) {
    const std::string text = fmt::format("{} {}", cell.kernel, traits_of(cell.format).name);
    return cell.radius == 0 ? text : fmt::format("{} radius {}", text, cell.radius);
}

std::span<const KernelFamily> kernel_families() { return families; }

const KernelFamily& family_named(const std::string& name) {
    std::vector<std::string> names;
    for (const KernelFamily& family : families) {
        if (name == family.name) return family;
        names.emplace_back(family.name);
    }
    throw UsageError(no_such_name("kernel", name, names));
}

bool is_in_squares(const std::string& kernel, const std::string& method) {
    for (const KernelFamily& family : families)
        for (const OrderedMethod& ordered : family.ordered)
            if (kernel == family.name && method == ordered.name) return ordered.in_squares;
    return false;
}

bool is_approximate(const std::string& method, std::string_view format) {
    const auto named = filter_method_named(method);
    const uint32_t needed = format == traits_of(Format::rgba32f).name ? 32 : 16;
    return (named && (sampling_of(*named) != Sampling::exact || precision_of(*named) < needed)) ||
           method == mip_chain_blits_name || std::ranges::any_of(mip_shapes, [&](const MipShape& shape) {
               return shape.is_sampled && method == mip_chain_one_name(shape);
           });
}

Neighbourhood read_by(const std::string& kernel) {
    for (const KernelFamily& family : families)
        if (kernel == family.name) return family.ordered.front().reads;
    return own_filter_methods[0].reads;
}

std::vector<OrderedMethod> ordered_methods(const Context& context, const KernelCell& cell) {
    const std::span<const OrderedMethod> all = cell.filter ? own_filter_methods : family_named(cell.kernel).ordered;
    std::vector<OrderedMethod> methods;
    for (const OrderedMethod& method : all)
        if (!method.runs_on || method.runs_on(context)) methods.push_back(method);
    return methods;
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
