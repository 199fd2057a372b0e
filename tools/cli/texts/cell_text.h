// The measurements of one cell as lines to read.
#pragma once
#include "tools/cli/terminal/print.h"
#include "tools/runs/validate/cell_result.h"

namespace tilewise {

/// A line of titles, then one line per job.
std::vector<Row> cell_rows(const CellResult& result);

/// "WRONG: box, direct, ...: texel (3, 0) ..." for each job that was wrong, "not timed: ..." for each that was skipped.
std::vector<std::string> failure_lines(const CellResult& result);

}  // namespace tilewise
