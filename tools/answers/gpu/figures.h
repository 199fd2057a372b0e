// The figures of a device that are known: how fast it starts workgroups and fetches texels, what it holds at once, its
// caches.
#pragma once
#include "db/facts/figure.h"
#include "kernels/figures/figures.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewise {

struct FigureFacts {
    std::vector<db::FigureFact> known;                ///< of each name and format the newest
    std::vector<kernels::Figures::Failure> failures;  ///< of the measurement: nothing of them is kept
};

FigureFacts known_figures(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver);

/// Rows of three cells: "figures" in the first row alone, what it is about, and the figure in words.
std::vector<std::vector<std::string>> figure_rows(const FigureFacts& figures);

/// "figures" and, where something failed, "figure_failures".
void add_figure_json(const FigureFacts& figures, nlohmann::ordered_json& json);

}  // namespace tilewise
