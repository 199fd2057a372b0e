// tilewise measure: finds out all that advise needs to know about this device. It probes what is missing, then times
// the methods of kernels, the most promising first, within a given time.
#include "db/facts/json.h"
#include "kernels/shader/cache.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "system/files.h"
#include "tools/answers/advice/advice_text.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/any_case.h"
#include "tools/cli/options/kernel_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/measure/measure_cells.h"
#include "tools/runs/measure/probe_missing.h"
#include "tools/runs/probe/facts.h"
#include "tools/runs/validate/rehearse.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

using namespace kernels;

namespace {

using Json = nlohmann::ordered_json;

struct MeasureOptions {
    std::string device, kernels = "all", filter, formats = "R8G8B8A8_UNORM,R16G16B16A16_SFLOAT";
    std::string extents = "1920x1080,3840x2160", cache;
    std::vector<uint32_t> radii = {1, 2, 4, 8};
    double seconds = 120;
};

MeasurePlan plan_of(const MeasureOptions& options) {
    MeasurePlan plan;
    if (!options.filter.empty())
        plan.filter = std::make_shared<const FilterText>(filter_in(options.filter));
    else
        plan.kernels = listed_kernels(options.kernels);
    for (const std::string& name : split(options.formats))
        plan.formats.push_back(format_of(probe::format_named(name).name));
    for (const std::string& text : split(options.extents)) {
        const Extent_px extent = parse_extent(text);
        if (extent[2] != 1) throw UsageError("--extent: kernels run over images without depth; write 1920x1080");
        plan.sizes.push_back({extent[0], extent[1]});
    }
    plan.radii = options.radii;
    if ((plan.kernels.empty() && !plan.filter) || plan.formats.empty() || plan.sizes.empty() || plan.radii.empty())
        throw UsageError("--kernel, --format, --extent and --radius each need at least one value");
    require_radii(plan.kernels, plan.radii);
    return plan;
}

std::string extent_of(Size size) { return fmt::format("{}x{}", size.width, size.height); }

/// "faster", compared with row order in 16x16; none if that was not timed, as for reductions.
std::optional<std::string> verdict_of(const TimedWay& way) {
    if (way.over_row) return verdict_text(*way.over_row);
    if (way.fact.order == "row") return "baseline";
    return std::nullopt;
}

std::string speedup_of(const TimedWay& way) {
    if (!way.over_row) return "";
    const Estimate& over = *way.over_row;
    if (!std::isfinite(over.high)) return fmt::format("{:.3f}", over.value);
    return fmt::format("{:.3f} ({:.3f}..{:.3f})", over.value, over.low, over.high);
}

Row row_of(const MeasuredVerdict& verdict) {
    const KernelCell& cell = verdict.cell;
    Row row = {cell.kernel, cell.radius == 0 ? "" : std::to_string(cell.radius), traits_of(cell.format).name,
               extent_of(cell.size)};
    if (!verdict.way) {
        row.emplace_back("nothing was timed");
        return row;
    }
    row.push_back(way_words(*verdict.way));
    row.push_back(ms_text(verdict.way->fact.median_ms));
    row.push_back(speedup_of(*verdict.way));
    row.push_back(verdict_of(*verdict.way).value_or("not compared"));
    return row;
}

std::string cell_and_extent(const KernelCell& cell) {
    return fmt::format("{} {}", cell_text(cell), extent_of(cell.size));
}

void print_verdicts(const MeasuredDevice& measured, const Workbench& bench, bool is_interrupted) {
    print_line(fmt::format("{}, {}", bench.device.name, driver_text(bench.driver)));
    std::vector<Row> rows = {
        {"kernel", "radius", "format", "extent", "use", "ms", "over row order in 16x16", "verdict"}};
    size_t timed = 0, left_out = 0, cannot = 0;
    for (const MeasuredVerdict& verdict : measured.verdicts) {
        rows.push_back(row_of(verdict));
        timed += verdict.timed;
        left_out += verdict.left_out.size();
        cannot += verdict.cannot.size();
    }
    print_table(rows);
    print_line(fmt::format("methods and orders: {} timed, {} left out{}, {} that the device cannot run{}", timed,
                           left_out, is_interrupted ? "" : " for lack of time", cannot,
                           left_out + cannot > 0 ? "; --json lists them" : ""));
    if (!measured.left_out.empty())
        print_line(fmt::format("left out{}: {}{}", is_interrupted ? "" : " for lack of time",
                               some_of(measured.left_out, 3, cell_and_extent),
                               is_interrupted ? "" : "; a longer --seconds helps"));
    for (const MeasuredVerdict& verdict : measured.verdicts)
        for (const std::string& line : verdict.wrong) print_line("WRONG: " + line);
}

Json cell_json(const KernelCell& cell) {
    return {{"kernel", cell.kernel},
            {"radius", cell.radius},
            {"format", traits_of(cell.format).name},
            {"extent", {cell.size.width, cell.size.height}}};
}

Json verdict_json(const MeasuredVerdict& verdict) {
    Json json = cell_json(verdict.cell);
    json["use"] = way_json(verdict.way);
    const std::optional<std::string> said = verdict.way ? verdict_of(*verdict.way) : std::nullopt;
    json["verdict"] = said ? Json(*said) : Json(nullptr);
    json["timed"] = verdict.timed;
    json["left_out"] = verdict.left_out;
    json["cannot"] = verdict.cannot;
    json["wrong"] = verdict.wrong;
    return json;
}

Json document(const MeasuredDevice& measured, const Workbench& bench, const db::Database& database,
              const ProbedFormats& probed, double seconds) {
    Json json = {{"tool_version", TILEWISE_VERSION},
                 {"database", database.path},
                 {"device", db::to_json(bench.device)},
                 {"driver", db::to_json(bench.driver)},
                 {"seconds", seconds},
                 {"interrupted", interrupted.load()},
                 {"probed", probed.read},
                 {"unread", probed.unread},
                 {"verdicts", Json::array()},
                 {"left_out", Json::array()}};
    for (const MeasuredVerdict& verdict : measured.verdicts) json["verdicts"].push_back(verdict_json(verdict));
    for (const KernelCell& cell : measured.left_out) json["left_out"].push_back(cell_json(cell));
    return json;
}

/// Throws Error (exit code 1) with the reason if nothing was learned, or if something was wrong.
void require_sound(const MeasuredDevice& measured, const Workbench& bench, const MeasurePlan& plan,
                   const std::string& path) {
    const std::string kept = fmt::format("; what was measured before is kept in {}", path);
    if (measured.hung) end_with_device_at_work(measured.failure + kept);
    if (!measured.failure.empty()) throw Error(measured.failure + kept);
    if (interrupted) throw Error("interrupted" + kept);
    size_t wrong = 0, timed = 0;
    for (const MeasuredVerdict& verdict : measured.verdicts) {
        wrong += verdict.wrong.size();
        timed += verdict.timed;
    }
    if (wrong > 0)
        throw Error(
            fmt::format("{} results were wrong, and were not timed (listed above); {}", wrong,
                        plan.filter ? advice_on_wrong_filter(bench.context, *plan.filter) : "please report this"));
    if (timed == 0)
        throw Error("nothing was timed within the time: give more --seconds, or a smaller --extent or --radius");
}

std::map<Format, LearnedPattern> learned_patterns(const db::Database& database, const Workbench& bench,
                                                  const std::vector<Format>& formats) {
    std::map<Format, LearnedPattern> learned;
    for (const Format format : formats)
        if (is_pattern_known(database, bench.device, bench.driver, traits_of(format).name))
            learned[format] = learned_pattern(database, bench, format);
    return learned;
}

void measure_device(const MeasureOptions& options, const Globals& globals) {
    using Clock = std::chrono::steady_clock;
    const MeasurePlan plan = plan_of(options);
    const Clock::time_point start = Clock::now();
    const auto after = [&](double seconds) {
        return start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    };
    stop_on_signals();
    const probe::DeviceInfo device = choose_device(options.device);
    db::Database database = open_to_write(globals);
    ProbedFormats probed;
    {
        Progress progress("readings");
        const auto show = [&](uint64_t done, const std::string& name) { progress.show(done, name); };
        constexpr double share_of_probing = 0.5;
        std::vector<std::string> formats;
        for (const Format format : plan.formats) formats.emplace_back(traits_of(format).name);
        probed = probe_missing(device, database, formats, after(share_of_probing * options.seconds), interrupted, show);
    }
    for (const std::string& format : probed.unread)
        print_warning(
            fmt::format("How {} lays out {} was not found: only row and Morton order are timed; tilewise probe "
                        "--formats {} says why.",
                        device.name, format, format));
    const std::unique_ptr<Workbench> bench = open_workbench(std::to_string(device.index));
    bench->context.variants = std::make_shared<VariantCache>(open_variant_cache(
        options.cache.empty() ? default_cache_folder() : system::path_of(options.cache), CacheMode::compile_changes));
    if (plan.filter) rehearse(*bench, *plan.filter, plan.formats.front(), plan.radii);
    MeasuredDevice measured;
    {
        const TimeBudget budget(after(options.seconds), interrupted);
        Progress progress("cells", cells_of(plan).size());
        const auto show = [&](size_t done, const std::string& what) {
            progress.show(done, fmt::format("{} ({:.0f} s left)", what, budget.seconds_left()));
        };
        measured =
            measure_cells(*bench, database, plan, learned_patterns(database, *bench, plan.formats), budget, show);
    }
    if (globals.json)
        print_json(
            document(measured, *bench, database, probed, std::chrono::duration<double>(Clock::now() - start).count()));
    else
        print_verdicts(measured, *bench, interrupted);
    flush_stdout();
    require_sound(measured, *bench, plan, database.path);
}

}  // namespace

