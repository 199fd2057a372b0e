#include "tools/answers/advice/measured.h"
#include "db/query/query.h"
#include "kernels/kernel_list.h"
#include "kernels/separable/filter_method.h"
#include "tools/answers/gpu/known_device.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace tilewise {

namespace {

using db::ValidationFact;

constexpr std::array<uint32_t, 2> usual_shape = {16, 16};

double octaves(double a, double b) { return a == b ? 0 : std::abs(std::log2(a / b)); }

double texels(const std::array<uint32_t, 2>& extent) { return double{1} * extent[0] * extent[1]; }

/// Smaller is nearer.
template <typename Fact>
auto distance(const Fact& fact, const KernelQuestion& question) {
    const double extent = !question.extent || *question.extent == fact.extent
                              ? 0
                              : 1 + octaves(texels(fact.extent), texels(*question.extent));
    return std::tuple(octaves(fact.radius, question.radius), extent);
}

/// What has an order of its own is as simple as row order. Workgroups as they are launched come before others.
auto simplicity(const ValidationFact& fact) {
    constexpr std::array<std::string_view, 5> orders = {"", "row", "morton", "rdna", "learned"};
    return std::pair(!is_as_launched(fact), std::ranges::find(orders, fact.order) - orders.begin());
}

}  // namespace

std::optional<MeasuredCell> find_measured(std::vector<db::ValidationRow> rows, const KernelQuestion& question) {
    std::erase_if(rows, [&](const db::ValidationRow& row) {
        return row.fact.kernel != question.kernel || row.fact.format != question.format;
    });
    if (rows.empty()) return std::nullopt;
    const db::ValidationRow* nearest = &rows.front();
    for (const db::ValidationRow& row : rows)
        if (distance(row.fact, question) <= distance(nearest->fact, question)) nearest = &row;  // the newest come last
    MeasuredCell cell = {nearest->device, nearest->driver, {}};
    std::map<std::tuple<std::string, std::string, std::array<uint32_t, 2>, std::string>, const ValidationFact*> newest;
    for (const db::ValidationRow& row : rows)
        if (row.device == cell.device && row.driver == cell.driver && row.fact.radius == nearest->fact.radius &&
            row.fact.extent == nearest->fact.extent)
            newest[{row.fact.method, row.fact.order, row.fact.shape, row.fact.group_order}] = &row.fact;
    for (const auto& [key, fact] : newest) cell.facts.push_back(*fact);
    return cell;
}

std::optional<db::TuningRow> find_tuned(const std::vector<db::TuningRow>& rows, const KernelQuestion& question) {
    const db::TuningRow* nearest = nullptr;
    for (const db::TuningRow& row : rows) {
        const db::TuningFact& fact = row.fact;
        if (fact.kernel != question.kernel || fact.format != question.format || fact.radius != question.radius)
            continue;
        const bool is_nearer = !nearest || std::tuple(distance(fact, question), nearest->fact.time) <=
                                               std::tuple(distance(nearest->fact, question), fact.time);
        if (is_nearer) nearest = &row;
    }
    return nearest ? std::optional(*nearest) : std::nullopt;
}

bool has_interval(const ValidationFact& fact) { return fact.interval_ms[1] > 0; }

kernels::Estimate times_as_fast(const ValidationFact& fact, const ValidationFact& baseline) {
    kernels::Estimate ratio = {baseline.median_ms / fact.median_ms, 0, std::numeric_limits<double>::infinity()};
    if (has_interval(fact) && has_interval(baseline)) {
        ratio.low = baseline.interval_ms[0] / fact.interval_ms[1];
        ratio.high = baseline.interval_ms[1] / fact.interval_ms[0];
    }
    return ratio;
}

bool is_as_fast(const ValidationFact& fact, const ValidationFact& other) {
    kernels::Estimate ratio = times_as_fast(fact, other);
    if (!std::isfinite(ratio.high)) ratio.low = ratio.high = ratio.value;  // too few samples: as far as they go
    return verdict(ratio) != kernels::Verdict::slower;
}

