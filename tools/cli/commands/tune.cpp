// tilewise tune: finds and stores the fastest of very many orders of a kernel on this device, and compares it with the
// derived order.
#include "db/facts/tuning.h"
#include "kernels/shader/cache.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "probe/formats/formats.h"
#include "system/files.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/any_case.h"
#include "tools/cli/options/kernel_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/texts/ranking_text.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/validate/rehearse.h"
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>

namespace tilewise {

using namespace kernels;

namespace {

struct TuneOptions {
    std::string device, kernel = "box", filter, format = "R32G32B32A32_SFLOAT", extent = "4096x4096", cache;
    uint32_t radius = 8;
    CandidateRequest candidates;
    double seconds = SearchRequest().seconds;
    size_t in_group_orders = SearchRequest().in_group_orders;
};

KernelCell cell_of(const TuneOptions& options) {
    KernelCell cell = {options.kernel, format_of(probe::format_named(options.format).name), {}, options.radius, {}};
    if (!options.filter.empty()) {
        cell.filter = std::make_shared<const FilterText>(filter_in(options.filter));
        cell.kernel = cell.filter->kernel;
    } else if (!family_named(options.kernel).has_radius) {
        cell.radius = 0;
    } else {
        require_radii({options.kernel}, {options.radius});
    }
    const Extent_px extent = parse_extent(options.extent);
    if (extent[2] != 1) throw UsageError("--extent: kernels run over images without depth; write 4096x4096");
    cell.size = {extent[0], extent[1]};
    return cell;
}

/// Throws Error (exit code 1) with the reason if the search did not finish, or if something was wrong.
void require_complete(const Search& search) {
    const Measurements& last = search.rounds.back().measured;
    if (last.hung) end_with_device_at_work(last.failure);
    if (!last.failure.empty()) throw Error(last.failure);
    if (interrupted) throw Error("interrupted; the result is that of the rounds that were run, and is not kept");
    if (search.wrong.empty()) return;
    const auto& [candidate, reason] = search.wrong.front();
    const std::shared_ptr<const FilterText>& filter = search.request.cell.filter;
    throw Error(fmt::format("{} candidates gave a wrong result, and were not timed; the first, {}: {}{}",
                            search.wrong.size(), columns_text(search.candidates[candidate].order.remap), reason,
                            filter ? "; " + advice_on_wrong_filter(search.bench.context, *filter) : ""));
}

void tune(const TuneOptions& options, const Globals& globals) {
    const KernelCell cell = cell_of(options);
    db::Database database = open_to_write(globals);
    const std::unique_ptr<Workbench> bench = open_workbench(options.device);
    bench->context.variants = std::make_shared<VariantCache>(open_variant_cache(
        options.cache.empty() ? default_cache_folder() : system::path_of(options.cache), CacheMode::compile_changes));
    if (cell.filter) rehearse(*bench, *cell.filter, cell.format, {&cell.radius, 1});
    ImagePool images{bench->context};
    Search search = {{cell, options.candidates, options.seconds, options.in_group_orders},
                     *bench,
                     images,
                     learned_pattern(database, *bench, cell.format)};
    search.listener.warning = print_warning;
    search.listener.note = print_note;
    stop_on_signals();
    {
        Progress progress("pipelines");
        search.listener.pipelines = [&](uint64_t done, uint64_t) { progress.show(done, "created"); };
        prepare(search);
        search.listener.pipelines = {};
    }
    {
        Progress progress("rounds", 3);
        search.listener.round = [&](size_t rounds, const std::string& at) { progress.show(rounds, at); };
        run_rounds(search);
        search.listener.round = {};
    }
    const Ranking ranking = rank(search);
    if (const auto fact = fact_of(search, ranking)) db::add_fact(database, bench->device, bench->driver, *fact);
    if (globals.json)
        print_json(to_json(search, ranking));
    else if (ranking.round)
        print_ranking(search, ranking);
    flush_stdout();
    require_complete(search);
}

}  // namespace

void add_tune_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("tune", "find the fastest of many remaps on this device, and keep it");
    auto options = std::make_shared<TuneOptions>();
    command->add_option("-g,--device,--gpu", options->device,
                        "a device's number, name, product or chip; default: the first GPU");
    in_any_case(command->add_option("-k,--kernel", options->kernel, kernel_names()))->capture_default_str();
    command->add_option("--filter", options->filter,
                        "a file with your own filter, in place of --kernel: see docs/adding.md");
    command->add_option("-f,--format", options->format, "R8G8B8A8_UNORM, R16G16B16A16_SFLOAT or R32G32B32A32_SFLOAT")
        ->capture_default_str();
    command->add_option("-r,--radius", options->radius, "radius of the filter, up to 16 for box")
        ->check(CLI::Range(1U, max_filter_radius))
        ->capture_default_str();
    command->add_option("-e,--extent", options->extent, "size of the image in texels")->capture_default_str();
    command->add_option("--candidates", options->candidates.count, "remaps and shapes to try")
        ->check(CLI::Range(2, 100000))
        ->capture_default_str();
    command
        ->add_option("--group-orders", options->in_group_orders,
                     "how many of the first round's best are also tried with their workgroups in other orders")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    command->add_option("--seed", options->candidates.seed, "seed of the random remaps")->capture_default_str();
    command->add_option("--time", options->seconds, "seconds of timing, at most; each candidate runs once in any case")
        ->check(CLI::Range(0.0, 86400.0))
        ->capture_default_str();
    command->add_option("--cache", options->cache, "folder for compiled shaders; default: the user's cache folder");
    command->callback([options, command, &globals] {
        require_use_of_radius(*command, options->kernel);
        tune(*options, globals);
    });
}

}  // namespace tilewise