void add_measure_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand(
        "measure", "time the methods of kernels on this device, within two minutes, for advise to use");
    auto options = std::make_shared<MeasureOptions>();
    command->add_option("-g,--device,--gpu", options->device,
                        "a device's number, name, product or chip; default: the first GPU");
    in_any_case(command->add_option("-k,--kernel", options->kernels, kernel_names() + ", or all"))
        ->capture_default_str();
    command->add_option("--filter", options->filter,
                        "a file with your own filter, in place of --kernel: see docs/adding.md");
    command->add_option("-f,--format", options->formats, "R8G8B8A8_UNORM, R16G16B16A16_SFLOAT, R32G32B32A32_SFLOAT")
        ->capture_default_str();
    command->add_option("-r,--radius", options->radii, "radius of filters, up to 16 for box; default: 1,2,4,8")
        ->delimiter(',')
        ->check(CLI::Range(1U, max_filter_radius));
    command->add_option("-e,--extent", options->extents, "sizes of the images in texels")->capture_default_str();
    command
        ->add_option("--seconds", options->seconds,
                     "time for everything; what does not fit is left out, the least promising methods first")
        ->check(CLI::Range(1.0, 86400.0))
        ->capture_default_str();
    command->add_option("--cache", options->cache, "folder for compiled shaders; default: the user's cache folder");
    command->callback([options, command, &globals] {
        require_use_of_radius(*command, options->kernels);
        measure_device(*options, globals);
    });
}

}  // namespace tilewise
