#include "tools/cli/texts/cell_text.h"
#include <cmath>
#include <fmt/format.h>

namespace tilewise {

using namespace kernels;

namespace {

std::string interval_text(const Estimate& estimate) {
    if (!std::isfinite(estimate.high)) return "";
    return fmt::format("{}..{}", ms_text(estimate.low), ms_text(estimate.high));
}

Row row_of(const CellResult& result, size_t index) {
    const Job& job = result.jobs[index];
    const Measurement& measurement = result.measured.jobs[index];
    const std::string groups = job.groups.kind == GroupOrderKind::linear ? "" : " in " + group_order_text(job.groups);
    Row row = {job.method, job.order.empty() ? "-" : job.order, shape_text(job.shape) + groups};
    if (!is_timed(measurement)) {
        row.emplace_back(is_wrong(measurement) ? "WRONG" : "not timed");
        return row;
    }
    const std::string& verdict = result.verdicts[index];
    const Estimate& ratio = result.speedups[index];
    row.push_back(ms_text(measurement.time.value));
    row.push_back(interval_text(measurement.time));
    row.push_back(fmt::format("{}{}", measurement.ms.size(),
                              measurement.discarded ? fmt::format("-{}", measurement.discarded) : ""));
    row.push_back(verdict == "baseline" ? "" : fmt::format("{:.3f}", ratio.value));
    row.push_back(verdict == "baseline" || !std::isfinite(ratio.high)
                      ? ""
                      : fmt::format("{:.3f}..{:.3f}", ratio.low, ratio.high));
    row.push_back((verdict == "baseline" ? verdict : verdict_text(ratio)) + (measurement.converged ? "" : " *"));
    if (result.bandwidth > 0)
        row.push_back(fmt::format("{:.2f}", measurement.time.value / minimum_traffic_ms(result, index)));
    return row;
}

}  // namespace

std::vector<Row> cell_rows(const CellResult& result) {
    std::vector<Row> rows = {{"method", "order", "shape", "ms", "95%", "samples", "speed-up", "95%", "verdict"}};
    if (result.bandwidth > 0) rows.front().push_back("x floor");
    for (size_t i = 0; i < result.jobs.size(); ++i) rows.push_back(row_of(result, i));
    return rows;
}

std::vector<std::string> failure_lines(const CellResult& result) {
    std::vector<std::string> lines;
    for (size_t i = 0; i < result.jobs.size(); ++i)
        if (is_wrong(result.measured.jobs[i]))
            lines.push_back(fmt::format("WRONG: {}: {}", job_text(result.jobs[i]), result.measured.jobs[i].failure));
        else if (!result.jobs[i].skipped.empty())
            lines.push_back(fmt::format("not timed: {}: {}", job_text(result.jobs[i]), result.jobs[i].skipped));
    return lines;
}

}  // namespace tilewise
