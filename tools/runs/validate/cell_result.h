// What was measured of one cell: as facts to keep and as JSON.
#pragma once
#include "db/facts/validation.h"
#include "kernels/kernel_list.h"
#include "kernels/measure/measure.h"
#include <nlohmann/json.hpp>
#include <optional>

namespace tilewise {

struct CellResult {
    KernelCell cell;
    std::string pattern;  ///< id of the pattern that `learned` was learned from; "" where there was none
    std::vector<kernels::Job> jobs;
    kernels::Measurements measured;
    std::vector<kernels::Estimate> speedups;  ///< by job, over its baseline; NaN without one
    /// By job: "faster", "slower", "no difference"; "baseline" where it is what others are compared with.
    std::vector<std::string> verdicts;
    double bandwidth = 0;  ///< bytes a millisecond of a copy; 0: not measured
};

/// Lets go of what the jobs hold: they cannot run any more.
CellResult cell_result(KernelCell cell, std::string pattern, std::vector<kernels::Job> jobs,
                       kernels::Measurements measured, double bandwidth);

/// Jobs that were wrong.
size_t failures(const CellResult& result);

/// The facts of all that was timed.
std::vector<db::ValidationFact> facts_of(const CellResult& result);

/// Keeps these.
void keep(db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver, const CellResult& result);

/// Whether it was timed; whether it was run and gave something wrong.
bool is_timed(const kernels::Measurement& measurement);
bool is_wrong(const kernels::Measurement& measurement);

/// What moving the minimum traffic of a job takes at the rate of a copy, in milliseconds; 0 where that is not known.
double minimum_traffic_ms(const CellResult& result, size_t job);

nlohmann::ordered_json to_json(const CellResult& result);

/// The fastest job of an order, whatever its shape; of the method `direct` where there are several. None: not measured.
std::optional<size_t> best_of_order(const CellResult& result, const std::string& order);

}  // namespace tilewise
