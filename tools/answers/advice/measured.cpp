#include "tools/answers/advice/measured.h"
#include "db/query/query.h"
#include "kernels/box/box.h"
#include "kernels/kernel_list.h"
#include "patterns/model/extent_text.h"
#include "tools/answers/gpu/known_device.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

namespace tilewise {

namespace {

using db::ValidationFact;

constexpr std::array<uint32_t, 2> usual_extent = {4096, 4096};  ///< the default of validate and tune

double octaves(double a, double b) { return a == b ? 0 : std::abs(std::log2(a / b)); }

/// A method that does not have the radius has no code for it.
bool has_radius(const std::string& method, const KernelQuestion& question) {
    return question.radius <= kernels::max_box_radius || method != kernels::method_name(kernels::RunningShape{});
}

/// The rows with this kernel and format.
template <typename Fact>
std::vector<db::Stored<Fact>> rows_of(const std::vector<db::Stored<Fact>>& rows, const KernelQuestion& question) {
    std::vector<db::Stored<Fact>> found;
    for (const db::Stored<Fact>& row : rows)
        if (row.fact.kernel == question.kernel && row.fact.format == question.format &&
            has_radius(row.fact.method, question))
            found.push_back(row);
    return found;
}

template <typename Fact>
void keep_radius(std::vector<db::Stored<Fact>>& rows, uint32_t radius) {
    std::erase_if(rows, [&](const db::Stored<Fact>& row) { return row.fact.radius != radius; });
}

/// The result that is nearest to the question in extent, then the newest.
struct NearestResult {
    db::DeviceFact device;
    std::array<uint32_t, 2> extent = {1, 1};
    double octaves = std::numeric_limits<double>::infinity();
    std::string time;
};

/// Among equally near and new rows, the last one counts; but none of `rows` replaces an equal result that is already
/// `nearest`.
template <typename Fact>
void take_nearest(NearestResult& nearest, const std::vector<db::Stored<Fact>>& rows, const KernelQuestion& question) {
    const NearestResult before = nearest;
    const auto is_nearer = [](const db::Stored<Fact>& row, double octaves, const NearestResult& other, bool wins_ties) {
        if (octaves != other.octaves) return octaves < other.octaves;
        return wins_ties ? row.fact.time >= other.time : row.fact.time > other.time;
    };
    for (const db::Stored<Fact>& row : rows) {
        const double octaves = octaves_between(row.fact.extent, question.extent.value_or(usual_extent));
        if (is_nearer(row, octaves, before, false) && is_nearer(row, octaves, nearest, true))
            nearest = {row.device, row.fact.extent, octaves, row.fact.time};
    }
}

MeasuredCell& cell_of(std::vector<MeasuredCell>& cells, const db::DeviceFact& device, const db::DriverFact& driver,
                      uint32_t radius, const std::array<uint32_t, 2>& extent) {
    for (MeasuredCell& cell : cells)
        if (cell.driver == driver && cell.extent == extent) return cell;
    return cells.emplace_back(MeasuredCell{device, driver, radius, extent, {}, {}});
}

/// The driver that each method was last measured with, by method and extent.
using NewestDrivers =
    std::map<std::pair<std::string, std::array<uint32_t, 2>>, std::pair<std::string, const db::DriverFact*>>;

template <typename Fact>
void take_drivers(NewestDrivers& newest, const std::vector<db::Stored<Fact>>& rows) {
    for (const db::Stored<Fact>& row : rows) {
        auto& known = newest[{row.fact.method, row.fact.extent}];
        if (known.second == nullptr || row.fact.time >= known.first) known = {row.fact.time, &row.driver};
    }
}

template <typename Fact>
bool is_of_newest(const NewestDrivers& newest, const db::Stored<Fact>& row) {
    return *newest.at({row.fact.method, row.fact.extent}).second == row.driver;
}

/// The radius of the cells that answer. The best method over images of one size need not be the best over these.
uint32_t answering_radius(const std::vector<db::ValidationRow>& timed, const std::vector<db::TuningRow>& tuned,
                          const KernelQuestion& question) {
    constexpr double octaves_alike = 2, octaves_of_radius = 4;
    const auto octaves_away = [&](const auto& fact) {
        return question.extent ? octaves(texels_of(fact.extent), texels_of(*question.extent)) : 0;
    };
    const auto answers = [&](const auto& row) {
        return row.fact.radius == question.radius && octaves_away(row.fact) <= octaves_alike;
    };
    if (timed.empty() || std::ranges::any_of(timed, answers) || std::ranges::any_of(tuned, answers))
        return question.radius;
    const auto distance = [&](const db::ValidationRow& row) {
        const bool is_other_extent = question.extent && row.fact.extent != *question.extent;
        return octaves_of_radius * octaves(row.fact.radius, question.radius) + octaves_away(row.fact) + is_other_extent;
    };
    return std::ranges::min_element(timed, {}, distance)->fact.radius;
}

/// The rank by simplicity: a method with an order of its own is as simple as row order, and workgroups in launch order
/// come before others.
auto simplicity(const ValidationFact& fact) {
    constexpr std::array<std::string_view, 5> orders = {"", "row", "morton", "rdna", "learned"};
    return std::pair(!is_as_launched(fact), std::ranges::find(orders, fact.order) - orders.begin());
}

}  // namespace

std::string extent_of(const std::array<uint32_t, 2>& extent) { return extent_text(Extent_px{extent[0], extent[1], 1}); }

double octaves_between(const std::array<uint32_t, 2>& extent, const std::array<uint32_t, 2>& other) {
    return extent == other ? 0 : 1 + octaves(texels_of(extent), texels_of(other));
}

TimeScale MeasuredCells::scale(const std::string& method, const MeasuredCell& cell,
                               const std::array<uint32_t, 2>& to) const {
    const TimeSurface& known = method == kernels::direct_name ? direct_times : times;
    const auto here = known.ms(cell.radius, cell.extent), of_radius = known.ms(radius, cell.extent);
    TimeScale scale = {here && of_radius ? *of_radius / *here : 1};
    if (to == cell.extent) return scale;
    const auto there = known.ms(radius, to);
    if (there && here) return {*there / *here};
    return {scale.factor * texels_of(to) / texels_of(cell.extent), true};
}

std::optional<MeasuredCells> find_measured(const std::vector<db::ValidationRow>& validations,
                                           const std::vector<db::TuningRow>& tunings, const KernelQuestion& question) {
    std::vector<db::ValidationRow> timed = rows_of(validations, question);
    std::vector<db::TuningRow> tuned = rows_of(tunings, question);
    keep_radius(tuned, question.radius);
    if (timed.empty() && tuned.empty()) return std::nullopt;
    const uint32_t radius = answering_radius(timed, tuned, question);
    std::vector<db::ValidationRow> of_all_radii = timed;
    keep_radius(timed, radius);
    keep_radius(tuned, radius);

    NearestResult nearest;
    take_nearest(nearest, timed, question);
    take_nearest(nearest, tuned, question);
    const auto is_elsewhere = [&](const auto& row) { return !(row.device == nearest.device); };
    std::erase_if(timed, is_elsewhere);
    std::erase_if(tuned, is_elsewhere);
    std::erase_if(of_all_radii, is_elsewhere);

    NewestDrivers drivers;
    take_drivers(drivers, timed);
    take_drivers(drivers, tuned);
    MeasuredCells found;
    found.extent = question.extent.value_or(nearest.extent);
    found.radius = question.radius;
    found.times = TimeSurface(of_all_radii);
    std::erase_if(of_all_radii, [](const db::ValidationRow& row) { return !is_direct(row.fact); });
    found.direct_times = TimeSurface(of_all_radii);
    // Rows are sorted from the oldest to the newest: a later row replaces the one that it repeats.
    std::map<std::tuple<std::array<uint32_t, 2>, std::string, std::string, std::array<uint32_t, 2>, std::string>,
             const db::ValidationRow*>
        newest;
    for (const db::ValidationRow& row : timed)
        if (is_of_newest(drivers, row))
            newest[{row.fact.extent, row.fact.method, row.fact.order, row.fact.shape, row.fact.group_order}] = &row;
    for (const auto& [key, row] : newest)
        cell_of(found.cells, row->device, row->driver, radius, row->fact.extent).facts.push_back(row->fact);
    for (const db::TuningRow& row : tuned) {
        if (!is_of_newest(drivers, row)) continue;
        std::vector<db::TuningFact>& facts =
            cell_of(found.cells, row.device, row.driver, radius, row.fact.extent).tuned;
        const auto known = std::ranges::find(facts, row.fact.method, &db::TuningFact::method);
        if (known == facts.end())
            facts.push_back(row.fact);
        else if (known->time <= row.fact.time)
            *known = row.fact;
    }
    // validate times every method of a kernel: where it timed several, the best of all is among them.
    double least = std::numeric_limits<double>::infinity();
    for (const MeasuredCell& cell : found.cells) {
        const auto is_other = [&](const ValidationFact& fact) { return fact.method != cell.facts.front().method; };
        if (std::ranges::any_of(cell.facts, is_other))
            least = std::min(least, octaves_between(cell.extent, found.extent));
    }
    if (question.extent)
        std::erase_if(found.cells,
                      [&](const MeasuredCell& cell) { return octaves_between(cell.extent, found.extent) > least; });
    return found;
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
    if (!std::isfinite(ratio.high)) ratio.low = ratio.high = ratio.value;  // too few samples: by the medians alone
    return verdict(ratio) != kernels::Verdict::slower;
}

bool is_as_launched(const ValidationFact& fact) { return fact.group_order == group_order_text({}); }

bool is_direct(const ValidationFact& fact) { return fact.method == kernels::direct_name; }

std::string family_of(const std::string& method) {
    const std::string family = method.substr(0, method.find(','));
    return family.starts_with(kernels::direct_name) ? kernels::direct_name : family;
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
    const auto is_exact = [](const ValidationFact& fact) { return !is_approximate(fact.method, fact.format); };
    const auto is_rounded = [](const ValidationFact& fact) { return is_approximate(fact.method, fact.format); };
    const auto is_learned = [](const ValidationFact& fact) { return !fact.pattern.empty(); };
    for (const std::function<bool(const ValidationFact&)>& counts :
         {std::function<bool(const ValidationFact&)>(is_exact), {is_direct}, {is_rounded}, {is_learned}}) {
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
    // If invocations take several texels each, these are in boxes one below the other.
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
