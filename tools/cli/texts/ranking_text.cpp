#include "tools/cli/texts/ranking_text.h"
#include "tools/cli/terminal/print.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

using namespace kernels;

namespace {

std::string behind_text(const Estimate& ratio) {
    std::string text = fmt::format("{:.2f}%", 100 * (ratio.value - 1));
    if (!std::isfinite(ratio.high)) return text;
    return fmt::format("{} (95%: {:.2f}..{:.2f}%)", text, 100 * (ratio.low - 1), 100 * (ratio.high - 1));
}

std::string cell_extent(const KernelCell& cell) { return fmt::format("{}x{}", cell.size.width, cell.size.height); }

/// The columns of the table besides the times.
struct Columns {
    bool methods = false, groups = false;  ///< whether there are several
};

Row row_of(const Search& search, const Ranking& ranking, size_t place, const Columns& columns) {
    const Round& round = *ranking.round;
    const auto& [method, order] = candidate_at(search, round, place);
    const Measurement& measurement = round.measured.jobs[place];
    const auto registers = search.registers.find(round.candidates[place]);
    Row row;
    if (columns.methods) row.emplace_back(search.methods[method].name);
    row.insert(row.end(), {order.name, shape_text(order.remap.shape)});
    if (columns.groups) row.push_back(group_order_text(order.groups));
    row.push_back(ms_text(measurement.time.value));
    row.push_back(std::isfinite(measurement.time.high)
                      ? fmt::format("{}..{}", ms_text(measurement.time.low), ms_text(measurement.time.high))
                      : "");
    row.push_back(std::to_string(measurement.ms.size()));
    row.push_back(fmt::format("{:.4f}", speedup(round.measured.jobs[ranking.derived].ms, measurement.ms).value));
    row.push_back(registers == search.registers.end() ? "-" : std::to_string(registers->second));
    row.push_back(columns_text(order.remap));
    return row;
}

}  // namespace

void print_ranking(const Search& search, const Ranking& ranking) {
    const KernelCell& cell = search.request.cell;
    const Round& last = *ranking.round;
    const Columns columns = {search.methods.size() > 1, std::ranges::any_of(ranking.places, [&](size_t place) {
                                 return candidate_at(search, last, place).order.groups.kind != GroupOrderKind::linear;
                             })};
    Row titles;
    if (columns.methods) titles.emplace_back("method");
    titles.insert(titles.end(), {"order", "shape"});
    if (columns.groups) titles.emplace_back("groups");
    titles.insert(titles.end(), {"ms", "95%", "samples", "over derived", "registers", "bits of the index"});
    std::vector<Row> rows = {titles};
    for (const size_t place : ranking.places) rows.push_back(row_of(search, ranking, place, columns));
    print_line(fmt::format("{}, {}, on {} ({})", cell_text(cell), cell_extent(cell), search.bench.device.name,
                           driver_text(search.bench.driver)));
    std::vector<std::string> counts;
    for (const Round& round : search.rounds) counts.push_back(std::to_string(round.candidates.size()));
    print_text(
        fmt::format("successive halving of the candidates: {}; the last round:\n", fmt::join(counts, ", then ")));
    print_columns(rows, 2);
    print_text(
        fmt::format("The derived order is {} behind the best found: {}.\n", behind_text(ranking.to_derived),
                    verdict(ranking.to_derived) == Verdict::faster ? "the best one is faster" : "no difference"));
    if (ended_early(search)) return;
    const auto& [method, order] = candidate_at(search, last, ranking.kept);
    const bool is_best = ranking.kept == ranking.places.front();
    print_line(fmt::format("Kept for advise and snippet: {}, {} {}{}{}.", search.methods[method].name,
                           stored_name(order), shape_text(order.remap.shape),
                           order.groups.kind == GroupOrderKind::linear
                               ? ""
                               : fmt::format(", groups in {}", group_order_text(order.groups)),
                           is_best ? "" : ", the simplest that cannot be told from the best"));
}

}  // namespace tilewise
