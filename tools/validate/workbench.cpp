#include "tools/validate/workbench.h"
#include "kernels/measure/measure.h"
#include "patterns/model/error.h"
#include "tools/lookup/choose_pattern.h"
#include "tools/probing/facts.h"
#include "tools/probing/lane_order.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

namespace {

constexpr Coord customary_shape = {16, 16, 1, 1};

probe::DeviceInfo choose_one(const std::string& wanted) {
    probe::Workers workers;
    const std::vector<probe::DeviceInfo> devices = choose_devices(probe::list_devices(workers), wanted);
    if (devices.empty()) throw Error("there is no Vulkan device here");
    const auto gpu = std::ranges::find_if(devices, [](const auto& device) { return device.type != "cpu"; });
    return gpu == devices.end() ? devices.front() : *gpu;
}

LaneMatrix lanes_of(const db::Database& database, const Workbench& bench, uint32_t invocations) {
    return lane_order_for(database, bench.device, bench.driver, {invocations, 1, 1});
}

uint32_t invocations_of(const Coord& shape) { return static_cast<uint32_t>(element_count(shape)); }

}  // namespace

std::unique_ptr<Workbench> open_workbench(const std::string& wanted) {
    auto bench = std::make_unique<Workbench>();
    bench->info = choose_one(wanted);
    bench->device = device_fact(bench->info);
    bench->driver = driver_fact(bench->info);
    vulkan::open_instance(bench->instance);
    if (bench->info.index >= bench->instance.devices.size())
        throw Error(fmt::format("{} went away; try again", bench->info.name));
    kernels::open_context(bench->context, bench->instance.devices[bench->info.index]);
    kernels::require_timestamps(bench->context);
    return bench;
}

Learned learned_pattern(const db::Database& database, const Workbench& bench, kernels::Format format) {
    db::Filter filter;
    filter.device = bench.device.name;
    filter.driver = bench.driver.info.empty() ? bench.driver.version : bench.driver.info;
    filter.format = kernels::traits_of(format).name;
    filter.usage = "sampled,storage";
    const auto known = db::find_observations(database, filter);
    if (std::ranges::none_of(known, [](const auto& row) { return row.fact.layout.has_value(); }))
        throw Error(
            fmt::format("nothing is known of {} on {} ({}): run tilewise probe --device {} --formats {} first, "
                        "or leave out --order learned",
                        filter.format, bench.device.name, driver_text(bench.driver), bench.info.index, filter.format));
    const ChosenPattern chosen = choose_pattern(database, filter);
    Learned learned = {chosen.id, chosen.image.fact.layout->pattern};
    learned.is_row = learned.pattern.is_linear() && memory_order(learned.pattern, customary_shape).is_row_order();
    return learned;
}

kernels::Order derived_order(const db::Database& database, const Workbench& bench, const Learned& learned,
                             uint32_t radius, uint32_t invocations) {
    if (learned.is_row) return {"learned", row_order(customary_shape)};
    constexpr uint32_t usual_subgroup = 32;
    RemapRequest request;
    request.invocations = invocations;
    request.subgroup_size = bench.info.subgroup_size ? bench.info.subgroup_size : usual_subgroup;
    request.radius = radius;
    request.lane_order = lanes_of(database, bench, invocations);
    request.groups_in_rows = groups_start_in_rows(database, bench.device, bench.driver);
    request.subgroups_in_row = invocations > kernels::default_invocations;
    return {"learned", derive_remap(learned.pattern, request).remap};
}

kernels::Order derived_box_order(const db::Database& database, const Workbench& bench, kernels::ImagePool& images,
                                 const Learned& learned, const kernels::BoxRequest& request) {
    const auto order = [&](uint32_t invocations) {
        return derived_order(database, bench, learned, request.radius, invocations);
    };
    return order(kernels::box_invocations(images, request, order));
}

kernels::Order learned_order(const db::Database& database, const Workbench& bench, const Learned& learned,
                             const Coord& shape) {
    return {"learned", memory_order(learned.pattern, shape, lanes_of(database, bench, invocations_of(shape)))};
}

std::vector<kernels::Order> orders_to_measure(const db::Database& database, const Workbench& bench,
                                              const std::vector<std::string>& names, const Learned* learned,
                                              const std::vector<kernels::Order>& derived) {
    std::vector<kernels::Order> orders;
    const auto add = [&](kernels::Order order) {
        const bool known = std::ranges::any_of(orders, [&](const kernels::Order& other) {
            return other.name == order.name && other.remap == order.remap;
        });
        if (!known && invocations_of(order.remap.shape) <= bench.context.max_invocations)
            orders.push_back(std::move(order));
    };
    for (const std::string& name : names) {
        if (name == "row") {
            for (const Coord& shape : {customary_shape, Coord{32, 8, 1, 1}, Coord{64, 4, 1, 1}, Coord{32, 32, 1, 1}})
                add({name, row_order(shape)});
            for (const kernels::Order& order : derived) add({name, row_order(order.remap.shape)});
        } else if (name == "morton") {
            for (const Coord& shape : {customary_shape, Coord{8, 8, 1, 1}, Coord{32, 32, 1, 1}})
                add({name, morton_order(shape)});
            for (const kernels::Order& order : derived) add({name, morton_order(order.remap.shape)});
        } else if (name == "rdna") {
            add({name, rdna_order()});
        } else if (learned && !learned->is_row) {
            add(learned_order(database, bench, *learned, customary_shape));
            for (const kernels::Order& order : derived) add(order);
            for (const Coord& shape : {Coord{8, 8, 1, 1}, Coord{32, 32, 1, 1}})
                add(learned_order(database, bench, *learned, shape));
        }
    }
    return orders;
}

}  // namespace tilewise
