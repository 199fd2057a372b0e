#include "tools/runs/tune/result.h"
#include "db/facts/json.h"
#include "tools/runs/interrupt.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

using namespace kernels;
using OrderedJson = nlohmann::ordered_json;

namespace {

std::optional<size_t> place_of(const Round& round, std::optional<size_t> candidate) {
    if (!candidate) return std::nullopt;
    const auto found = std::ranges::find(round.candidates, *candidate);
    if (found == round.candidates.end()) return std::nullopt;
    const auto place = static_cast<size_t>(found - round.candidates.begin());
    if (round.measured.jobs[place].ms.empty()) return std::nullopt;
    return place;
}

auto simplicity(const Search& search, const Round& round, size_t place) {
    constexpr std::array<std::string_view, 5> names = {"row", "morton", "learned", "permutation", "matrix"};
    const auto& [method, order] = candidate_at(search, round, place);
    const bool is_usual = round.candidates[place] == search.anchors[method].row ||
                          round.candidates[place] == search.anchors[method].morton;
    return std::tuple(order.groups.kind != GroupOrderKind::linear,
                      std::ranges::find(names, stored_name(order)) - names.begin(), !is_usual,
                      round.measured.jobs[place].time.value);
}

bool is_as_fast(const Measurement& measurement, const Measurement& best) {
    Estimate ratio = speedup(best.ms, measurement.ms);
    if (!std::isfinite(ratio.high)) ratio.low = ratio.high = ratio.value;  // too few samples: by the medians alone
    return verdict(ratio) != Verdict::slower;
}

std::string extent_of(const KernelCell& cell) { return fmt::format("{}x{}", cell.size.width, cell.size.height); }

OrderedJson candidate_json(const Search& search, const Round& round, size_t place) {
    const auto& [method, order] = candidate_at(search, round, place);
    const Measurement& measurement = round.measured.jobs[place];
    const bool known = std::isfinite(measurement.time.high);
    const auto registers = search.registers.find(round.candidates[place]);
    return OrderedJson{
        {"method", search.methods[method].name},
        {"order", order.name},
        {"shape", {order.remap.shape[axis_x], order.remap.shape[axis_y]}},
        {"columns", columns_text(order.remap)},
        {"group_order", group_order_text(order.groups)},
        {"registers", registers == search.registers.end() ? OrderedJson(nullptr) : OrderedJson(registers->second)},
        {"samples", measurement.ms.size()},
        {"discarded", measurement.discarded},
        {"median_ms", measurement.ms.empty() ? OrderedJson(nullptr) : OrderedJson(measurement.time.value)},
        {"interval_ms", known ? OrderedJson{measurement.time.low, measurement.time.high} : OrderedJson(nullptr)}};
}

}  // namespace

const OrderCandidate& candidate_at(const Search& search, const Round& round, size_t place) {
    return search.candidates[round.candidates[place]];
}

std::string stored_name(const Order& order) {
    if (order.remap.is_row_order()) return "row";
    if (order.remap == morton_order(order.remap.shape)) return "morton";
    return order.name == "derived" ? "learned" : order.name;
}

Ranking rank(const Search& search) {
    Ranking ranking;
    for (const Round& round : search.rounds)
        for (const Anchors& anchors : search.anchors)
            if (place_of(round, anchors.derived)) ranking.round = &round;
    if (!ranking.round) return ranking;
    const std::vector<Measurement>& measured = ranking.round->measured.jobs;
    for (size_t i = 0; i < measured.size(); ++i)
        if (!measured[i].ms.empty()) ranking.places.push_back(i);
    std::ranges::sort(ranking.places, {}, [&](size_t place) { return measured[place].time.value; });
    const size_t best = ranking.places.front();
    const Anchors& anchors = search.anchors[candidate_at(search, *ranking.round, best).method];
    ranking.derived = place_of(*ranking.round, anchors.derived).value_or(best);
    ranking.to_derived = speedup(measured[ranking.derived].ms, measured[best].ms);
    std::vector<size_t> as_fast;
    for (const size_t place : ranking.places)
        if (is_as_fast(measured[place], measured[best])) as_fast.push_back(place);
    ranking.kept =
        *std::ranges::min_element(as_fast, {}, [&](size_t place) { return simplicity(search, *ranking.round, place); });
    return ranking;
}

