// tilewise devices: lists the devices here, what each offers for probing, and what is known about its lanes.
#include "patterns/model/error.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/texts/lane_report.h"
#include "tools/runs/figures/measure_figures.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/probe/facts.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>

namespace tilewise {

namespace {

using Json = nlohmann::ordered_json;

/// What is known about how a device runs kernels.
struct KnownRuns {
    LaneFacts lanes;
    FigureFacts figures;
};

Json device_json(const probe::DeviceInfo& device, const KnownRuns& known) {
    const db::DriverFact driver = driver_fact(device);
    Json json = {{"index", device.index},
                 {"name", device.name},
                 {"vendor_id", fmt::format("0x{:04x}", device.vendor_id)},
                 {"device_id", fmt::format("0x{:04x}", device.device_id)},
                 {"type", device.type},
                 {"uuid", device.device_uuid},
                 {"pci_address", device.pci_address},
                 {"api_version", driver.api_version},
                 {"driver",
                  {{"name", driver.name},
                   {"info", driver.info},
                   {"id", driver.id},
                   {"version", driver.version},
                   {"uuid", driver.uuid},
                   {"pipeline_uuid", driver.pipeline_uuid},
                   {"tiling_layout_uuid", driver.tiling_layout_uuid}}},
                 {"max_dimension_2d", device.max_dimension_2d},
                 {"max_dimension_3d", device.max_dimension_3d},
                 {"max_layers", device.max_layers},
                 {"timestamp_period_ns", device.timestamp_period},
                 {"subgroup_size", device.subgroup_size},
                 {"max_invocations", device.max_invocations},
                 {"max_group_size", device.max_group_size}};
    add_lane_json(known.lanes, json);
    add_figure_json(known.figures, json);
    Json& routes = json["routes"] = Json::array();
    for (const probe::RouteSupport& route : device.routes)
        routes.push_back(
            {{"route", probe::route_name(route.route)}, {"offered", route.offered}, {"reason", route.reason}});
    Json& types = json["memory_types"] = Json::array();
    for (const probe::MemoryType& type : device.memory_types)
        types.push_back(
            {{"flags", probe::memory_flag_names(type.flags)}, {"heap", type.heap}, {"heap_bytes", type.heap_bytes}});
    Json& queues = json["queues"] = Json::array();
    for (const probe::QueueFamily& queue : device.queues)
        queues.push_back({{"flags", probe::queue_flag_names(queue.flags)},
                          {"count", queue.count},
                          {"timestamp_bits", queue.timestamp_bits}});
    json["extensions"] = device.extensions;
    Json& formats = json["formats"] = Json::array();
    for (const probe::FormatSupport& format : device.formats) formats.push_back(probe::format_name(format.format));
    return json;
}

void print_device(const probe::DeviceInfo& device, const KnownRuns& known) {
    const db::DriverFact driver = driver_fact(device);
    print_line(fmt::format("{}: {} ({}), {}, Vulkan {}", device.index, device.name, device.type, driver_text(driver),
                           driver.api_version));
    std::vector<Row> rows;
    for (const probe::RouteSupport& route : device.routes)
        rows.push_back({rows.empty() ? "routes" : "", probe::route_name(route.route),
                        route.offered ? "yes" : "no: " + route.reason});
    for (size_t i = 0; i < device.memory_types.size(); ++i) {
        const probe::MemoryType& type = device.memory_types[i];
        rows.push_back({i == 0 ? "memory types" : "", std::to_string(i),
                        fmt::format("{} (heap {}, {} MiB)", probe::memory_flag_names(type.flags), type.heap,
                                    type.heap_bytes >> 20)});
    }
    for (size_t i = 0; i < device.queues.size(); ++i) {
        const probe::QueueFamily& queue = device.queues[i];
        const std::string timestamps =
            queue.timestamp_bits == 0 ? "no timestamps" : fmt::format("{} timestamp bits", queue.timestamp_bits);
        rows.push_back({i == 0 ? "queues" : "", std::to_string(i),
                        fmt::format("{} x {}, {}", queue.count, probe::queue_flag_names(queue.flags), timestamps)});
    }
    rows.push_back({"subgroup", std::to_string(device.subgroup_size), "invocations"});
    const std::vector<Row> lane_facts = lane_rows(known.lanes), figures = figure_rows(known.figures);
    rows.insert(rows.end(), lane_facts.begin(), lane_facts.end());
    if (lane_facts.empty())
        rows.push_back({"lanes", "unknown", "tilewise probe and tilewise devices --measure measure them"});
    rows.insert(rows.end(), figures.begin(), figures.end());
    rows.push_back({"images", fmt::format("{0}x{0}", device.max_dimension_2d),
                    fmt::format("at most; {0}x{0}x{0} in 3D; {1} layers; {2} formats with optimal tiling",
                                device.max_dimension_3d, device.max_layers, device.formats.size())});
    for (size_t i = 0; i < device.extensions.size(); ++i)
        rows.push_back({i == 0 ? "extensions" : "", device.extensions[i]});
    print_columns(rows, 3);
}

void print_devices(const std::vector<probe::DeviceInfo>& devices, const std::vector<KnownRuns>& known,
                   const Globals& globals) {
    Json json = {{"devices", Json::array()}};
    for (size_t i = 0; i < devices.size(); ++i) {
        if (globals.json)
            json["devices"].push_back(device_json(devices[i], known[i]));
        else
            print_device(devices[i], known[i]);
    }
    if (globals.json) print_json(json);
}

void list_devices(const Globals& globals) {
    probe::Workers workers;
    const std::vector<probe::DeviceInfo> devices = probe::list_devices(workers);
    const db::Database database = open_if_there(globals);
    std::vector<KnownRuns> known;
    known.reserve(devices.size());
    for (const probe::DeviceInfo& device : devices) {
        const db::DeviceFact fact = device_fact(device);
        const db::DriverFact driver = driver_fact(device);
        known.push_back({known_lanes(database, fact, driver, print_warning), known_figures(database, fact, driver)});
    }
    print_devices(devices, known, globals);
}

bool runs_kernels(const LaneFacts& lanes) {
    return !lanes.launches.empty() && lanes.launches.front().visit != "not visible";
}

void measure_devices(const Globals& globals) {
    DeviceThreads threads("", 1, probe::default_timeout);
    db::Database database = open_to_write(globals);
    std::vector<size_t> all(threads.devices().size());
    std::iota(all.begin(), all.end(), size_t{0});
    std::vector<KnownRuns> known;
    stop_on_signals();
    Progress progress("orders");
    for (LaneFacts& lanes : measure_lanes(threads, all, database, interrupted, progress.listener()))
        known.push_back({std::move(lanes), {}});
    progress.hide();
    // One device after another, each model once: anything that runs at the same time would be measured, too.
    const std::vector<probe::DeviceInfo>& devices = threads.devices();
    for (size_t i = 0; i < devices.size() && !interrupted; ++i) {
        const auto same = std::ranges::find_if(
            devices, [&](const probe::DeviceInfo& device) { return share_model_and_driver(device, devices[i]); });
        if (const auto first = static_cast<size_t>(same - devices.begin()); first < i)
            known[i].figures = known[first].figures;
        else if (runs_kernels(known[i].lanes))
            known[i].figures = measure_figures(devices[i], database);
        else
            known[i].figures.failures.push_back({"figures", "no workgroup of a dispatch was seen to run"});
    }
    print_devices(devices, known, globals);
    flush_stdout();
    if (interrupted)
        throw Error(
            fmt::format("interrupted; what was measured is kept in {}: run it again for the rest", database.path));
}

}  // namespace

void add_devices_command(CLI::App& app, const Globals& globals) {
    auto* command =
        app.add_subcommand("devices", "list the Vulkan devices of this machine and what each offers for probing");
    auto measure = std::make_shared<bool>(false);
    command->add_flag("--measure", *measure,
                      "measure and store which invocation runs in which lane, how workgroups launch, and how fast "
                      "workgroups and their fetches are");
    command->callback([measure, &globals] { *measure ? measure_devices(globals) : list_devices(globals); });
}

}  // namespace tilewise
