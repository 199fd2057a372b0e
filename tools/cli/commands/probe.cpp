// tilewise probe: reads images of a device, solves and stores their layouts, and summarises what was found.
#include "patterns/model/drm_modifier.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/names.h"
#include "patterns/picture/picture.h"
#include "patterns/rules/rule_json.h"
#include "probe/formats/formats.h"
#include "probe/learn/image_prober.h"
#include "probe/learn/learn_rules.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/options/any_case.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/texts/lane_report.h"
#include "tools/cli/texts/probe_summary.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/probe/check_modifiers.h"
#include "tools/runs/probe/facts.h"
#include "tools/runs/probe/learning.h"
#include "tools/runs/probe/run.h"
#include "tools/runs/probe/usage_sizes.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <thread>

namespace tilewise {

namespace {

using Json = nlohmann::ordered_json;

struct ProbeOptions {
    std::string device, formats = "common", extents, type, usage, flags, compression = "default", routes = "all";
    std::vector<uint32_t> memory_types;
    std::optional<uint32_t> levels, layers, samples;
    unsigned jobs = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
    double time_limit = 20;
    uint64_t seed = 1;
    bool no_lanes = false, dry_run = false, learn = false, afresh = false, modifiers = false;
    std::vector<std::string> known;
};

probe::Request parse_request(const ProbeOptions& options) {
    probe::Request request;
    request.formats = split(options.formats);
    if (request.formats.empty()) throw UsageError("--formats names no format; write common, all or R8G8B8A8_UNORM,..");
    for (const std::string& text : split(options.extents)) {
        const Extent_px extent = parse_extent(text);
        request.extents.push_back({extent[0], extent[1], extent[2]});
    }
    if (!options.usage.empty()) request.usage = probe::usage_named(options.usage);
    if (options.routes != "all")
        for (const std::string& name : split(options.routes)) request.routes.push_back(probe::route_named(name));
    request.memory_types = options.memory_types;
    request.levels = options.levels.value_or(1);
    request.layers = options.layers.value_or(1);
    request.samples = options.samples.value_or(1);
    if (!options.type.empty()) request.type = image_type_from_name(options.type);
    if (!options.flags.empty()) request.flags = probe::image_flags_named(options.flags);
    request.compression = probe::compression_named(options.compression);
    return request;
}

void print_plan(const std::vector<std::vector<probe::Case>>& plans, const Globals& globals) {
    Json json = {{"cases", Json::array()}};
    for (const auto& cases : plans)
        for (const probe::Case& c : cases) {
            if (!globals.json) print_line(fmt::format("device {}: {}", c.device, probe::case_name(c)));
            const probe::Image& image = c.image;
            json["cases"].push_back({{"device", c.device},
                                     {"format", probe::format_name(image.format)},
                                     {"extent", image.extent_px},
                                     {"usage", probe::usage_names(image.usage)},
                                     {"flags", probe::flag_names(image)},
                                     {"image_type", image.type},
                                     {"levels", image.levels},
                                     {"layers", image.layers},
                                     {"samples", image.samples},
                                     {"level", c.level},
                                     {"layer", c.layer},
                                     {"aspect", probe::aspect_name(c.aspect)},
                                     {"route", probe::route_name(c.route)},
                                     {"memory_type", c.memory_type}});
        }
    if (globals.json) print_json(json);
}

void warn_of_aliasing(const std::vector<std::vector<probe::Case>>& plans) {
    for (const auto& cases : plans)
        for (const probe::Case& c : cases)
            if (c.route != probe::Route::host_copy) {
                print_note(
                    "The alias routes rely on behaviour that the Vulkan specification leaves undefined: every reading "
                    "is checked. Where a device has host-copy, prefer that.");
                return;
            }
}

/// Whether to suggest host copy: it reads images of one sample, if the device offers it, and must not just have been
/// tried.
bool may_read_by_host_copy(const ProbedDevice& device) {
    return std::ranges::any_of(device.device.routes,
                               [](const probe::RouteSupport& route) {
                                   return route.route == probe::Route::host_copy && route.offered;
                               }) &&
           std::ranges::all_of(device.results, [](const Probed& result) {
               return result.probed.image.samples == 1 && result.probed.route != probe::Route::host_copy;
           });
}

/// Names the most frequent result, and what may help.
std::string advice(const std::map<std::string, uint64_t>& counts, bool host_copy_is_left) {
    const auto max = std::max_element(counts.begin(), counts.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
    if (max == counts.end()) return "there was nothing to probe; try other --formats or --usage";
    static const std::map<std::string, const char*> help = {
        {"opaque", "the driver compresses or encrypts: try another --memory-type"},
        {"nothing-written", "the device's queue does nothing"},
        {"unsupported", "try other --formats, --usage or --route; see tilewise devices"},
        {"out-of-memory", "try smaller --extents, fewer --jobs or another --memory-type"},
        {"crashed", "try another --route, or another version of the driver"},
        {"timed-out", "try a longer --time-limit"},
        {"no-fit", "the tables were read but follow no known pattern; try another --route"}};
    const bool is_unread = max->first == "opaque" || max->first == "nothing-written";
    return fmt::format("{} of them {}; {}{}", max->second, max->first, help.at(max->first),
                       is_unread && host_copy_is_left ? "; try --route host-copy" : "");
}

/// Throws Error (exit code 1) with the reason if the probe is not reliable.
void fail_if_unreliable(const std::vector<ProbedDevice>& devices, uint64_t planned, const std::string& path) {
    std::map<std::string, uint64_t> counts;
    uint64_t done = 0, disagreements = 0;
    for (const ProbedDevice& device : devices) {
        for (const auto& [result, count] : count_results(device)) counts[result] += count;
        done += device.results.size();
        disagreements += device.disagreements.size();
    }
    if (interrupted)
        throw Error(fmt::format("interrupted: {} of {} readings are done and kept in {}; run it again for the rest",
                                done, planned, path));
    if (counts["exact"] == 0) {
        counts.erase("exact");
        throw Error(fmt::format("none of {} gave a layout: {}", counted(done, "reading"),
                                advice(counts, std::ranges::any_of(devices, may_read_by_host_copy))));
    }
    if (disagreements > 0)
        throw Error(
            fmt::format("{} readings disagree with an earlier one of the same image (listed above and kept); "
                        "try one --route or --memory-type at a time",
                        disagreements));
}

/// The lanes, measured at most once for each model and driver.
std::vector<LaneFacts> lanes_of(DeviceThreads& threads, db::Database& database, const ProbeOptions& options) {
    const std::vector<probe::DeviceInfo>& devices = threads.devices();
    const auto known = [&](size_t i) {
        return known_lanes(database, device_fact(devices[i]), driver_fact(devices[i]), print_warning);
    };
    std::vector<LaneFacts> lanes(devices.size());
    std::vector<size_t> unknown, likewise;
    for (size_t i = 0; i < devices.size(); ++i) {
        if (std::ranges::any_of(unknown,
                                [&](size_t other) { return share_model_and_driver(devices[other], devices[i]); })) {
            likewise.push_back(i);
            continue;
        }
        lanes[i] = known(i);
        if (lanes[i].launches.empty() && !options.no_lanes) unknown.push_back(i);
    }
    Progress progress("orders of lanes and workgroups");
    std::vector<LaneFacts> measured = measure_lanes(threads, unknown, database, interrupted, progress.listener());
    for (size_t i = 0; i < unknown.size(); ++i) lanes[unknown[i]] = std::move(measured[i]);
    for (const size_t i : likewise) lanes[i] = known(i);
    return lanes;
}

/// Adds the rules that --learn --json printed to a file. Throws Error of one line if the file is something else.
void add_rules_of(const std::string& path, std::vector<Rule>& rules) {
    const nlohmann::json json = parse_json(read_whole_file(path), path);
    try {
        for (const auto& device : json.at("devices"))
            for (const auto& kind : device.at("rules"))
                if (kind.contains("rule")) rules.push_back(rule_from_json(kind.at("rule")));
    } catch (const nlohmann::json::exception&) {
        throw Error(path + ": is not what tilewise --json probe --learn prints");
    } catch (const Error& error) {
        throw Error(path + ": " + error.what());
    }
}

std::chrono::milliseconds timeout_of(const ProbeOptions& options) {
    return std::chrono::milliseconds(static_cast<int64_t>(options.time_limit * 1000));
}

/// Stores the sizes that the device asks for with each usage; if its driver fails at that, only a note is printed.
void keep_and_tell_sizes(const probe::DeviceInfo& device, const AskedSizes& asked, db::Database& database) {
    keep_usage_sizes(device, asked, database);
    for (const std::string& failure : asked.failures) print_note(failure + ".");
}

/// Learns one device after another: the rules of one are tried first on the next.
void learn_devices(const ProbeOptions& options, const Globals& globals) {
    const probe::Request request = parse_request(options);
    if (request.flags & probe::image_flags_named("cube-compatible"))
        throw UsageError("--learn draws images of any shape, and cubes are square: leave --flags cube-compatible out");
    if (request.routes.size() > 1) throw UsageError("--learn reads by one route: give one");
    std::vector<Rule> given;
    for (const std::string& path : options.known) add_rules_of(path, given);
    DeviceThreads threads(options.device, options.jobs, timeout_of(options));
    db::Database database = open_to_write(globals);
    Json json = {{"database", database.path}, {"devices", Json::array()}};
    size_t rules = 0;
    std::vector<ImageType> types = {ImageType::two_d, ImageType::three_d};
    if (request.type) types = {*request.type};
    stop_on_signals();
    struct Stopped {};
    const std::string usage = request.usage ? probe::usage_names(request.usage) : "";
    std::vector<uint32_t> samples;
    if (options.samples) samples = {*options.samples};
    const auto route = request.routes.empty() ? std::nullopt : std::optional(request.routes.front());
    for (size_t i = 0; i < threads.devices().size() && !interrupted; ++i) {
        const probe::DeviceInfo& device = threads.devices()[i];
        if (!globals.json)
            print_line(fmt::format("{} (device {}), {}", device.name, device.index, driver_text(driver_fact(device))));
        Json of_device = {{"device", device.name}, {"rules", Json::array()}};
        const auto start = std::chrono::steady_clock::now();
        size_t probes = 0, asked = 0;
        Progress progress("images");
        const auto count = [&](size_t images) {
            progress.show(asked += images, device.name);
            if (interrupted) throw Stopped();
        };
        const auto keep = [&](const LearnedKind& kind) {
            progress.hide();
            probes += kind.probes;
            Json one = {{"formats", kind.formats}, {"image_type", kind.type}, {"samples", kind.samples},
                        {"probes", kind.probes},   {"known", kind.is_known},  {"why_not", kind.why_not}};
            if (keep_rule(device, kind, database)) {
                one["rule"] = to_json(*kind.rule);
                rules++;
            }
            of_device["rules"].push_back(std::move(one));
            if (!globals.json) print_line(outcome_of(kind));
            flush_stdout();
        };
        std::vector<Rule> known = given;
        if (!options.afresh) std::ranges::move(rules_known(database), std::back_inserter(known));
        const std::string asked_formats = to_lower(options.formats);
        const bool names_formats = asked_formats != "common" && asked_formats != "all";
        const std::vector<std::string> formats =
            names_formats ? probe::format_names_in(split(options.formats)) : formats_to_learn(device);
        const std::vector<std::string> unknown_sizes =
            formats_without_sizes(database, device, names_formats ? formats : formats_to_size(device));
        try {
            threads.run({i}, [&](size_t, probe::Workers& workers) {
                keep_and_tell_sizes(device, ask_usage_sizes(workers, device, unknown_sizes), database);
                const ImageProber prober = {workers, device, route, options.jobs, count};
                ImageSource images = images_of(prober);
                if (options.levels) images.max_levels = *options.levels;
                if (options.layers) images.max_layers = std::min(images.max_layers, *options.layers);
                learn_device(images, {formats, types, samples, usage, options.flags}, options.seed, std::move(known),
                             keep);
            });
        } catch (const Stopped&) {
            // What was learned before is stored and printed.
        }
        progress.hide();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        of_device["seconds"] = seconds;
        json["devices"].push_back(std::move(of_device));
        if (!globals.json) print_line(fmt::format("{} images asked for; {:.1f} s", probes, seconds));
    }
    if (globals.json) print_json(json);
    flush_stdout();
    if (interrupted)
        throw Error(fmt::format("interrupted; {} kept in {}: run it again for the rest",
                                rules == 1 ? "1 rule is" : fmt::format("{} rules are", rules), database.path));
    if (rules == 0) throw Error("no rule was learned; the lines above say why: try another --route or --formats");
}

Json json_of(const CheckedModifier& checked) {
    Json json = {{"format", checked.format},
                 {"modifier", drm_modifier_text(checked.offered.modifier)},
                 {"name", decode_modifier(checked.offered.modifier).name},
                 {"planes", checked.offered.planes},
                 {"features", probe::feature_names(checked.offered.features)},
                 {"largest",
                  {{"extent", checked.offered.max_extent_px},
                   {"levels", checked.offered.max_levels},
                   {"layers", checked.offered.max_layers}}},
                 {"result", modifier_check_name(checked.check)},
                 {"why_not", checked.why_not},
                 {"found", nullptr}};
    if (checked.layout)
        json["found"] = {
            {"pattern", pattern_id(checked.layout->pattern)},
            {"name", full_name(mode_of(checked.layout->pattern))},
            {"modifier", checked.found_modifier ? Json(drm_modifier_text(*checked.found_modifier)) : Json()}};
    return json;
}

Row row_of(const CheckedModifier& checked) {
    const probe::ModifierSupport& offered = checked.offered;
    const std::string largest =
        offered.max_extent_px[0] == 0 ? "-" : fmt::format("{}x{}", offered.max_extent_px[0], offered.max_extent_px[1]);
    return {checked.format,
            drm_modifier_text(offered.modifier),
            decode_modifier(offered.modifier).name,
            std::to_string(offered.planes),
            largest,
            modifier_check_name(checked.check),
            checked.layout ? pattern_title(checked.layout->pattern) : checked.why_not};
}

/// Nothing is stored: these images do not have optimal tiling.
void check_devices_modifiers(const ProbeOptions& options, const Globals& globals) {
    const std::vector<uint32_t> formats = probe::formats_in(parse_request(options).formats);
    DeviceThreads threads(options.device, options.jobs, timeout_of(options));
    Json json = {{"devices", Json::array()}};
    size_t asked = 0, differing = 0;
    for (size_t i = 0; i < threads.devices().size(); ++i) {
        const probe::DeviceInfo& device = threads.devices()[i];
        Json all = Json::array();
        std::vector<Row> rows = {{"FORMAT", "MODIFIER", "NAME", "PLANES", "LARGEST", "RESULT", "FOUND"}};
        Progress progress("modifiers");
        threads.run({i}, [&](size_t, probe::Workers& workers) {
            check_modifiers(
                workers, device, formats, options.jobs,
                [&](const CheckedModifier& checked) {
                    all.push_back(json_of(checked));
                    rows.push_back(row_of(checked));
                    asked++;
                    differing += checked.check == ModifierCheck::differs;
                },
                progress.listener());
        });
        progress.hide();
        json["devices"].push_back({{"device", device.name}, {"modifiers", std::move(all)}});
        if (globals.json) continue;
        print_line(fmt::format("{} (device {}), {}", device.name, device.index, driver_text(driver_fact(device))));
        if (rows.size() > 1) print_table(rows);
    }
    if (globals.json) print_json(json);
    flush_stdout();
    if (asked == 0)
        throw Error("no device here lists DRM format modifiers for these formats (VK_EXT_image_drm_format_modifier)");
    if (differing > 0)
        throw Error(
            fmt::format("{} of {} modifiers have another layout than their names say; please report the lines above",
                        differing, asked));
}

void probe_devices(const ProbeOptions& options, const Globals& globals) {
    if (options.learn) return learn_devices(options, globals);
    if (options.modifiers) return check_devices_modifiers(options, globals);
    const probe::Request request = parse_request(options);
    DeviceThreads threads(options.device, options.jobs, timeout_of(options));
    const auto plans = threads.run_all(
        [&](size_t i, probe::Workers& workers) { return probe::plan(workers, threads.devices()[i], request); });
    uint64_t total = 0;
    for (const auto& plan : plans) total += plan.size();
    if (options.dry_run) return print_plan(plans, globals);

    // Checked before the database is opened: it might be created without a single reading.
    if (total == 0)
        throw Error("none of 0 readings gave a layout: there was nothing to probe; try other --formats or --usage");

    db::Database database = open_to_write(globals);
    warn_of_aliasing(plans);
    stop_on_signals();
    const std::vector<LaneFacts> lanes = lanes_of(threads, database, options);
    std::vector<ProbedDevice> probed;
    {
        Progress progress("readings", total);
        const auto show = [&](uint64_t done, const std::string& name) { progress.show(done, name); };
        probed = run_probes(threads, database, plans, options.jobs, show, interrupted);
    }
    for (const ProbedDevice& each : probed) keep_and_tell_sizes(each.device, each.sizes, database);
    if (globals.json) {
        Json json = {{"tool_version", TILEWISE_VERSION},
                     {"database", database.path},
                     {"interrupted", interrupted.load()},
                     {"devices", Json::array()}};
        for (size_t i = 0; i < probed.size(); ++i) {
            json["devices"].push_back(summary_json(probed[i]));
            add_lane_json(lanes[i], json["devices"].back());
        }
        print_json(json);
    } else {
        for (size_t i = 0; i < probed.size(); ++i) {
            if (i > 0) print_text("\n");
            print_summary(probed[i]);
            print_columns(lane_rows(lanes[i]));
        }
    }
    flush_stdout();
    fail_if_unreliable(probed, total, database.path);
}

}  // namespace

void add_probe_command(CLI::App& app, const Globals& globals) {
    auto* command =
        app.add_subcommand("probe", "find out how a device lays out images: read, solve, store and summarise");
    auto options = std::make_shared<ProbeOptions>();
    command->add_option("-g,--device,--gpu", options->device,
                        "a device's number, name, product or chip; default: all devices");
    command->add_option("-f,--formats", options->formats, "common, all, or names: R8_UNORM,R8G8B8A8_UNORM")
        ->capture_default_str();
    auto* extents =
        command->add_option("-e,--extents", options->extents,
                            "in texels: 256x256,300x200,64x64x32; default: six, some of them not powers of two");
    auto* type =
        command->add_option("--image-type", options->type, "1D, 2D or 3D; default: 3D for extents with a depth");
    auto* usage = command->add_option(
        "--usage", options->usage, "sampled,storage,color,depth-stencil,input,host-transfer; default: sampled,storage");
    auto* flags =
        command->add_option("--flags", options->flags,
                            "mutable-format,cube-compatible,2d-array-compatible,alias,disjoint,sparse-residency,..");
    auto* compression =
        in_any_case(command->add_option("--compression", options->compression, "default, disabled or fixed-rate"))
            ->capture_default_str();
    auto* route = in_any_case(command->add_option("--route", options->routes, "alias,alias-map,host-copy, or all"))
                      ->capture_default_str();
    auto* memory_type = command
                            ->add_option("--memory-type", options->memory_types,
                                         "memory types by number; default: the device-local ones")
                            ->delimiter(',');
    auto* levels =
        command
            ->add_option("--levels", options->levels,
                         "mip levels of the images, where they can have as many; default: 1, with --learn all")
            ->check(CLI::Range(1U, max_image_levels));
    auto* layers = command
                       ->add_option("--layers", options->layers,
                                    "array layers of the images; default: 1; with --learn, the most that an image has")
                       ->check(CLI::Range(1U, max_image_layers));
    auto* samples = command
                        ->add_option("--samples", options->samples,
                                     "samples per texel; default: 1, with --learn all that can be read")
                        ->check(CLI::Range(1U, max_image_samples));
    command->add_option("--jobs", options->jobs, "worker processes per device")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    command->add_option("--time-limit", options->time_limit, "seconds for one image")
        ->check(CLI::Range(0.001, 86400.0))
        ->capture_default_str();
    command->add_flag("--no-lanes", options->no_lanes, "do not measure lanes and launch order where they are unknown");
    auto* learn = command->add_flag("--learn", options->learn,
                                    "learn the rules by which the device lays out any image, for tilewise layout");
    command->add_flag("--afresh", options->afresh, "learn without the rules already known, including the catalog's")
        ->needs(learn);
    command
        ->add_option("--known", options->known,
                     "first try the rules in this file, which --json probe --learn printed; may be given several times")
        ->needs(learn);
    command->add_option("--seed", options->seed, "random seed for the images that --learn draws")
        ->capture_default_str()
        ->needs(learn);
    auto* modifiers = command->add_flag(
        "--modifiers", options->modifiers,
        "create images with each DRM format modifier that the device lists, and check its name and layout");
    auto* dry_run = command->add_flag("--dry-run", options->dry_run, "print the plan and read nothing");
    // These options choose their images themselves.
    for (auto* option : {extents, compression, memory_type, dry_run}) {
        learn->excludes(option);
        modifiers->excludes(option);
    }
    for (auto* option : {type, usage, flags, route, levels, layers, samples, learn}) modifiers->excludes(option);
    command->callback([options, &globals] { probe_devices(*options, globals); });
}

}  // namespace tilewise
