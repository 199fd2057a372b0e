#include "tools/runs/validate/workbench.h"
#include "kernels/measure/measure.h"
#include "patterns/model/error.h"
#include "probe/formats/formats.h"
#include "tools/answers/gpu/known_device.h"
#include "tools/answers/pattern/choose_pattern.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

namespace {

constexpr Coord default_shape = {16, 16, 1, 1};

/// Shaders read such images, but hardly a device lets them be written.
bool is_only_read(std::string_view format) {
    const probe::Format* known = probe::find_format(format);
    return known != nullptr && (known->kind != probe::FormatKind::color || format.ends_with("_SRGB"));
}

/// Images of the format on the device, with the driver.
db::Filter images_of(const db::DeviceFact& device, const db::DriverFact& driver, const std::string& format) {
    db::Filter filter;
    filter.device = device.name;
    filter.driver = driver.info.empty() ? driver.version : driver.info;
    filter.format = format;
    filter.usage = is_only_read(format) ? "sampled" : "sampled,storage";
    return filter;
}

uint32_t invocations_of(const Coord& shape) { return static_cast<uint32_t>(element_count(shape)); }

}  // namespace

probe::DeviceInfo choose_device(const std::string& wanted) {
    probe::Workers workers;
    const std::vector<probe::DeviceInfo> devices = choose_devices(probe::list_devices(workers), wanted);
    if (devices.empty()) throw Error("there is no Vulkan device here");
    const auto gpu = std::ranges::find_if(devices, [](const auto& device) { return device.type != "cpu"; });
    return gpu == devices.end() ? devices.front() : *gpu;
}

std::unique_ptr<Workbench> open_workbench(const std::string& wanted) {
    auto bench = std::make_unique<Workbench>();
    bench->info = choose_device(wanted);
    bench->device = device_fact(bench->info);
    bench->driver = driver_fact(bench->info);
    vulkan::open_instance(bench->instance);
    if (bench->info.index >= bench->instance.devices.size())
        throw Error(fmt::format("{} went away; try again", bench->info.name));
    kernels::open_context(bench->context, bench->instance.devices[bench->info.index]);
    kernels::require_timestamps(bench->context);
    return bench;
}

bool is_pattern_known(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
                      const std::string& format) {
    const auto known = db::find_observations(database, images_of(device, driver, format));
    return std::ranges::any_of(known, [](const auto& row) { return row.fact.layout.has_value(); });
}

std::optional<LearnedPattern> find_learned_pattern(const db::Database& database, const probe::DeviceInfo& device,
                                                   const std::string& format) {
    const db::DeviceFact model = device_fact(device);
    const db::DriverFact driver = driver_fact(device);
    if (!is_pattern_known(database, model, driver, format)) return std::nullopt;
    const ChosenPattern chosen = choose_pattern(database, images_of(model, driver, format));
    LearnedPattern learned = {chosen.id, chosen.image.fact.layout->pattern, known_device(database, model, driver)};
    learned.device.max_invocations = device.max_invocations;
    if (learned.device.subgroup_size == 0) learned.device.subgroup_size = device.subgroup_size;
    learned.is_row = learned.pattern.is_linear() && memory_order(learned.pattern, default_shape).is_row_order();
    return learned;
}

LearnedPattern learned_pattern(const db::Database& database, const Workbench& bench, kernels::Format format) {
    const std::string name = kernels::traits_of(format).name;
    auto learned = find_learned_pattern(database, bench.info, name);
    if (!learned)
        throw Error(
            fmt::format("nothing is known of {} on {} ({}): run tilewise probe --device {} --formats {} first, "
                        "or tilewise measure, which does all of it (validate needs neither without --order learned)",
                        name, bench.device.name, driver_text(bench.driver), bench.info.index, name));
    learned->device.max_invocations = bench.context.max_invocations;
    return *std::move(learned);
}

kernels::Order derived_order(const LearnedPattern& learned, const WorkgroupQuestion& question) {
    if (learned.is_row) return {"learned", row_order(default_shape)};
    const WorkgroupChoice choice = choose_workgroup(learned.pattern, learned.device, question);
    return {"learned", choice.derivation.remap, choice.groups};
}

