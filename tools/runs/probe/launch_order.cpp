// Statistics of the runs of a launch order: docs/lanes.md explains the numbers.
#include "patterns/remap/visit_order.h"
#include "tools/runs/probe/lane_order.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace tilewise {

namespace {

using Json = nlohmann::json;
using Run = std::vector<probe::LaunchedGroup>;

double rounded(double value) { return static_cast<double>(std::lround(value * 10000)) / 10000; }

double share(size_t part, size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<uint32_t> tickets_of(const Run& run) {
    std::vector<uint32_t> tickets;
    for (const probe::LaunchedGroup& group : run) tickets.push_back(group.ticket);
    return tickets;
}

/// Marks the groups that began before the first one ended; empty if the clock cannot be right.
std::vector<bool> first_wave(const Run& run) {
    uint64_t first_end = ~uint64_t{0}, first_start = ~uint64_t{0};
    for (const probe::LaunchedGroup& group : run) {
        if (group.ended < group.began) return {};
        first_end = std::min(first_end, group.ended);
        first_start = std::min(first_start, group.began);
    }
    if (first_start >= first_end) return {};
    std::vector<bool> wave;
    for (const probe::LaunchedGroup& group : run) wave.push_back(group.began < first_end);
    return wave;
}

Json clock_statistics(const Coord& grid, const Run& run) {
    const std::vector<bool> wave = first_wave(run);
    if (wave.empty()) return "goes backwards from one group to another";
    size_t adjacent = 0;
    for (size_t i = 0; i < run.size(); ++i) {
        if (!wave[i]) continue;
        const size_t width = grid[axis_x], x = i % width;
        adjacent += (x > 0 && wave[i - 1]) || (x + 1 < width && wave[i + 1]) || (i >= width && wave[i - width]) ||
                    (i + width < run.size() && wave[i + width]);
    }
    // Groups that began at the same tick keep the order of their tickets.
    std::vector<uint32_t> by_clock(run.size()), ranks(run.size());
    std::iota(by_clock.begin(), by_clock.end(), 0u);
    std::ranges::sort(by_clock, {}, [&](uint32_t i) { return std::pair(run[i].began, run[i].ticket); });
    for (uint32_t rank = 0; rank < by_clock.size(); ++rank) ranks[by_clock[rank]] = rank;
    return {{"first_wave", std::ranges::count(wave, true)},
            {"first_wave_adjacent", adjacent},
            {"agrees_with_tickets", rounded(rank_correlation(ranks, tickets_of(run)))}};
}

Json multiprocessor_statistics(const Coord& grid, const Run& run) {
    std::set<uint32_t> seen;
    size_t left = 0, below = 0;
    const size_t width = grid[axis_x];
    for (size_t i = 0; i < run.size(); ++i) {
        seen.insert(run[i].sm);
        left += i % width > 0 && run[i].sm == run[i - 1].sm;
        below += i >= width && run[i].sm == run[i - width].sm;
    }
    std::vector<uint32_t> by_ticket(run.size());
    for (uint32_t i = 0; i < run.size(); ++i) by_ticket[run[i].ticket] = i;
    std::map<uint32_t, uint32_t> last;  // for each multiprocessor, the last ticket that was drawn there
    std::map<uint32_t, size_t> gaps;
    for (uint32_t ticket = 0; ticket < by_ticket.size(); ++ticket) {
        const auto [before, first] = last.try_emplace(run[by_ticket[ticket]].sm, ticket);
        if (!first) ++gaps[ticket - std::exchange(before->second, ticket)];
    }
    Json statistics = {{"multiprocessors", seen.size()},
                       {"same_as_left", rounded(share(left, run.size() - run.size() / width))},
                       {"same_as_above", rounded(share(below, run.size() - width))}};
    const auto commonest = std::ranges::max_element(gaps, {}, [](const auto& gap) { return gap.second; });
    if (commonest != gaps.end()) {
        statistics["next_on_same_after"] = commonest->first;
        statistics["next_on_same_share"] = rounded(share(commonest->second, run.size() - seen.size()));
    }
    return statistics;
}

}  // namespace

db::LaunchOrderFact launch_order_fact(const probe::LaunchOrder& order) {
    db::LaunchOrderFact fact;
    fact.grid = {order.grid[axis_x], order.grid[axis_y]};
    fact.time = db::utc_now();
    fact.tool_version = TILEWISE_VERSION;
    fact.note = order.why_not;
    if (order.runs.empty()) return fact;

    const Coord& grid = order.grid;
    const Run* worst = nullptr;
    Visit visit;
    bool exact = true;
    for (const Run& run : order.runs) {
        const Visit now = describe_visit(grid, tickets_of(run));
        exact = exact && now.exact;
        if (worst && now.correlation >= visit.correlation) continue;
        visit = now;
        worst = &run;
    }
    constexpr double near_enough = 0.9;
    fact.visit = visit.correlation >= near_enough ? visit.nearest : "mixed";
    fact.statistics = {{"runs", order.runs.size()},
                       {"nearest", visit.nearest},
                       {"exact", exact},
                       {"correlation", rounded(visit.correlation)},
                       {"displacement", visit.displacement},
                       {"adjacent", rounded(visit.adjacent)}};
    if (order.has_clock) fact.statistics["clock"] = clock_statistics(grid, *worst);
    if (order.has_sm) fact.statistics["sm"] = multiprocessor_statistics(grid, *worst);
    return fact;
}

}  // namespace tilewise