bool is_as_launched(const ValidationFact& fact) { return fact.group_order == group_order_text({}); }

bool is_direct(const ValidationFact& fact) { return fact.method == kernels::direct_name; }

bool is_approximate(const ValidationFact& fact) {
    const auto method = kernels::filter_method_named(fact.method);
    return method && sampling_of(*method) != kernels::Sampling::exact;
}

const ValidationFact* fastest(const MeasuredCell& cell, const std::function<bool(const ValidationFact&)>& counts) {
    std::vector<const ValidationFact*> counted;
    for (const ValidationFact& fact : cell.facts)
        if (counts(fact)) counted.push_back(&fact);
    if (counted.empty()) return nullptr;
    const ValidationFact& best = **std::ranges::min_element(counted, {}, &ValidationFact::median_ms);
    std::erase_if(counted,
                  [&](const ValidationFact* fact) { return fact->method != best.method || !is_as_fast(*fact, best); });
    return *std::ranges::min_element(
        counted, {}, [](const ValidationFact* fact) { return std::tuple(simplicity(*fact), fact->median_ms); });
}

const ValidationFact* in_16x16(const MeasuredCell& cell, const ValidationFact& fact, std::string_view order) {
    const auto found = std::ranges::find_if(cell.facts, [&](const ValidationFact& other) {
        return other.order == order && other.shape == usual_shape && is_as_launched(other) &&
               other.method == (fact.order.empty() ? kernels::direct_name : fact.method);
    });
    return found == cell.facts.end() ? nullptr : &*found;
}

std::vector<ValidationFact> facts_that_advise(const MeasuredCell& cell) {
    std::vector<ValidationFact> facts;
    const auto add = [&](const ValidationFact* fact) {
        if (fact && std::ranges::find(facts, *fact) == facts.end()) facts.push_back(*fact);
    };
    const auto is_exact = [](const ValidationFact& fact) { return !is_approximate(fact); };
    const auto is_learned = [](const ValidationFact& fact) { return !fact.pattern.empty(); };
    for (const std::function<bool(const ValidationFact&)>& counts :
         {std::function<bool(const ValidationFact&)>(is_exact), {is_direct}, {is_approximate}, {is_learned}}) {
        const ValidationFact* chosen = fastest(cell, counts);
        if (!chosen) continue;
        add(chosen);
        const ValidationFact* quickest = chosen;
        for (const ValidationFact& fact : cell.facts)
            if (counts(fact) && fact.median_ms < quickest->median_ms) quickest = &fact;
        add(quickest);
        for (const char* order : {"row", "morton"}) add(in_16x16(cell, *chosen, order));
    }
    return facts;
}

std::optional<Remap> remap_of(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
                              const ValidationFact& fact) {
    // Invocations that take several texels have them one box below the other.
    const uint64_t area = uint64_t{fact.shape[0]} * fact.shape[1];
    const bool has_whole_boxes = fact.invocations > 0 && area % fact.invocations == 0;
    const uint64_t boxes = has_whole_boxes ? area / fact.invocations : 1;
    if (fact.shape[1] % boxes != 0) return std::nullopt;
    const Coord shape = {fact.shape[0], static_cast<uint32_t>(fact.shape[1] / boxes), 1, 1};
    if (fact.order == "row") return row_order(shape);
    if (fact.order == "morton") return morton_order(shape);
    if (fact.order == "rdna") return rdna_order();
    if (fact.order != "learned" || fact.pattern.empty() || is_in_squares(fact.kernel, fact.method)) return std::nullopt;
    const Pattern pattern = db::pattern_summary(database, fact.pattern).layout.pattern;
    return choose_workgroup(pattern, known_device(database, device, driver), {.shape = shape}).derivation.remap;
}

}  // namespace tilewise
