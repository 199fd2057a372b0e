#include "tools/runs/validate/cell_result.h"
#include "db/facts/json.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilewise {

using namespace kernels;
using OrderedJson = nlohmann::ordered_json;

namespace {

/// The job that a job is compared with: row order of the same method, or else the first row order of all.
std::optional<size_t> baseline_of(const std::vector<Job>& jobs, size_t job) {
    const auto row_with = [&](bool same_method) {
        const auto found = std::ranges::find_if(jobs, [&](const Job& other) {
            return other.order == "row" && (!same_method || other.method == jobs[job].method);
        });
        return found == jobs.end() ? std::optional<size_t>() : static_cast<size_t>(found - jobs.begin());
    };
    const auto same = row_with(true);
    return same ? same : row_with(false);
}

db::ValidationFact fact_of(const CellResult& result, size_t index) {
    const Job& job = result.jobs[index];
    const Measurement& measurement = result.measured.jobs[index];
    db::ValidationFact fact;
    fact.kernel = job.kernel;
    fact.method = job.method;
    fact.order = job.order;
    fact.format = traits_of(job.format).name;
    fact.pattern = job.order == "learned" ? result.pattern : "";
    fact.extent = {job.size.width, job.size.height};
    fact.radius = job.radius;
    fact.shape = {job.shape[axis_x], job.shape[axis_y]};
    fact.invocations = job.invocations;
    fact.group_order = group_order_text(job.groups);
    fact.memory_type = static_cast<int32_t>(job.memory_type);
    fact.samples = static_cast<uint32_t>(measurement.ms.size());
    fact.discarded = measurement.discarded;
    fact.median_ms = measurement.time.value;
    fact.interval_ms = finite_ends(measurement.time);
    fact.verdict = result.verdicts[index];
    if (fact.verdict != "baseline" && std::isfinite(result.speedups[index].value)) {
        fact.ratio = result.speedups[index].value;
        fact.ratio_interval = finite_ends(result.speedups[index]);
    }
    fact.floor_ms = minimum_traffic_ms(result, index);
    fact.time = db::utc_now();
    fact.tool_version = TILEWISE_VERSION;
    return fact;
}

}  // namespace

bool is_timed(const Measurement& measurement) { return !measurement.ms.empty(); }

bool is_wrong(const Measurement& measurement) { return !measurement.failure.empty() && measurement.failure != not_run; }

double minimum_traffic_ms(const CellResult& result, size_t job) {
    return result.bandwidth > 0 ? static_cast<double>(result.jobs[job].minimum_bytes) / result.bandwidth : 0;
}

CellResult cell_result(KernelCell cell, std::string pattern, std::vector<Job> jobs, Measurements measured,
                       double bandwidth) {
    CellResult result = {std::move(cell), std::move(pattern), std::move(jobs), std::move(measured), {}, {}, bandwidth};
    // A hung device still uses what the jobs hold.
    if (!result.measured.hung)
        for (Job& job : result.jobs) job.record = {}, job.check = {};
    for (size_t i = 0; i < result.jobs.size(); ++i) {
        const std::optional<size_t> baseline = baseline_of(result.jobs, i);
        result.speedups.push_back(baseline ? speedup(result.measured.jobs[*baseline].ms, result.measured.jobs[i].ms)
                                           : speedup({}, {}));
        result.verdicts.emplace_back(baseline && baseline != i ? verdict_name(verdict(result.speedups.back()))
                                                               : "baseline");
    }
    return result;
}

size_t failures(const CellResult& result) {
    return static_cast<size_t>(std::ranges::count_if(result.measured.jobs, is_wrong));
}

std::vector<db::ValidationFact> facts_of(const CellResult& result) {
    std::vector<db::ValidationFact> facts;
    for (size_t i = 0; i < result.jobs.size(); ++i)
        if (is_timed(result.measured.jobs[i])) facts.push_back(fact_of(result, i));
    return facts;
}

void keep(db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
          const CellResult& result) {
    db::Transaction transaction(database.sqlite);
    for (const db::ValidationFact& fact : facts_of(result)) db::add_fact(database, device, driver, fact);
    transaction.commit();
}

OrderedJson to_json(const CellResult& result) {
    OrderedJson json = {{"kernel", result.cell.kernel},
                        {"format", traits_of(result.cell.format).name},
                        {"radius", result.cell.radius},
                        {"extent", {result.cell.size.width, result.cell.size.height}},
                        {"pattern", result.pattern},
                        {"steady", result.measured.steady},
                        {"warm_up_ms", result.measured.warm_up_ms},
                        {"failure", result.measured.failure},
                        {"results", OrderedJson::array()},
                        {"wrong", OrderedJson::array()},
                        {"not_timed", OrderedJson::array()}};
    for (size_t i = 0; i < result.jobs.size(); ++i) {
        const Measurement& measurement = result.measured.jobs[i];
        if (!is_timed(measurement)) {
            if (is_wrong(measurement))
                json["wrong"].push_back({{"job", job_text(result.jobs[i])}, {"reason", measurement.failure}});
            else
                json["not_timed"].push_back(job_text(result.jobs[i]));
            continue;
        }
        OrderedJson one = db::to_json(fact_of(result, i));
        one["repeats"] = measurement.repeats;
        one["converged"] = measurement.converged;
        one["over_floor"] = result.bandwidth > 0 ? OrderedJson(measurement.time.value / minimum_traffic_ms(result, i))
                                                 : OrderedJson(nullptr);
        json["results"].push_back(std::move(one));
    }
    return json;
}

std::optional<size_t> best_of_order(const CellResult& result, const std::string& order) {
    std::optional<size_t> best;
    const auto ms = [&](size_t job) { return result.measured.jobs[job].time.value; };
    const bool direct = std::ranges::any_of(result.jobs, [](const Job& job) { return job.method == direct_name; });
    for (size_t i = 0; i < result.jobs.size(); ++i) {
        const Job& job = result.jobs[i];
        if (job.order != order || (direct && job.method != direct_name) || !is_timed(result.measured.jobs[i])) continue;
        if (!best || ms(i) < ms(*best)) best = i;
    }
    return best;
}

}  // namespace tilewise
