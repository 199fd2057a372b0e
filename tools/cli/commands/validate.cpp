// tilewise validate: is the learned order worth it here? Kernels in every order are checked, timed, and the times
// stored.
#include "db/facts/json.h"
#include "kernels/copy/copy.h"
#include "kernels/shader/cache.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "probe/formats/formats.h"
#include "system/files.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/options/any_case.h"
#include "tools/cli/options/kernel_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/texts/cell_text.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/probe/facts.h"
#include "tools/runs/validate/each_device.h"
#include "tools/runs/validate/rehearse.h"
#include "tools/runs/validate/workbench.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>

namespace tilewise {

using namespace kernels;

namespace {

using Json = nlohmann::ordered_json;

struct ValidateOptions {
    std::string device, kernels = "box", filter, formats, extent = "4096x4096", orders = "row,morton,rdna,learned";
    std::string cache, shaders = "changed";
    std::vector<uint32_t> radii = {1, 2, 3, 4, 8, 16};
    double seconds = 10;
};

const std::map<std::string, CacheMode> cache_modes = {
    {"cached", CacheMode::use_cached}, {"changed", CacheMode::compile_changes}, {"all", CacheMode::compile_all}};

struct Plan {
    std::vector<std::string> kernels, orders;
    std::shared_ptr<const FilterText> filter;
    std::vector<Format> formats;
    Size size;
    std::vector<uint32_t> radii;
};

Plan plan_of(const ValidateOptions& options) {
    Plan plan;
    if (!options.filter.empty())
        plan.filter = std::make_shared<const FilterText>(filter_in(options.filter));
    else
        plan.kernels = listed_kernels(options.kernels);
    plan.orders = split(options.orders);
    for (const std::string& name : plan.orders)
        if (std::ranges::count(order_names, name) == 0)
            throw UsageError(no_such_name("order", name, {order_names.begin(), order_names.end()}));
    for (const std::string& name : split(options.formats))
        plan.formats.push_back(format_of(probe::format_named(name).name));
    if (plan.formats.empty()) plan.formats.assign(all_formats.begin(), all_formats.end());
    const Extent_px extent = parse_extent(options.extent);
    if (extent[2] != 1) throw UsageError("--extent: kernels run over images without depth; write 4096x4096");
    plan.size = {extent[0], extent[1]};
    plan.radii = options.radii;
    if ((plan.kernels.empty() && !plan.filter) || plan.orders.empty() || plan.radii.empty())
        throw UsageError("--kernel, --order and --radius each need at least one value");
    require_radii(plan.kernels, plan.radii);
    return plan;
}

/// A run over many cells, with all its results so far.
struct Run {
    Workbench& bench;
    db::Database& database;
    Limits limits;
    bool json = false;
    std::vector<CellResult> results = {};
    double bandwidth = 0;             // in bytes per millisecond
    std::set<std::string> said = {};  // lines already printed to stderr
};

void print_cell(const std::string& name, const CellResult& result) {
    const std::vector<Row> rows = cell_rows(result);
    const std::vector<std::string> lines = failure_lines(result);
    print_line(name);
    print_table(rows, 2);
    for (const std::string& line : lines) print_line("  " + line);
    flush_stdout();
}

/// The result is stored and printed at once: a later cell may crash the program.
void measure_cell(Run& run, const KernelCell& cell, const LearnedPattern* learned, std::vector<Job> jobs,
                  Progress& progress) {
    const std::string name = cell_text(cell);
    const auto show = [&](const char* phase, double done, double total) {
        progress.show(run.results.size(), fmt::format("{}: {} {:.0f}%", name, phase, 100 * done / total));
    };
    Measurements measured = measure(run.bench.context, jobs, run.limits, show);
    // The time for the minimum traffic is not known while copies are measured.
    const double bandwidth = cell.kernel == "copy" ? 0 : run.bandwidth;
    CellResult result = cell_result(cell, learned ? learned->id : "", std::move(jobs), std::move(measured), bandwidth);
    keep(run.database, run.bench.device, run.bench.driver, result);
    if (!run.json) print_cell(name, result);
    run.results.push_back(std::move(result));
}

bool failed(const Run& run) { return !run.results.empty() && !run.results.back().measured.failure.empty(); }

/// How many texels an invocation copies.
constexpr uint32_t copied_texels[] = {1, 4};

bool is_copy(const Job& job) {
    return std::ranges::any_of(copied_texels,
                               [&](uint32_t texels) { return job.method == copy_name(texels, Traffic::copy); });
}

/// Measures copies and fetches in each format, and takes the bytes per millisecond of the fastest copy: mostly one with
/// the largest texels.
void measure_bandwidth(Run& run, const Plan& plan, const std::map<Format, LearnedPattern>& patterns,
                       Progress& progress) {
    for (const Format format : plan.formats) {
        if (interrupted || failed(run)) return;
        const auto pattern = patterns.find(format);
        const LearnedPattern* learned = pattern == patterns.end() ? nullptr : &pattern->second;
        ImagePool images{run.bench.context};
        const References references = std::make_shared<ReferenceCache>();
        std::vector<Job> jobs;
        const std::vector<std::string> names = {"row", "morton", "learned"};
        for (const Order& order : one_of_each(orders_to_measure(run.bench, names, learned, {}))) {
            for (const uint32_t texels : copied_texels)
                jobs.push_back(texel_copy(images, references, format, plan.size, order, texels));
            jobs.push_back(texel_copy(images, references, format, plan.size, order, 4, Traffic::fetch));
        }
        measure_cell(run, {"copy", format, plan.size, 0, {}}, learned, std::move(jobs), progress);
        const CellResult& copied = run.results.back();
        for (size_t i = 0; i < copied.jobs.size(); ++i)
            if (const double ms = copied.measured.jobs[i].time.value; ms > 0 && is_copy(copied.jobs[i]))
                run.bandwidth = std::max(run.bandwidth, static_cast<double>(copied.jobs[i].minimum_bytes) / ms);
    }
}

std::vector<KernelCell> cells_of(const Plan& plan, Format format) {
    std::vector<KernelCell> cells;
    if (plan.filter)
        for (const uint32_t radius : plan.radii)
            cells.push_back({plan.filter->kernel, format, plan.size, radius, plan.filter});
    for (const std::string& kernel : plan.kernels) {
        if (!family_named(kernel).has_radius)
            cells.push_back({kernel, format, plan.size, 0, {}});
        else
            for (const uint32_t radius : plan.radii) cells.push_back({kernel, format, plan.size, radius, {}});
    }
    return cells;
}

std::map<Format, LearnedPattern> learned_patterns(const Run& run, const Plan& plan) {
    std::map<Format, LearnedPattern> patterns;
    if (std::ranges::count(plan.orders, "learned") == 0) return patterns;
    for (const Format format : plan.formats) {
        const LearnedPattern& learned = patterns[format] = learned_pattern(run.database, run.bench, format);
        if (learned.is_row)
            print_note(fmt::format("{} is linear here: the learned order is row order, and is not measured twice.",
                                   traits_of(format).name));
    }
    return patterns;
}

/// Prints each line once.
void say_assumptions(Run& run, const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
        if (run.said.insert(line).second) print_warning(line);
}

/// The derived order, and the one with the default number of invocations; they may be the same.
std::vector<Order> derived_for(Run& run, ImagePool& images, const KernelCell& cell, const LearnedPattern* pattern) {
    if (!pattern || pattern->is_row) return {};
    const OrderedMethod method = ordered_methods(run.bench.context, cell).front();
    const DerivedOrder derived = derived_for_method(images, *pattern, cell, method);
    say_assumptions(run, derived.assumptions);
    return {derived.order, derived_order(*pattern, question_of(cell, method))};
}

void measure_format(Run& run, const Plan& plan, Format format, const LearnedPattern* pattern, Progress& progress) {
    ImagePool images{run.bench.context};
    for (const KernelCell& cell : cells_of(plan, format)) {
        if (interrupted || failed(run)) return;
        const std::vector<Order> orders =
            orders_to_measure(run.bench, plan.orders, pattern, derived_for(run, images, cell, pattern));
        measure_cell(run, cell, pattern, jobs_of(images, std::make_shared<ReferenceCache>(), cell, orders), progress);
    }
}

/// The best shape in each order, one table per kernel: formats x radii x orders.
std::vector<Row> summary_of(const std::vector<CellResult>& results, const Plan& plan) {
    Row titles = {"ms, best shape", "radius"};
    titles.insert(titles.end(), plan.orders.begin(), plan.orders.end());
    std::vector<Row> rows = {titles};
    for (const CellResult& result : results) {
        if (result.cell.kernel == "copy") continue;
        Row row = {fmt::format("{} {}", result.cell.kernel, traits_of(result.cell.format).name),
                   std::to_string(result.cell.radius)};
        const auto baseline = best_of_order(result, "row");
        bool any = false;
        for (const std::string& order : plan.orders) {
            const auto best = best_of_order(result, order);
            any = any || best;
            if (!best) {
                row.emplace_back("-");
                continue;
            }
            const Measurement& measurement = result.measured.jobs[*best];
            std::string text = ms_text(measurement.time.value);
            if (baseline && baseline != best) {
                const Estimate ratio = speedup(result.measured.jobs[*baseline].ms, measurement.ms);
                text += fmt::format(" ({:.3f}x, {})", ratio.value, verdict_text(ratio));
            }
            row.push_back(std::move(text));
        }
        if (any) rows.push_back(std::move(row));
    }
    return rows;
}

void print_results(const Run& run, const Plan& plan) {
    const VariantCache& cache = *run.bench.context.variants;
    if (run.json) {
        Json json = {{"tool_version", TILEWISE_VERSION},
                     {"database", run.database.path},
                     {"device", db::to_json(run.bench.device)},
                     {"driver", db::to_json(run.bench.driver)},
                     {"interrupted", interrupted.load()},
                     {"bandwidth_gb_s", run.bandwidth * 1e-6},
                     {"shaders", {{"compiled", cache.compiled}, {"reused", cache.reused}}},
                     {"cells", Json::array()}};
        for (const CellResult& result : run.results) json["cells"].push_back(to_json(result));
        print_json(json);
    } else {
        print_text("\n");
        print_line(fmt::format("{}, {}, {}x{}; a copy runs at {:.1f} GB/s", run.bench.device.name,
                               driver_text(run.bench.driver), plan.size.width, plan.size.height, run.bandwidth * 1e-6));
        print_columns(summary_of(run.results, plan));
        const auto is_short = [](const CellResult& result) {
            return std::ranges::any_of(result.measured.jobs,
                                       [](const Measurement& job) { return !job.ms.empty() && !job.converged; });
        };
        print_line(fmt::format("shaders: {} compiled, {} out of {}", cache.compiled, cache.reused,
                               system::text_of(cache.folder)));
        if (std::ranges::any_of(run.results, is_short))
            print_text("*: the time limit came before the interval was small enough; a longer --time helps\n");
    }
    flush_stdout();
}

std::string advice_on_wrong(const Run& run, const Plan& plan) {
    return plan.filter ? advice_on_wrong_filter(run.bench.context, *plan.filter) : "please report this";
}

/// Throws Error (exit code 1) with the reason if results are missing or wrong.
void require_complete(const Run& run, const Plan& plan) {
    const std::string kept = fmt::format("; what was measured before is kept in {}", run.database.path);
    if (failed(run)) {
        const Measurements& last = run.results.back().measured;
        const std::string message = last.failure + kept;
        if (!last.hung) throw Error(message);
        end_with_device_at_work(message);
    }
    if (interrupted) throw Error("interrupted" + kept);
    size_t wrong = 0;
    for (const CellResult& result : run.results) wrong += failures(result);
    if (wrong > 0)
        throw Error(
            fmt::format("{} results were wrong, and were not timed (listed above, with the first texel that "
                        "differs); {}",
                        wrong, advice_on_wrong(run, plan)));
}

void validate_device(const std::string& device, const Plan& plan, const ValidateOptions& options,
                     const Globals& globals) {
    const std::unique_ptr<Workbench> bench = open_workbench(device);
    bench->context.variants = std::make_shared<VariantCache>(
        open_variant_cache(options.cache.empty() ? default_cache_folder() : system::path_of(options.cache),
                           cache_modes.at(options.shaders)));
    if (plan.filter) rehearse(*bench, *plan.filter, plan.formats.front(), plan.radii);
    db::Database database = open_to_write(globals);
    Run run = {*bench, database, {}, globals.json};
    run.limits.seconds = options.seconds;
    constexpr double hours_on_a_cpu = 6 * 3600;
    if (bench->info.type == "cpu") run.limits.timeout_seconds = hours_on_a_cpu;
    run.limits.interrupted = &interrupted;
    stop_on_signals();
    const std::map<Format, LearnedPattern> patterns = learned_patterns(run, plan);
    try {
        Progress progress("cells", plan.formats.size() * (1 + cells_of(plan, plan.formats.front()).size()));
        measure_bandwidth(run, plan, patterns, progress);
        for (const Format format : plan.formats)
            if (!interrupted && !failed(run))
                measure_format(run, plan, format, patterns.contains(format) ? &patterns.at(format) : nullptr, progress);
    } catch (const Error&) {
        print_results(run, plan);
        throw;
    }
    print_results(run, plan);
    require_complete(run, plan);
}

/// Validates on all devices; results of the first are printed while the others are still running.
void validate_all(const Plan& plan, const ValidateOptions& options, const Globals& globals) {
    const std::vector<probe::DeviceInfo> devices = [] {
        probe::Workers workers;
        return probe::list_devices(workers);
    }();
    Json json = {
        {"tool_version", TILEWISE_VERSION}, {"database", open_to_write(globals).path}, {"devices", Json::array()}};
    std::vector<std::optional<DeviceRun>> runs(devices.size());
    size_t printed = 0, failed = 0;
    const auto print = [&](size_t which, DeviceRun&& run) {
        runs[which] = std::move(run);
        for (; printed < runs.size() && runs[printed]; ++printed) {
            failed += !runs[printed]->succeeded;
            const std::string& out = runs[printed]->out;
            if (globals.json) {
                if (!out.empty()) json["devices"].push_back(Json::parse(out));
                continue;
            }
            const probe::DeviceInfo& device = devices[printed];
            print_text(fmt::format("{}{} (device {}), {}\n\n{}", printed > 0 ? "\n" : "", device.name, device.index,
                                   driver_text(driver_fact(device)), out));
        }
        if (!globals.json) flush_stdout();
    };
    const auto start_of = [&](size_t which) {
        probe::worker::Start start = {one_device_role, {std::to_string(devices[which].index)}};
        start.arguments.insert(start.arguments.end(), globals.arguments.begin(), globals.arguments.end());
        start.has_channel = start.is_dangerous = false;
        start.prints = probe::worker::Start::Prints::apart;
        if (options.filter == "-") start.input = plan.filter->text;
        return start;
    };
    run_for_each(devices, start_of, print, print_warning);
    if (globals.json) print_json(json);
    flush_stdout();
    if (printed < devices.size()) throw Error("interrupted; what was measured before is kept");
    if (failed > 0)
        throw Error(
            fmt::format("validate failed on {} of {} devices; the lines above say why", failed, devices.size()));
}

void validate(const ValidateOptions& options, const Globals& globals) {
    const Plan plan = plan_of(options);
    if (!globals.one_device.empty())
        validate_device(globals.one_device, plan, options, globals);
    else if (options.device == "all")
        validate_all(plan, options, globals);
    else
        validate_device(options.device, plan, options, globals);
}

}  // namespace

void add_validate_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("validate", "time kernels with and without the learned order, on this device");
    auto options = std::make_shared<ValidateOptions>();
    command->add_option("-g,--device,--gpu", options->device,
                        "a device's number, name, product or chip, or all of them: all; default: the first GPU");
    in_any_case(command->add_option("-k,--kernel", options->kernels, kernel_names() + ", or all"))
        ->capture_default_str();
    command->add_option("--filter", options->filter,
                        "a file with your own filter, in place of --kernel: see docs/adding.md");
    command->add_option("-f,--format", options->formats,
                        "R8G8B8A8_UNORM,R16G16B16A16_SFLOAT,R32G32B32A32_SFLOAT; default: all three");
    command->add_option("-r,--radius", options->radii, "radius of filters, up to 16 for box; default: 1,2,3,4,8,16")
        ->delimiter(',')
        ->check(CLI::Range(1U, max_filter_radius));
    command->add_option("-e,--extent", options->extent, "sizes of the images in texels")->capture_default_str();
    in_any_case(command->add_option("--order", options->orders, "orders of the invocations"))->capture_default_str();
    command->add_option("--time", options->seconds, "seconds for timing one kernel, format and radius, at most")
        ->check(CLI::Range(0.0, 86400.0))
        ->capture_default_str();
    in_any_case(
        command->add_option(
            "--shaders", options->shaders,
            "which shaders to compile: those not in the cache (cached), also those that changed (changed), or all"))
        ->check(CLI::IsMember({"cached", "changed", "all"}))
        ->capture_default_str();
    command->add_option("--cache", options->cache, "folder for compiled shaders; default: the user's cache folder");
    command->callback([options, command, &globals] {
        require_use_of_radius(*command, options->kernels);
        validate(*options, globals);
    });
}

}  // namespace tilewise
