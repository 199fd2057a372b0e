// The measurements of one cell: as facts to store, and as JSON.
#pragma once
#include "db/facts/validation.h"
#include "kernels/kernel_list.h"
#include "kernels/measure/measure.h"
#include <nlohmann/json.hpp>
#include <optional>

namespace tilewise {

struct CellResult {
    KernelCell cell;
    std::string pattern;  ///< id of the pattern behind the order `learned`; "" if there is none
    std::vector<kernels::Job> jobs;
    kernels::Measurements measured;
    std::vector<kernels::Estimate> speedups;  ///< by job, over its baseline; NaN without one
    /// By job: "faster", "slower", "no difference"; "baseline" for the job that others are compared with.
    std::vector<std::string> verdicts;
    double bandwidth = 0;  ///< of a copy, in bytes per millisecond; 0: not measured
};

/// Releases what the jobs hold: they cannot run any more.
CellResult cell_result(KernelCell cell, std::string pattern, std::vector<kernels::Job> jobs,
                       kernels::Measurements measured, double bandwidth);

/// The number of jobs with wrong results.
size_t failures(const CellResult& result);

/// The facts of everything that was timed.
std::vector<db::ValidationFact> facts_of(const CellResult& result);

/// Stores these facts.
void keep(db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver, const CellResult& result);

/// Whether it was timed; whether it ran and gave a wrong result.
bool is_timed(const kernels::Measurement& measurement);
bool is_wrong(const kernels::Measurement& measurement);

/// The time to move a job's minimum traffic at the rate of a copy, in milliseconds; 0 if the rate is not known.
double minimum_traffic_ms(const CellResult& result, size_t job);

nlohmann::ordered_json to_json(const CellResult& result);

/// The fastest job in an order, whatever its shape; of the method `direct` if there are several methods. None: not
/// measured.
std::optional<size_t> best_of_order(const CellResult& result, const std::string& order);

}  // namespace tilewise
