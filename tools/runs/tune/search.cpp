#include "tools/runs/tune/search.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/parallel.h"
#include "tools/runs/interrupt.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <tuple>

namespace tilewise {

using namespace kernels;

namespace {

constexpr uint32_t first_samples = 3, second_samples = 12;
constexpr double second_share = 0.05;  // of the candidates that remain after the first round
constexpr size_t min_second = 20, finalists = 10;
constexpr size_t second_of_each = 3, finalists_of_each = 1;  // in addition, for each order that the request names
constexpr uint32_t strip_widths[] = {4, 8, 16};

Coord usual_shape(const OrderedMethod& method) { return method.in_squares ? Coord{8, 8, 1, 1} : Coord{16, 16, 1, 1}; }

Order derived_for(Search& search, const OrderedMethod& method) {
    const KernelCell& cell = search.request.cell;
    if (method.in_squares) return learned_order(search.learned, usual_shape(method));
    DerivedOrder derived = derived_for_method(search.images, search.learned, cell, method);
    if (search.listener.warning)
        for (const std::string& line : derived.assumptions) search.listener.warning(line);
    return std::move(derived.order);
}

/// Adds the derived order, the orders that all are compared with, then as many others as `count` allows.
void add_candidates(Search& search, size_t method_index, size_t count) {
    const OrderedMethod& method = search.methods[method_index];
    const Coord usual = usual_shape(method);
    CandidateRequest request = search.request.candidates;
    request.count = count;
    request.max_invocations = std::min(request.max_invocations, search.bench.context.max_invocations);
    if (method.in_squares) request.shapes = {usual};
    const auto learned = [&](const Coord& shape) { return learned_order(search.learned, shape); };

    const size_t first = search.candidates.size();
    // Adds a remap once, and returns its index.
    const auto add = [&](Order order) -> std::optional<size_t> {
        for (size_t i = first; i < search.candidates.size(); ++i)
            if (search.candidates[i].order.remap == order.remap) return i;
        if (search.candidates.size() - first >= count) return std::nullopt;
        search.candidates.push_back({method_index, std::move(order)});
        return search.candidates.size() - 1;
    };
    Order derived = derived_for(search, method);
    derived.name = "derived";
    Anchors anchors;
    anchors.derived = add(std::move(derived)).value();
    const bool can_run = element_count(usual) <= search.bench.context.max_invocations;
    const auto add_usual = [&](const char* name, Remap remap) {
        const bool is_memory_order = !search.learned.is_row && learned(usual).remap == remap;
        return can_run ? add({is_memory_order ? "learned" : name, std::move(remap)}) : std::nullopt;
    };
    anchors.row = add_usual("row", row_order(usual));
    anchors.morton = add_usual("morton", morton_order(usual));
    for (Order& order : remap_candidates(request, search.learned.is_row ? nullptr : std::function(learned)))
        add(std::move(order));
    search.anchors.push_back(anchors);
}

/// Makes the jobs of the candidates from `first` on.
void make_jobs(Search& search, size_t first, const std::function<void(size_t)>& progress = {}) {
    search.jobs.resize(search.candidates.size());
    const auto make = [&](size_t i) {
        const OrderCandidate& candidate = search.candidates[i];
        search.jobs[i] = search.methods[candidate.method].job(search.images, search.references, search.request.cell,
                                                              candidate.order);
    };
    parallel_for(
        search.candidates.size() - first, [&](size_t i) { make(first + i); }, progress);
}

double median_ms(const Round& round, size_t place) { return round.measured.jobs[place].time.value; }

bool is_anchor(const Search& search, size_t candidate) {
    const Anchors& anchors = search.anchors[search.candidates[candidate].method];
    return candidate == anchors.derived || candidate == anchors.row || candidate == anchors.morton;
}

/// The places in the round of the candidates that were timed, the fastest first.
std::vector<size_t> by_time(const Round& round) {
    std::vector<size_t> places;
    for (size_t i = 0; i < round.candidates.size(); ++i)
        if (!round.measured.jobs[i].ms.empty()) places.push_back(i);
    std::ranges::sort(places, {}, [&](size_t place) { return median_ms(round, place); });
    return places;
}

/// The best `count` of the last round, the best `of_each` for each order that validate times by name, and the anchors.
std::vector<size_t> best_of_last(const Search& search, size_t count, size_t of_each) {
    const Round& round = search.rounds.back();
    std::vector<size_t> best;
    std::map<std::tuple<size_t, std::string_view, bool>, size_t> seen;
    for (const size_t place : by_time(round)) {
        const size_t candidate = round.candidates[place];
        const auto& [method, order] = search.candidates[candidate];
        const bool as_launched = order.groups.kind == GroupOrderKind::linear;
        const bool is_named = std::ranges::count(order_names, order.name) > 0;
        const bool first_of_name = ++seen[{method, order.name, as_launched}] <= of_each && is_named;
        if (best.size() < count || first_of_name || is_anchor(search, candidate)) best.push_back(candidate);
    }
    return best;
}

void run_round(Search& search, std::vector<size_t> candidates, const Limits& limits) {
    std::vector<Job> jobs;
    jobs.reserve(candidates.size());
    for (const size_t candidate : candidates) jobs.push_back(search.jobs[candidate]);
    const std::string name = fmt::format("round {}", search.rounds.size() + 1);
    const auto show = [&](const char* phase, double done, double total) {
        if (search.listener.round)
            search.listener.round(search.rounds.size(), fmt::format("{}: {} {:.0f}%", name, phase, 100 * done / total));
    };
    Measurements measured = measure(search.bench.context, jobs, limits, show);
    for (size_t i = 0; i < candidates.size(); ++i)
        if (const std::string& failure = measured.jobs[i].failure; !failure.empty() && failure != not_run)
            search.wrong.emplace_back(candidates[i], failure);
    search.rounds.push_back({std::move(candidates), std::move(measured)});
}

/// Orders of workgroups that differ from the launch order.
std::vector<GroupOrder> group_orders_for(const Search& search, const Remap& remap) {
    const auto grid = groups_over(search.request.cell.size, shape_of(remap));
    std::vector<GroupOrder> orders;
    for (const uint32_t width : strip_widths)
        if (width < grid[0] && grid[1] > 1)
            orders.push_back(derive_group_order(search.learned.pattern, remap, GroupOrderKind::strips, width));
    const GroupOrder tiles = derive_group_order(search.learned.pattern, remap, GroupOrderKind::tiles);
    const bool is_linear = is_as_launched(tiles) || (!goes_by_columns(tiles) && tiles.tile_groups[axis_x] >= grid[0]);
    if (!is_linear && grid[0] * grid[1] > 1) orders.push_back(tiles);
    return orders;
}

/// Adds the first round's best with their workgroups in other orders; returns whether there are any.
bool add_group_orders(Search& search, std::vector<size_t>& next) {
    const size_t first = search.candidates.size();
    size_t left = search.request.in_group_orders;
    for (const size_t place : by_time(search.rounds.back())) {
        if (left == 0) break;
        const OrderCandidate candidate = search.candidates[search.rounds.back().candidates[place]];
        if (!search.methods[candidate.method].groups_in_any_order) continue;
        for (const GroupOrder& groups : group_orders_for(search, candidate.order.remap))
            search.candidates.push_back({candidate.method, {candidate.order.name, candidate.order.remap, groups}});
        left--;
    }
    make_jobs(search, first);
    for (size_t i = first; i < search.candidates.size(); ++i) next.push_back(i);
    return search.candidates.size() > first;
}

/// Finds the registers of a method's candidates that reached the second round, as far as the driver reports them.
void find_registers(Search& search, size_t method) {
    if (!search.methods[method].registers) return;
    std::vector<size_t> candidates;
    std::vector<Order> orders;
    for (const size_t candidate : search.rounds.at(1).candidates) {
        if (search.candidates[candidate].method != method) continue;
        candidates.push_back(candidate);
        orders.push_back(search.candidates[candidate].order);
    }
    try {
        const RegisterCounts registers = search.methods[method].registers(search.images, search.request.cell, orders);
        for (size_t i = 0; i < candidates.size(); ++i)
            if (registers[i]) search.registers[candidates[i]] = *registers[i];
    } catch (const Error& error) {
        // The timings are worth more than the registers.
        if (search.listener.note) search.listener.note(fmt::format("registers are not known: {}", error.what()));
    }
}

}  // namespace

void prepare(Search& search) {
    const KernelCell& cell = search.request.cell;
    search.methods = ordered_methods(search.bench.context, cell);
    const size_t count = std::max<size_t>(2, search.request.candidates.count / search.methods.size());
    for (size_t i = 0; i < search.methods.size(); ++i) add_candidates(search, i, count);
    for (size_t i = 0; i < search.methods.size(); ++i) {
        const Order& order = search.candidates[search.anchors[i].derived].order;
        const Job job = search.methods[i].job(search.images, search.references, cell, order);
        if (const std::string wrong = job.check(); !wrong.empty())
            throw Error(fmt::format("{} is wrong on this device: {}", job_text(job), wrong));
    }
    make_jobs(search, 0, [&](size_t done) { tell(search.listener.pipelines, done, search.candidates.size()); });
}

void run_rounds(Search& search) {
    const double seconds = search.request.seconds;
    constexpr double hours_on_a_cpu = 6 * 3600;
    Limits limits;
    limits.interrupted = &interrupted;
    limits.seed = search.request.candidates.seed;
    if (search.bench.info.type == "cpu") limits.timeout_seconds = hours_on_a_cpu;
    limits.relative_error = 0;
    limits.seconds = seconds * 0.6;
    limits.max_samples = first_samples;
    std::vector<size_t> all(search.candidates.size());
    std::iota(all.begin(), all.end(), size_t{0});
    run_round(search, std::move(all), limits);
    if (ended_early(search)) return;

    limits.seconds = seconds * 0.2;
    limits.max_samples = second_samples;
    const auto share = static_cast<size_t>(std::ceil(second_share * static_cast<double>(search.candidates.size())));
    std::vector<size_t> next = best_of_last(search, std::max(share, min_second), second_of_each);
    limits.check = add_group_orders(search, next);
    run_round(search, std::move(next), limits);
    if (ended_early(search)) return;

    limits.check = false;
    limits.max_samples = Limits().max_samples;
    limits.relative_error = Limits().relative_error;
    run_round(search, best_of_last(search, finalists, finalists_of_each), limits);
    if (ended_early(search)) return;
    for (size_t i = 0; i < search.methods.size(); ++i) find_registers(search, i);
}

bool ended_early(const Search& search) { return interrupted || !search.rounds.back().measured.failure.empty(); }

}  // namespace tilewise
