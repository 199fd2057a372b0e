// The known figures of a device: how fast it starts workgroups and fetches texels, how many invocations are resident at
// once, its caches.
#pragma once
#include "db/facts/figure.h"
#include "kernels/figures/figures.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewise {

struct FigureFacts {
    std::vector<db::FigureFact> known;                ///< the newest for each name and format
    std::vector<kernels::Figures::Failure> failures;  ///< of the measurement: they are not stored
};

FigureFacts known_figures(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver);

/// Rows of three cells: "figures" (in the first row only), the subject, and the figure in words.
std::vector<std::vector<std::string>> figure_rows(const FigureFacts& figures);

/// Adds "figures" and, if something failed, "figure_failures".
void add_figure_json(const FigureFacts& figures, nlohmann::ordered_json& json);

}  // namespace tilewise
