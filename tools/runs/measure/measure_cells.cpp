#include "tools/runs/measure/measure_cells.h"
#include "kernels/box/box.h"
#include "patterns/model/error.h"
#include "tools/answers/advice/measured_advice.h"
#include "tools/answers/advice/ranking.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <tuple>

namespace tilewise {

using namespace kernels;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The work of a cell's methods, in texels that the direct method reads.
double work_of(const KernelCell& cell) {
    const double diameter = 2.0 * cell.radius + 1;
    const double reads = cell.kernel == "box" ? diameter * diameter : 2 * diameter;
    return static_cast<double>(count(cell.size)) * reads;
}

std::vector<KernelCell> cells_of(const MeasurePlan& plan, Format format, Size size) {
    std::vector<KernelCell> cells;
    if (plan.filter)
        for (const uint32_t radius : plan.radii)
            cells.push_back({plan.filter->kernel, format, size, radius, plan.filter});
    for (const std::string& kernel : plan.kernels) {
        if (!family_named(kernel).has_radius)
            cells.push_back({kernel, format, size, 0, {}});
        else
            for (const uint32_t radius : plan.radii) cells.push_back({kernel, format, size, radius, {}});
    }
    return cells;
}

KernelQuestion question_of(const KernelCell& cell) {
    KernelQuestion question = {cell.kernel, traits_of(cell.format).name, cell.radius};
    question.extent = {cell.size.width, cell.size.height};
    if (cell.radius == 0) question.access = ImageAccess::copy;
    return question;
}

/// The advice from timings of this device model with this driver.
std::optional<Advice> own_advice(const db::Database& database, const Workbench& bench, const KernelCell& cell) {
    return measured_advice(database, db::find_facts<db::ValidationFact>(database, bench.device, bench.driver),
                           db::find_facts<db::TuningFact>(database, bench.device, bench.driver), question_of(cell));
}

/// The families of the cell's methods, the most promising first: ranked by this device's own timings, or else by
/// others'.
std::vector<std::string> promising_families(const db::Database& database, const Workbench& bench,
                                            const KernelCell& cell, const LearnedPattern* learned) {
    Advice advice;
    if (auto own = own_advice(database, bench, cell)) {
        advice = std::move(*own);
    } else {
        advice.question = question_of(cell);
        advice.device = bench.device.name;
        if (learned) advice.pattern = learned->id;
        const std::optional<db::NamedGpu> named = db::gpu_of_device(bench.device);
        rank_elsewhere(advice, database, {{bench.device}, named ? std::optional(named->chip) : std::nullopt});
    }
    std::vector<std::string> families;
    for (const RankedFamily& each : advice.ranking.families) families.push_back(each.family);
    return families;
}

/// The orders to time. Row order in 16x16 comes first: everything is compared with it.
std::vector<Order> orders_of(const Workbench& bench, const KernelCell& cell, ImagePool& images,
                             const LearnedPattern* learned) {
    constexpr Coord usual_shape = {16, 16, 1, 1};
    std::vector<Order> orders = {{"row", row_order(usual_shape)}};
    if (learned && !learned->is_row) {
        const Order derived =
            derived_for_method(images, *learned, cell, ordered_methods(bench.context, cell).front()).order;
        orders.push_back(derived);
        if (!(derived.groups == GroupOrder{})) orders.push_back({"learned", derived.remap});
    }
    orders.push_back({"morton", morton_order(usual_shape)});
    std::erase_if(orders,
                  [&](const Order& order) { return element_count(order.remap.shape) > bench.context.max_invocations; });
    if (orders.empty() || orders.front().name != "row") orders.insert(orders.begin(), {"row", row_order({8, 8, 1, 1})});
    return orders;
}

/// All methods in these orders, and those methods that have an order of their own.
std::vector<Job> all_jobs(const Workbench& bench, const KernelCell& cell, ImagePool& images,
                          const References& references, const std::vector<Order>& orders) {
    std::vector<Job> jobs;
    for (const OrderedMethod& method : ordered_methods(bench.context, cell))
        for (const Order& order : method.in_squares ? one_of_each(orders) : orders)
            jobs.push_back(method.job(images, references, cell, order));
    std::ranges::move(jobs_of(images, references, cell, {}), std::back_inserter(jobs));
    return jobs;
}

/// Sorts the jobs: the baseline, the best of the first family, memory order of the direct method, other families, other
/// orders, and methods whose results are rounded differently.
void put_promising_first(std::vector<Job>& jobs, const std::vector<std::string>& families, std::string_view format) {
    const auto rank = [&, baseline = jobs.front().method](const Job& job) {
        const auto family = std::ranges::find(families, family_of(job.method)) - families.begin();
        const bool is_baseline = job.method == baseline && job.order == "row";
        const bool is_first = family == 0 && !families.empty();
        const int step = is_baseline                          ? 0
                         : is_approximate(job.method, format) ? 4
                         : is_first                           ? 1
                         : job.order == "learned"             ? 2
                                                              : 3;
        return std::tuple(step, family);
    };
    std::ranges::stable_sort(jobs, {}, rank);
}

/// Predicts how long cells take from the cells before.
struct Pace {
    /// Seconds to create and check one job, besides its runs; grows with the number of texels that are compared.
    double overhead = 0, overhead_texels = 1;
    /// Seconds of one run, for each texel that the direct method reads.
    double run = 0;
    /// A job is checked, calibrated and timed once, plus a share of the warm-up.
    static constexpr double runs_of_job = 3.5;

