// What was measured of one cell: as facts to keep, as lines to read, as JSON.
#pragma once
#include "db/facts/validation.h"
#include "kernels/kernel_list.h"
#include "kernels/measure/measure.h"
#include "tools/cli/terminal/print.h"
#include <optional>

namespace tilewise {

struct CellResult {
    KernelCell cell;
    std::string pattern;  ///< id of the pattern that `learned` was learned from; "" where there was none
    std::vector<kernels::Job> jobs;
    kernels::Measured measured;
    /// By job: the one that it is compared with. Row order of the same method, or else the first row order of all.
    std::vector<std::optional<size_t>> baselines;
    std::vector<kernels::Estimate> speedups;  ///< by job, over its baseline; NaN without one
    double bandwidth = 0;                     ///< bytes a millisecond of a copy; 0: not measured
};

/// Lets go of what the jobs hold: they cannot run any more.
CellResult cell_result(KernelCell cell, std::string pattern, std::vector<kernels::Job> jobs, kernels::Measured measured,
                       double bandwidth);

/// Jobs that were wrong.
size_t failures(const CellResult& result);

/// The facts of all that was timed.
std::vector<db::ValidationFact> facts_of(const CellResult& result);

/// A line of titles, then a line a job.
std::vector<Row> rows_of(const CellResult& result);

/// "WRONG: box, direct, ...: texel (3, 0) ..." for each job that was wrong, "not timed: ..." for each that was skipped.
std::vector<std::string> failure_lines(const CellResult& result);

nlohmann::ordered_json to_json(const CellResult& result);

/// The fastest job of an order, whatever its shape; of the method `direct` where there are several. None: not measured.
std::optional<size_t> best_of_order(const CellResult& result, const std::string& order);

/// "faster", "slower", "no difference"; "too few samples" where the speed-up has no interval.
std::string verdict_text(const kernels::Estimate& speedup);

/// "4.698", "0.1085": four digits that mean something.
std::string ms_text(double ms);

}  // namespace tilewise
