// The figures of a device: measured and kept, or looked up.
#pragma once
#include "db/facts/figure.h"
#include "kernels/figures/figures.h"
#include "probe/probe.h"
#include "tools/cli/terminal/print.h"
#include <vector>

namespace tilewise {

struct FigureFacts {
    std::vector<db::FigureFact> known;                ///< of each name and format the newest
    std::vector<kernels::Figures::Failure> failures;  ///< of the measurement: nothing of them is kept
};

FigureFacts known_figures(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver);

/// Runs kernels in this process: whatever is to be probed has been before.
FigureFacts measure_figures(const probe::DeviceInfo& device, db::Database& database);

std::vector<Row> figure_rows(const FigureFacts& figures);

/// "figures" and, where something failed, "figure_failures".
void add_figure_json(const FigureFacts& figures, nlohmann::ordered_json& json);

}  // namespace tilewise