    double of_job(const KernelCell& cell) const {
        const double texels = static_cast<double>(count(cell.size));
        return overhead * std::max(1.0, texels / overhead_texels) + runs_of_job * run * work_of(cell);
    }
    /// Learns from a cell, all jobs of which were checked after `seconds`.
    void learn(const KernelCell& cell, double seconds, const Measurements& measured) {
        double runs = 0;
        size_t checked = 0;
        for (const Measurement& job : measured.jobs) {
            checked += job.failure != not_run;
            if (is_timed(job)) runs += job.time.value * 1e-3;
        }
        if (checked == 0) return;
        const double jobs = static_cast<double>(checked);
        overhead = std::max(0.0, seconds - runs) / jobs;
        overhead_texels = static_cast<double>(count(cell.size));
        run = std::max(run, runs / jobs / work_of(cell));
    }
};

/// With fewer jobs a cell says nothing: the baseline, the best family, memory order.
constexpr size_t fewest_jobs = 3;

struct Session {
    Workbench& bench;
    db::Database& database;
    const std::map<Format, LearnedPattern>& learned;
    const TimeBudget& budget;
    const OnCell& on_cell;
    Pace pace = {};
    MeasuredDevice measured = {};
};

/// While the host compiles shaders and computes references, a GPU lowers its clocks, and takes up to a second of work to
/// raise them again: an H200 that was given half a second took 2.5 times as long for mip chains of 1280x720.
constexpr double warm_up_seconds = 0.4, usual_warm_up_seconds = 0.7, most_warm_up_seconds = 2;
bool has_clocks(const Session& session) { return session.bench.info.type != "cpu"; }

Limits limits_of(const Session& session, double seconds) {
    Limits limits;
    constexpr double shortest = 0.02, longest = 2;
    limits.seconds = std::clamp(seconds, shortest, longest);
    limits.interrupted = &session.budget.is_over();
    constexpr double hours_on_a_cpu = 6 * 3600;
    if (has_clocks(session)) {
        limits.warm_up_seconds = warm_up_seconds;
        limits.most_warm_up_seconds = most_warm_up_seconds;
    } else {
        limits.timeout_seconds = hours_on_a_cpu;
    }
    return limits;
}

/// Records the outcome of each job, besides its time.
void tell_jobs(MeasuredVerdict& verdict, const CellResult& result) {
    for (size_t i = 0; i < result.jobs.size(); ++i) {
        const Measurement& measurement = result.measured.jobs[i];
        const std::string text = job_text(result.jobs[i]);
        if (is_timed(measurement))
            verdict.timed++;
        else if (is_wrong(measurement))
            verdict.wrong.push_back(fmt::format("{}: {}", text, measurement.failure));
        else if (!result.jobs[i].skipped.empty())
            verdict.cannot.push_back(fmt::format("{}: {}", text, result.jobs[i].skipped));
        else
            verdict.left_out.push_back(text);
    }
}

struct MeasuredCell {
    CellResult result;
    MeasuredVerdict verdict;
};

MeasuredCell measure_cell(Session& session, const KernelCell& cell, double share) {
    const auto found = session.learned.find(cell.format);
    const LearnedPattern* learned = found == session.learned.end() ? nullptr : &found->second;
    ImagePool images{session.bench.context};
    const References references = std::make_shared<ReferenceCache>();
    MeasuredVerdict verdict = {cell, {}, 0, {}, {}, {}};

    const Clock::time_point start = Clock::now();
    std::vector<Job> jobs =
        all_jobs(session.bench, cell, images, references, orders_of(session.bench, cell, images, learned));
    put_promising_first(jobs, promising_families(session.database, session.bench, cell, learned),
                        traits_of(cell.format).name);
    const double each = session.pace.of_job(cell);
    if (has_clocks(session)) share = std::max(share - usual_warm_up_seconds, 0.0);
    const size_t fitting = each > 0 ? std::max(fewest_jobs, static_cast<size_t>(share / each)) : fewest_jobs;
    while (jobs.size() > fitting) {
        verdict.left_out.push_back(job_text(jobs.back()));
        jobs.pop_back();
    }

    double checking = 0;
    const size_t done = session.measured.verdicts.size() + session.measured.left_out.size();
    const auto show = [&](const char* phase, double, double) {
        if (std::string_view(phase) == "check") checking = seconds_since(start);
        session.on_cell(done, fmt::format("{} {}x{}: {}", cell_text(cell), cell.size.width, cell.size.height, phase));
    };
    const double spent = each * static_cast<double>(jobs.size());
    Measurements measured = measure(session.bench.context, jobs, limits_of(session, share - spent), show);
    session.pace.learn(cell, checking, measured);
    session.measured.failure = measured.failure;
    session.measured.hung = measured.hung;
    CellResult result = cell_result(cell, learned ? learned->id : "", std::move(jobs), std::move(measured), 0);
    tell_jobs(verdict, result);
    return {std::move(result), std::move(verdict)};
}

/// Before anything was timed the pace is not known: a slow device might spend all its time compiling methods, and time
/// none of them. So a few jobs of the first cell measure the pace; then the whole cell is measured, if the time allows.
MeasuredCell measure_first_cell(Session& session, const KernelCell& cell, double share) {
    MeasuredCell few = measure_cell(session, cell, share);
    const bool is_whole = few.verdict.left_out.empty(), has_failed = !session.measured.failure.empty();
    if (is_whole || has_failed || session.budget.seconds_left() < fewest_jobs * session.pace.of_job(cell)) return few;
    MeasuredCell whole = measure_cell(session, cell, share);
    return whole.verdict.timed > few.verdict.timed ? std::move(whole) : std::move(few);
}

/// Stores the cell in the database, and records what `advise` says about it from then on. A cell in which the time ended
/// before a method was timed, or was found to be wrong, is left out.
void keep(Session& session, MeasuredCell cell) {
    if (cell.verdict.timed == 0 && cell.verdict.wrong.empty() && !cell.verdict.left_out.empty()) {
        session.measured.left_out.push_back(cell.verdict.cell);
        return;
    }
    keep(session.database, session.bench.device, session.bench.driver, cell.result);
    if (cell.verdict.timed > 0)
        if (const auto advice = own_advice(session.database, session.bench, cell.verdict.cell))
            cell.verdict.way = advice->way;
    session.measured.verdicts.push_back(std::move(cell.verdict));
}

}  // namespace