WorkgroupChoice choose_by_registers(const LearnedPattern& learned, WorkgroupQuestion question,
                                    const AskRegisters& ask) {
    const auto numbers = invocations_to_compare(learned.pattern, learned.device, question);
    if (numbers.size() == 1) return choose_workgroup(learned.pattern, learned.device, question);
    std::vector<Remap> remaps;
    for (const uint32_t invocations : numbers) {
        question.invocations = invocations;
        remaps.push_back(choose_workgroup(learned.pattern, learned.device, question).derivation.remap);
    }
    question.invocations.reset();
    const kernels::RegisterCounts registers = ask(remaps);
    for (size_t i = 0; i < numbers.size(); ++i)
        if (registers[i]) question.registers[numbers[i]] = *registers[i];
    return choose_workgroup(learned.pattern, learned.device, question);
}

WorkgroupQuestion question_of(const KernelCell& cell, const OrderedMethod& method) {
    return {.radius = cell.radius,
            .reads = method.reads,
            .extent = Extent_px{cell.size.width, cell.size.height, 1},
            .any_group_order = method.groups_in_any_order};
}

DerivedOrder derived_for_method(kernels::ImagePool& images, const LearnedPattern& learned, const KernelCell& cell,
                                const OrderedMethod& method) {
    const WorkgroupQuestion question = question_of(cell, method);
    if (learned.is_row || !method.registers) return {derived_order(learned, question)};
    const auto ask = [&](std::span<const Remap> remaps) {
        std::vector<kernels::Order> orders;
        for (const Remap& remap : remaps) orders.push_back({"learned", remap});
        return method.registers(images, cell, orders);
    };
    const WorkgroupChoice choice = choose_by_registers(learned, question, ask);
    return {{"learned", choice.derivation.remap, choice.groups},
            assumptions(choice, "the driver does not report them")};
}

kernels::Order learned_order(const LearnedPattern& learned, const Coord& shape) {
    if (learned.is_row) return {"learned", row_order(shape)};
    return {"learned", choose_workgroup(learned.pattern, learned.device, {.shape = shape}).derivation.remap};
}

std::vector<kernels::Order> orders_to_measure(const Workbench& bench, const std::vector<std::string>& names,
                                              const LearnedPattern* learned,
                                              const std::vector<kernels::Order>& derived) {
    std::vector<kernels::Order> orders;
    const auto add = [&](kernels::Order order) {
        const bool known = std::ranges::any_of(orders, [&](const kernels::Order& other) {
            return other.name == order.name && other.remap == order.remap && other.groups == order.groups;
        });
        if (!known && invocations_of(order.remap.shape) <= bench.context.max_invocations)
            orders.push_back(std::move(order));
    };
    for (const std::string& name : names) {
        if (name == "row") {
            for (const Coord& shape : {default_shape, Coord{32, 8, 1, 1}, Coord{64, 4, 1, 1}, Coord{32, 32, 1, 1}})
                add({name, row_order(shape)});
            for (const kernels::Order& order : derived)
                for (const GroupOrder& groups : {GroupOrder{}, order.groups})
                    add({name, row_order(order.remap.shape), groups});
        } else if (name == "morton") {
            for (const Coord& shape : {default_shape, Coord{8, 8, 1, 1}, Coord{32, 32, 1, 1}})
                add({name, morton_order(shape)});
            for (const kernels::Order& order : derived) add({name, morton_order(order.remap.shape)});
        } else if (name == "rdna") {
            add({name, rdna_order()});
        } else if (learned && !learned->is_row) {
            add(learned_order(*learned, default_shape));
            for (const kernels::Order& order : derived)
                for (const GroupOrder& groups : {order.groups, GroupOrder{}}) add({name, order.remap, groups});
            for (const Coord& shape : {Coord{8, 8, 1, 1}, Coord{32, 32, 1, 1}}) add(learned_order(*learned, shape));
        }
    }
    return orders;
}

}  // namespace tilewise
