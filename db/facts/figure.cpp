#include "db/facts/figure.h"

namespace tilewise::db {

void require_consistent(const FigureFact& fact) {
    if (fact.interval[1] > 0 && (fact.interval[0] > fact.value || fact.interval[1] < fact.value))
        throw Error(fmt::format("interval: must hold its figure, {}", fact.value));
}

std::vector<FigureFact> newest_figures(const Database& database, const DeviceFact& device, const DriverFact& driver) {
    std::vector<FigureFact> newest;
    for (const FigureRow& row : find_facts<FigureFact>(database, device, driver)) {
        const bool is_newer =
            !newest.empty() && newest.back().name == row.fact.name && newest.back().format == row.fact.format;
        if (is_newer) newest.pop_back();
        newest.push_back(row.fact);
    }
    return newest;
}

}  // namespace tilewise::db