std::vector<KernelCell> cells_of(const MeasurePlan& plan) {
    std::vector<KernelCell> cells;
    for (const Size size : plan.sizes)
        for (const Format format : plan.formats)
            std::ranges::move(cells_of(plan, format, size), std::back_inserter(cells));
    std::ranges::stable_sort(cells, {}, work_of);
    return cells;
}

MeasuredDevice measure_cells(Workbench& bench, db::Database& database, const MeasurePlan& plan,
                             const std::map<Format, LearnedPattern>& learned, const TimeBudget& budget,
                             const OnCell& on_cell) {
    Session session = {bench, database, learned, budget, on_cell};
    const std::vector<KernelCell> cells = cells_of(plan);
    for (size_t i = 0; i < cells.size(); ++i) {
        const double left = budget.seconds_left();
        const bool has_time = !budget.is_over() && fewest_jobs * session.pace.of_job(cells[i]) <= left;
        if (!has_time || !session.measured.failure.empty()) {
            session.measured.left_out.push_back(cells[i]);
            continue;
        }
        // Unused time is left for later cells, which take longer.
        double work = 0;
        for (size_t k = i; k < cells.size(); ++k) work += work_of(cells[k]);
        const double even = left / static_cast<double>(cells.size() - i), by_work = left * work_of(cells[i]) / work;
        const double share = (even + by_work) / 2;
        keep(session, i == 0 ? measure_first_cell(session, cells[i], share) : measure_cell(session, cells[i], share));
    }
    return std::move(session.measured);
}

}  // namespace tilewise