std::optional<db::TuningFact> fact_of(const Search& search, const Ranking& ranking) {
    if (!ranking.round || ended_early(search)) return std::nullopt;
    const Round& round = *ranking.round;
    const KernelCell& cell = search.request.cell;
    const auto& [method, order] = candidate_at(search, round, ranking.kept);
    const Measurement& measurement = round.measured.jobs[ranking.kept];
    db::TuningFact fact;
    fact.kernel = cell.kernel;
    fact.method = search.methods[method].name;
    fact.order = stored_name(order);
    fact.format = traits_of(cell.format).name;
    fact.pattern = search.learned.id;
    fact.extent = {cell.size.width, cell.size.height};
    fact.radius = cell.radius;
    const Coord& shape = search.jobs[round.candidates[ranking.kept]].shape;
    fact.shape = {shape[axis_x], shape[axis_y]};
    fact.columns = columns_text(order.remap);
    fact.group_order = group_order_text(order.groups);
    fact.candidates = static_cast<uint32_t>(search.candidates.size());
    fact.samples = static_cast<uint32_t>(measurement.ms.size());
    fact.discarded = measurement.discarded;
    fact.median_ms = measurement.time.value;
    fact.interval_ms = finite_ends(measurement.time);
    const auto compare = [&](std::optional<size_t> place, double& over, std::array<double, 2>& interval) {
        if (!place || *place == ranking.kept) return;
        const Estimate ratio = speedup(round.measured.jobs[*place].ms, measurement.ms);
        over = ratio.value;
        interval = finite_ends(ratio);
    };
    const Anchors& anchors = search.anchors[method];
    compare(place_of(round, anchors.row), fact.over_row, fact.over_row_interval);
    compare(place_of(round, anchors.morton), fact.over_morton, fact.over_morton_interval);
    compare(place_of(round, anchors.derived), fact.over_derived, fact.over_derived_interval);
    compare(ranking.places.front(), fact.over_best, fact.over_best_interval);
    fact.time = db::utc_now();
    fact.tool_version = TILEWISE_VERSION;
    return fact;
}

OrderedJson to_json(const Search& search, const Ranking& ranking) {
    const KernelCell& cell = search.request.cell;
    OrderedJson json = {{"tool_version", TILEWISE_VERSION},
                        {"device", db::to_json(search.bench.device)},
                        {"driver", db::to_json(search.bench.driver)},
                        {"kernel", cell.kernel},
                        {"format", traits_of(cell.format).name},
                        {"radius", cell.radius},
                        {"extent", extent_of(cell)},
                        {"seed", search.request.candidates.seed},
                        {"candidates", search.rounds.front().candidates.size()},
                        {"interrupted", interrupted.load()},
                        {"failure", search.rounds.back().measured.failure}};
    if (ranking.round) {
        const Round& last = *ranking.round;
        json["derived"] = candidate_json(search, last, ranking.derived);
        json["best"] = candidate_json(search, last, ranking.places.front());
        json["best_over_derived"] = ranking.to_derived.value;
        json["best_over_derived_interval"] = std::isfinite(ranking.to_derived.high)
                                                 ? OrderedJson{ranking.to_derived.low, ranking.to_derived.high}
                                                 : OrderedJson(nullptr);
        json["verdict"] = verdict_name(verdict(ranking.to_derived));
        json["kept"] = candidate_json(search, last, ranking.kept);
    }
    json["heats"] = OrderedJson::array();
    for (const Round& round : search.rounds) {
        OrderedJson list = OrderedJson::array();
        for (size_t i = 0; i < round.candidates.size(); ++i) list.push_back(candidate_json(search, round, i));
        json["heats"].push_back(std::move(list));
    }
    json["wrong"] = OrderedJson::array();
    for (const auto& [candidate, reason] : search.wrong)
        json["wrong"].push_back({{"job", job_text(search.jobs[candidate])},
                                 {"columns", columns_text(search.candidates[candidate].order.remap)},
                                 {"reason", reason}});
    return json;
}

}  // namespace tilewise
