// tilewise tune: how near the derived remap comes to the best of a thousand others, on this device.
#include "db/facts/json.h"
#include "kernels/box/sweep.h"
#include "kernels/measure/measure.h"
#include "patterns/model/error.h"
#include "probe/formats.h"
#include "tools/commands/commands.h"
#include "tools/lookup/open.h"
#include "tools/probing/facts.h"
#include "tools/terminal/interrupt.h"
#include "tools/terminal/parse.h"
#include "tools/terminal/progress.h"
#include "tools/validate/cell_result.h"
#include "tools/validate/remap_candidates.h"
#include "tools/validate/workbench.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>

namespace tilewise {

using namespace kernels;

namespace {

using Json = nlohmann::ordered_json;

struct TuneOptions {
    std::string device, kernel = "box", format = "R32G32B32A32_SFLOAT", extent = "4096x4096";
    uint32_t radius = 8;
    CandidateRequest candidates;
    double seconds = 120;
};

/// One round of successive halving: the candidates that are left, and what came of timing them.
struct Round {
    std::vector<size_t> candidates;
    Measured measured;
};

/// Successive halving (Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013; Jamieson and
/// Talwalkar, "Non-stochastic Best Arm Identification", 2016): each round times fewer candidates, and each of them longer.
struct Search {
    const TuneOptions& options;
    BoxRequest request;
    Workbench& bench;
    ImagePool& images;
    std::vector<Order> orders;  ///< the first is the derived one
    std::vector<Job> jobs;
    std::vector<Round> rounds;
    std::map<size_t, uint32_t> registers;  ///< of the candidates after the first round, where the driver tells them
    std::vector<std::pair<size_t, std::string>> wrong;
};

constexpr size_t derived = 0;
constexpr uint32_t first_samples = 3, second_samples = 12;
constexpr double second_share = 0.05;  // of the candidates that go on after the first round
constexpr size_t min_second = 20, finalists = 10;
constexpr size_t second_of_each = 3, finalists_of_each = 1;  // besides those, of each order that is asked for by name

double median_ms(const Round& round, size_t place) { return round.measured.jobs[place].time.value; }

/// The best `count` of the last round, the best `of_each` of those that validate times by name, and the derived one.
std::vector<size_t> best_of_last(const Search& search, size_t count, size_t of_each) {
    const Round& round = search.rounds.back();
    std::vector<size_t> places;
    for (size_t i = 0; i < round.candidates.size(); ++i)
        if (!round.measured.jobs[i].ms.empty()) places.push_back(i);
    std::ranges::sort(places, {}, [&](size_t place) { return median_ms(round, place); });
    std::vector<size_t> best;
    std::map<std::string_view, size_t> seen;
    for (const size_t place : places) {
        const size_t candidate = round.candidates[place];
        const std::string& name = search.orders[candidate].name;
        const bool is_named = std::ranges::count(order_names, name) > 0;
        const bool first_of_name = ++seen[name] <= of_each && is_named;
        if (best.size() < count || first_of_name || candidate == derived) best.push_back(candidate);
    }
    return best;
}

void run_round(Search& search, std::vector<size_t> candidates, const Limits& limits, Progress& progress) {
    std::vector<Job> jobs;
    jobs.reserve(candidates.size());
    for (const size_t candidate : candidates) jobs.push_back(search.jobs[candidate]);
    const std::string name = fmt::format("round {}", search.rounds.size() + 1);
    const auto show = [&](const char* phase, double done, double total) {
        progress.show(search.rounds.size(), fmt::format("{}: {} {:.0f}%", name, phase, 100 * done / total));
    };
    Measured measured = measure(search.bench.context, jobs, limits, show);
    for (size_t i = 0; i < candidates.size(); ++i)
        if (const std::string& failure = measured.jobs[i].failure; !failure.empty() && failure != not_run)
            search.wrong.emplace_back(candidates[i], failure);
    search.rounds.push_back({std::move(candidates), std::move(measured)});
}

bool ended(const Search& search) { return interrupted || !search.rounds.back().measured.failure.empty(); }

/// Of the candidates that came to the second round, as far as the driver tells.
void find_registers(Search& search) {
    const std::vector<size_t>& candidates = search.rounds.at(1).candidates;
    std::vector<Order> orders;
    orders.reserve(candidates.size());
    for (const size_t candidate : candidates) orders.push_back(search.orders[candidate]);
    try {
        const auto registers = box_registers(search.images, search.request, orders);
        for (size_t i = 0; i < candidates.size(); ++i)
            if (registers[i]) search.registers[candidates[i]] = *registers[i];
    } catch (const Error& error) {
        print_note(fmt::format("registers are not known: {}", error.what()));  // what was timed is worth more
    }
}

/// All of them a few times; the best of those longer; the best of these until the intervals are small. Each order by name
/// comes to the end in its best shape, so that what the order is worth can be told from what the shape is.
void run_rounds(Search& search, Progress& progress) {
    const double seconds = search.options.seconds;
    constexpr double hours_on_a_cpu = 6 * 3600;
    Limits limits;
    limits.interrupted = &interrupted;
    limits.seed = search.options.candidates.seed;
    if (search.bench.info.type == "cpu") limits.timeout_seconds = hours_on_a_cpu;
    limits.relative_error = 0;
    limits.seconds = seconds * 0.6;
    limits.max_samples = first_samples;
    std::vector<size_t> all(search.orders.size());
    std::iota(all.begin(), all.end(), size_t{0});
    run_round(search, std::move(all), limits, progress);
    if (ended(search)) return;

    limits.check = false;
    limits.seconds = seconds * 0.2;
    limits.max_samples = second_samples;
    const auto share = static_cast<size_t>(std::ceil(second_share * static_cast<double>(search.orders.size())));
    run_round(search, best_of_last(search, std::max(share, min_second), second_of_each), limits, progress);
    if (ended(search)) return;

    limits.max_samples = Limits().max_samples;
    limits.relative_error = Limits().relative_error;
    run_round(search, best_of_last(search, finalists, finalists_of_each), limits, progress);
}

std::vector<Order> candidates_of(const TuneOptions& options, const BoxRequest& box, const db::Database& database,
                                 Workbench& bench, ImagePool& images) {
    const LearnedPattern learned = learned_pattern(database, bench, box.format);
    DerivedBox derived_box = derived_box_order(images, learned, box);
    for (const std::string& line : derived_box.assumptions) print_warning(line);
    std::vector<Order> orders = {std::move(derived_box.order)};
    orders.front().name = "derived";
    CandidateRequest request = options.candidates;
    request.max_invocations = std::min(request.max_invocations, bench.context.max_invocations);
    for (Order& order : remap_candidates(request, [&](const Coord& shape) { return learned_order(learned, shape); }))
        if (orders.size() < request.count && order.remap != orders.front().remap) orders.push_back(std::move(order));
    return orders;
}

// -------------------------------------------------------------------------------------------------------- the result

/// The last round that timed the derived order, and what is said of it.
struct Ranking {
    const Round* round = nullptr;  ///< none: the run ended before that
    std::vector<size_t> places;    ///< in the round, the fastest first
    size_t derived_place = 0;
    Estimate to_derived;  ///< derived over best: how many times faster the best one is
};

Ranking rank(const Search& search) {
    Ranking ranking;
    for (const Round& round : search.rounds)
        for (size_t i = 0; i < round.candidates.size(); ++i)
            if (round.candidates[i] == derived && !round.measured.jobs[i].ms.empty()) {
                ranking.round = &round;
                ranking.derived_place = i;
            }
    if (!ranking.round) return ranking;
    const std::vector<Measurement>& measured = ranking.round->measured.jobs;
    for (size_t i = 0; i < measured.size(); ++i)
        if (!measured[i].ms.empty()) ranking.places.push_back(i);
    std::ranges::sort(ranking.places, {}, [&](size_t place) { return median_ms(*ranking.round, place); });
    ranking.to_derived = speedup(measured[ranking.derived_place].ms, measured[ranking.places.front()].ms);
    return ranking;
}

std::string behind_text(const Estimate& ratio) {
    std::string text = fmt::format("{:.2f}%", 100 * (ratio.value - 1));
    if (!std::isfinite(ratio.high)) return text;
    return fmt::format("{} (95%: {:.2f}..{:.2f}%)", text, 100 * (ratio.low - 1), 100 * (ratio.high - 1));
}

void print_ranking(const Search& search, const Ranking& ranking) {
    const Round& last = *ranking.round;
    std::vector<Row> rows = {
        {"order", "shape", "ms", "95%", "samples", "over derived", "registers", "bits of the index"}};
    const std::vector<double>& baseline = last.measured.jobs[ranking.derived_place].ms;
    for (const size_t place : ranking.places) {
        const Order& order = search.orders[last.candidates[place]];
        const Measurement& measurement = last.measured.jobs[place];
        const auto registers = search.registers.find(last.candidates[place]);
        rows.push_back(
            {order.name, shape_text(order.remap.shape), ms_text(measurement.time.value),
             std::isfinite(measurement.time.high)
                 ? fmt::format("{}..{}", ms_text(measurement.time.low), ms_text(measurement.time.high))
                 : "",
             std::to_string(measurement.ms.size()), fmt::format("{:.4f}", speedup(baseline, measurement.ms).value),
             registers == search.registers.end() ? "-" : std::to_string(registers->second), columns_text(order.remap)});
    }
    const TuneOptions& options = search.options;
    print_line(fmt::format("{} {} radius {}, {}, on {} ({})", options.kernel, traits_of(search.request.format).name,
                           options.radius, options.extent, search.bench.device.name, driver_text(search.bench.driver)));
    std::vector<std::string> counts;
    for (const Round& round : search.rounds) counts.push_back(std::to_string(round.candidates.size()));
    print_text(
        fmt::format("successive halving of the candidates: {}; the last round:\n", fmt::join(counts, ", then ")));
    print_columns(rows, 2);
    print_text(
        fmt::format("The derived order is {} behind the best found: {}.\n", behind_text(ranking.to_derived),
                    verdict(ranking.to_derived) == Verdict::faster ? "the best one is faster" : "no difference"));
}

Json json_of(const Search& search, const Ranking& ranking) {
    const auto candidate_json = [&](const Round& round, size_t place) {
        const Order& order = search.orders[round.candidates[place]];
        const Measurement& measurement = round.measured.jobs[place];
        const bool known = std::isfinite(measurement.time.high);
        const auto registers = search.registers.find(round.candidates[place]);
        return Json{{"order", order.name},
                    {"shape", {order.remap.shape[axis_x], order.remap.shape[axis_y]}},
                    {"columns", columns_text(order.remap)},
                    {"registers", registers == search.registers.end() ? Json(nullptr) : Json(registers->second)},
                    {"samples", measurement.ms.size()},
                    {"discarded", measurement.discarded},
                    {"median_ms", measurement.ms.empty() ? Json(nullptr) : Json(measurement.time.value)},
                    {"interval_ms", known ? Json{measurement.time.low, measurement.time.high} : Json(nullptr)}};
    };
    const TuneOptions& options = search.options;
    Json json = {{"tool_version", TILEWISE_VERSION},
                 {"device", db::to_json(search.bench.device)},
                 {"driver", db::to_json(search.bench.driver)},
                 {"kernel", options.kernel},
                 {"format", traits_of(search.request.format).name},
                 {"radius", options.radius},
                 {"extent", options.extent},
                 {"seed", options.candidates.seed},
                 {"candidates", search.orders.size()},
                 {"interrupted", interrupted.load()},
                 {"failure", search.rounds.back().measured.failure}};
    if (ranking.round) {
        const Round& last = *ranking.round;
        json["derived"] = candidate_json(last, ranking.derived_place);
        json["best"] = candidate_json(last, ranking.places.front());
        json["best_over_derived"] = ranking.to_derived.value;
        json["best_over_derived_interval"] = std::isfinite(ranking.to_derived.high)
                                                 ? Json{ranking.to_derived.low, ranking.to_derived.high}
                                                 : Json(nullptr);
        json["verdict"] = verdict_name(verdict(ranking.to_derived));
    }
    json["heats"] = Json::array();
    for (const Round& round : search.rounds) {
        Json list = Json::array();
        for (size_t i = 0; i < round.candidates.size(); ++i) list.push_back(candidate_json(round, i));
        json["heats"].push_back(std::move(list));
    }
    json["wrong"] = Json::array();
    for (const auto& [candidate, reason] : search.wrong)
        json["wrong"].push_back({{"job", job_text(search.jobs[candidate])},
                                 {"columns", columns_text(search.orders[candidate].remap)},
                                 {"reason", reason}});
    return json;
}

/// Exit code 1, with the reason, where the search did not come to its end or something was wrong.
void require_complete(const Search& search) {
    const Measured& last = search.rounds.back().measured;
    if (last.hung) {
        // The device is still at work: to free anything of it would wait for ever.
        print_warning("tilewise: " + last.failure);
        std::_Exit(1);
    }
    if (!last.failure.empty()) throw Error(last.failure);
    if (interrupted) throw Error("interrupted; what is printed is of the rounds that were run");
    if (!search.wrong.empty()) {
        const auto& [candidate, reason] = search.wrong.front();
        throw Error(fmt::format("{} candidates gave a wrong result, and were not timed; the first, {}: {}",
                                search.wrong.size(), columns_text(search.orders[candidate].remap), reason));
    }
}

void tune(const TuneOptions& options, const Globals& globals) {
    if (options.kernel != "box")
        throw UsageError(
            fmt::format("--kernel {}: only box can be tuned, whose invocations take any order", options.kernel));
    const ParsedExtent extent = parse_extent(options.extent);
    if (extent.depth != 1) throw UsageError("--extent: kernels run over images without depth; write 4096x4096");
    const BoxRequest request = {
        format_of(probe::format_named(options.format).name), {extent.width, extent.height}, options.radius};

    const db::Database database = open_to_read(globals);
    const std::unique_ptr<Workbench> bench = open_workbench(options.device);
    ImagePool images{bench->context};
    const References references = std::make_shared<ReferenceCache>();
    Search search = {options, request, *bench, images, candidates_of(options, request, database, *bench, images),
                     {},      {},      {},     {}};
    stop_on_signals();
    {
        Progress making("pipelines", search.orders.size());
        search.jobs =
            box_sweep(images, references, request, search.orders, [&](size_t done) { making.show(done, "created"); });
    }
    {
        Progress progress("rounds", 3);
        run_rounds(search, progress);
    }
    if (!ended(search)) find_registers(search);
    const Ranking ranking = rank(search);
    if (globals.json)
        print_json(json_of(search, ranking));
    else if (ranking.round)
        print_ranking(search, ranking);
    flush_stdout();
    require_complete(search);
}

}  // namespace

void add_tune_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("tune", "how near the derived remap comes to the best of many, on this device");
    auto options = std::make_shared<TuneOptions>();
    command->add_option("--device,--gpu", options->device,
                        "a device's number, name, product or chip; the first GPU without it");
    command->add_option("--kernel", options->kernel, "box")->capture_default_str();
    command->add_option("--format", options->format, "R8G8B8A8_UNORM, R16G16B16A16_SFLOAT or R32G32B32A32_SFLOAT")
        ->capture_default_str();
    command->add_option("--radius", options->radius, "of the box blur")
        ->check(CLI::Range(1U, max_box_radius))
        ->capture_default_str();
    command->add_option("--extent", options->extent, "texels of the image")->capture_default_str();
    command->add_option("--candidates", options->candidates.count, "remaps and shapes to try")
        ->check(CLI::Range(2, 100000))
        ->capture_default_str();
    command->add_option("--seed", options->candidates.seed, "of the random remaps")->capture_default_str();
    command->add_option("--time", options->seconds, "seconds of timing, at most; each candidate runs once in any case")
        ->check(CLI::Range(0.0, 86400.0))
        ->capture_default_str();
    command->callback([options, &globals] { tune(*options, globals); });
}

}  // namespace tilewise
