// Checks and times the methods of kernels on one device within a given time, the most promising first. Afterwards
// `advise` answers from the results.
#pragma once
#include "tools/answers/advice/advice.h"
#include "tools/runs/measure/time_budget.h"
#include "tools/runs/validate/cell_result.h"
#include "tools/runs/validate/workbench.h"

namespace tilewise {

struct MeasurePlan {
    std::vector<std::string> kernels;
    std::shared_ptr<const kernels::FilterText> filter;  ///< in place of kernels
    std::vector<kernels::Format> formats;
    std::vector<kernels::Size> sizes;
    std::vector<uint32_t> radii;
};

/// The plan's cells, those with the least work first: they finish soonest, and show how long the others will take.
std::vector<KernelCell> cells_of(const MeasurePlan& plan);

/// The outcome of one cell.
struct MeasuredVerdict {
    KernelCell cell;
    std::optional<TimedWay> way;        ///< what `advise` says about it now; none: nothing was timed
    size_t timed = 0;                   ///< methods in orders
    std::vector<std::string> left_out;  ///< methods in orders that there was no time for; job_text()
    std::vector<std::string> wrong;     ///< with the first texel that differs
    std::vector<std::string> cannot;    ///< with what the device lacks
};

struct MeasuredDevice {
    std::vector<MeasuredVerdict> verdicts;  ///< of the cells in which something was timed or wrong
    std::vector<KernelCell> left_out;       ///< the cells that there was no time for
    std::string failure;                    ///< the device was lost or hung: kernels::Measurements::failure
    bool hung = false;
};

/// Reports that `done` of all cells are finished, and what is in progress.
using OnCell = std::function<void(size_t done, const std::string& what)>;

/// `learned` has the pattern of each format for which one is known; the other formats run in row and Morton order only.
/// Everything that was timed is in the database, even if this throws. When `budget` is over the run ends in good order:
/// what was not timed is left out.
MeasuredDevice measure_cells(Workbench& bench, db::Database& database, const MeasurePlan& plan,
                             const std::map<kernels::Format, LearnedPattern>& learned, const TimeBudget& budget,
                             const OnCell& on_cell);

}  // namespace tilewise
